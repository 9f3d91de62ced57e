// What both charts share: Chart.js with the parts that are used, a frame, and the numbers in a table
// for those who do not see a canvas.
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
import { h } from "./dom";
import type { Colours } from "./theme";

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

/** The charts on the page, to be taken down before others are drawn. */
const drawn: Chart[] = [];

export function clearCharts(): void {
  for (const chart of drawn.splice(0)) chart.destroy();
}

export function figure(title: string, summary: string, numbers: HTMLElement, height: number): [HTMLElement, HTMLCanvasElement] {
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

export function draw(canvas: HTMLCanvasElement, config: ChartConfiguration): void {
  drawn.push(new Chart(canvas, config));
}

export const still = { animation: false, responsive: true, maintainAspectRatio: false } as const;

export function legend(look: Colours): object {
  return { position: "bottom", labels: { color: look.text, boxWidth: 10, boxHeight: 8, usePointStyle: true } };
}

