// The roofline: what each kernel did for each byte, under what the device can do.
import type { Roofline } from "../src/protocol";
import { draw, figure, legend, still } from "./chart";
import { cell, h, table } from "./dom";
import { bandwidth, flops, number } from "./format";
import { intensityRange, type Roof, roofLine, roofs } from "./model";
import { type Colours, colours } from "./theme";

export function rooflineChart(roofline: Roofline | undefined, selected: string | undefined): HTMLElement | undefined {
  if (roofline === undefined) return undefined;
  const points = roofline.kernels.flatMap(({ id, name, intensity_flop_per_byte: x, flops_per_s: y }) =>
    x !== null && y !== null && x > 0 && y > 0 ? [{ id, name, x, y }] : [],
  );
  const without = roofline.kernels.filter(({ flops_per_s: rate }) => rate === 0).map(({ name }) => name);
  const note = without.length > 0 && h("p", { class: "faint" }, `No floating-point work: ${[...new Set(without)].join(", ")}.`);
  if (points.length === 0) {
    return note ? h("figure", {}, h("figcaption", {}, "Roofline"), note) : undefined;
  }
  const all = roofs(roofline);
  const look = colours();
  const range = intensityRange(points, all);
  const rows = [
    ...points.map(({ name, x, y }) => h("tr", {}, h("th", { scope: "row" }, name), cell(number(x), true), cell(flops(y), true))),
    ...all.map(({ name, kind, peak }) =>
      h("tr", {}, h("th", { scope: "row" }, `${name} (roof)`), cell(""), cell(kind === "memory" ? bandwidth(peak) : flops(peak), true)),
    ),
  ];
  const head = [{ text: "kernel" }, { text: "FLOP per byte", numeric: true }, { text: "rate", numeric: true }];
  const summary = points.slice(0, 3).map(({ name, x, y }) => `${name} does ${flops(y)} at ${number(x)} FLOP per byte`).join("; ");
  const [element, canvas] = figure("Roofline", summary, table("Roofline", head, rows), 300);
  if (note) element.append(note);
  draw(canvas, {
    type: "scatter",
    data: {
      datasets: [
        ...points.map(({ id, name, x, y }, index) => ({
          label: name,
          data: [{ x, y }],
          backgroundColor: look.series[index % look.series.length] ?? look.text,
          borderColor: look.text,
          borderWidth: id === selected ? 2 : 0,
          pointRadius: id === selected ? 8 : 5,
          pointHoverRadius: 8,
        })),
        ...all.map((roof) => roofSet(roof, all, range, look)),
      ],
    },
    options: {
      ...still,
      scales: {
        x: logarithmic("FLOP per byte of DRAM traffic", range, look, (value) => number(value)),
        y: logarithmic("FLOP/s", undefined, look, (value) => flops(value)),
      },
      plugins: {
        legend: legend(look),
        tooltip: {
          callbacks: {
            label: ({ dataset, parsed }) =>
              `${dataset.label ?? ""}: ${flops(parsed.y)} at ${number(parsed.x)} FLOP per byte`,
          },
        },
      },
    },
  });
  return element;
}

function roofSet(roof: Roof, all: readonly Roof[], [low, high]: [number, number], look: Colours) {
  const rate = roof.kind === "memory" ? bandwidth(roof.peak) : flops(roof.peak);
  return {
    label: `${roof.name} ${rate}`,
    data: roofLine(roof, all, low, high) as { x: number; y: number }[],
    showLine: true,
    borderColor: roof.kind === "memory" ? look.faint : look.text,
    backgroundColor: roof.kind === "memory" ? look.faint : look.text,
    borderDash: roof.kind === "memory" ? [] : [6, 4],
    borderWidth: 1.5,
    pointStyle: "line" as const,
    pointRadius: 0,
    pointHoverRadius: 0,
  };
}

function isPower(value: number): boolean {
  const size = Math.log10(value);
  return Math.abs(size - Math.round(size)) < 1e-6;
}

function logarithmic(text: string, range: [number, number] | undefined, look: Colours, label: (value: number) => string) {
  return {
    type: "logarithmic" as const,
    ...(range === undefined ? {} : { min: range[0], max: range[1] }),
    title: { display: true, text, color: look.faint },
    grid: {
      color: ({ tick }: { tick: { value: number } }) => (isPower(tick.value) ? look.line : "transparent"),
    },
    ticks: {
      color: look.text,
      maxRotation: 0,
      autoSkip: false,
      callback: (value: string | number): string => (isPower(Number(value)) ? label(Number(value)) : ""),
    },
  };
}
