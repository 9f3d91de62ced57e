// Roofline and stall charts by Chart.js. Each has its numbers in a table beside it, for those who
// do not see a canvas.
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  type ChartConfiguration,
  Legend,
  LinearScale,
  LineElement,
  LogarithmicScale,
  PointElement,
  ScatterController,
  Tooltip,
} from "chart.js";
import type { Kernel, ReportView, Roofline } from "../src/protocol";
import { cell, h, table } from "./dom";
import { bandwidth, flops, number, percent, reasonName } from "./format";
import { intensityRange, type Point, type Roof, roofLine, roofs, stalls } from "./model";
import { type Colours, colours } from "./theme";

Chart.register(
  BarController,
  BarElement,
  CategoryScale,
  Legend,
  LinearScale,
  LineElement,
  LogarithmicScale,
  PointElement,
  ScatterController,
  Tooltip,
);

const mostReasons = 7;
const mostKernels = 12;

/** The charts on the page, to be taken down before others are drawn. */
const drawn: Chart[] = [];

export function clearCharts(): void {
  for (const chart of drawn.splice(0)) chart.destroy();
}

function figure(title: string, summary: string, numbers: HTMLElement, height: number): [HTMLElement, HTMLCanvasElement] {
  const canvas = h("canvas", { role: "img", "aria-label": `${title}: ${summary}` });
  const frame = h("div", { class: "canvas" }, canvas);
  frame.style.height = `${height}px`;
  return [
    h(
      "figure",
      {},
      h("figcaption", {}, title),
      frame,
      h("details", {}, h("summary", {}, "Numbers"), numbers),
    ),
    canvas,
  ];
}

function draw(canvas: HTMLCanvasElement, config: ChartConfiguration): void {
  drawn.push(new Chart(canvas, config));
}

const still = { animation: false, responsive: true, maintainAspectRatio: false } as const;

function legend(look: Colours): object {
  return { position: "bottom", labels: { color: look.text, boxWidth: 10, boxHeight: 8, usePointStyle: true } };
}

export function stallChart(data: ReportView, selected: string | undefined): HTMLElement | undefined {
  const chosen = selected === undefined ? byTime(data.kernels).slice(0, mostKernels) : data.kernels.filter(({ id }) => id === selected);
  const { reasons, shares } = stalls(chosen, data.lines ?? [], mostReasons);
  if (shares.length === 0) return undefined;
  const look = colours();
  const rows = shares.map(({ kernel, percent: parts }) =>
    h("tr", {}, h("th", { scope: "row" }, kernel.name), ...parts.map((part) => cell(percent(part), true))),
  );
  const head = [{ text: "kernel" }, ...reasons.map((reason) => ({ text: reasonName(reason), numeric: true }))];
  const summary = shares
    .slice(0, 3)
    .map(({ kernel, percent: parts }) => {
      const top = parts.indexOf(Math.max(...parts));
      return `${kernel.name} waits most on ${reasonName(reasons[top] ?? "")} (${percent(parts[top])})`;
    })
    .join("; ");
  const [element, canvas] = figure(
    "What the warps wait for",
    summary,
    table("Stall reasons in percent of the samples", head, rows),
    90 + shares.length * 34,
  );
  draw(canvas, {
    type: "bar",
    data: {
      labels: shares.map(({ kernel }) => kernel.name),
      datasets: reasons.map((reason, index) => ({
        label: reasonName(reason),
        data: shares.map(({ percent: parts }) => parts[index] ?? 0),
        backgroundColor: look.series[index % look.series.length] ?? look.text,
        borderColor: look.background,
        borderWidth: 1,
        maxBarThickness: 24,
        pointStyle: "rect" as const,
      })),
    },
    options: {
      ...still,
      indexAxis: "y",
      scales: {
        x: {
          stacked: true,
          max: 100,
          title: { display: true, text: "percent of stall samples", color: look.faint },
          ticks: { color: look.text },
          grid: { color: look.line },
        },
        y: { stacked: true, ticks: { color: look.text }, grid: { display: false } },
      },
      plugins: {
        legend: legend(look),
        tooltip: { callbacks: { label: (item) => `${item.dataset.label ?? ""}: ${percent(item.parsed.x)}` } },
      },
    },
  });
  return element;
}

function byTime(kernels: readonly Kernel[]): Kernel[] {
  const time = ({ duration_ns, launches }: Kernel): number => (duration_ns ?? 0) * launches;
  return [...kernels].sort((a, b) => time(b) - time(a));
}

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

export type { Point };
