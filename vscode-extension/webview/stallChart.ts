// What the warps of each kernel wait for, as one bar a kernel.
import type { Kernel, ReportView } from "../src/protocol";
import { draw, figure, legend, still } from "./chart";
import { cell, h, table } from "./dom";
import { percent, reasonName } from "./format";
import { stalls } from "./model";
import { colours } from "./theme";

const mostReasons = 7;
const mostKernels = 12;

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
