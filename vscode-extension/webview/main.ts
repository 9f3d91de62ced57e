// The report view's page: takes the findings JSON by message and shows it.
import type { FromView, ReportView, ToView } from "../src/protocol";
import { clearCharts } from "./chart";
import { h, section } from "./dom";
import { findingSection, type PlaceActions } from "./findings";
import { fileName } from "./format";
import { kernelSection } from "./kernels";
import { lineSection, skippedSection } from "./lines";
import { findingsOf } from "./model";
import { rooflineChart } from "./rooflineChart";
import { stallChart } from "./stallChart";
import { onThemeChange } from "./theme";

interface State {
  readonly kernel?: string | undefined;
}

declare function acquireVsCodeApi(): {
  postMessage(message: FromView): void;
  getState(): State | undefined;
  setState(state: State): void;
};

const api = acquireVsCodeApi();
const page = document.getElementById("report") ?? document.body;
const said = document.getElementById("said");
let shown: { data: ReportView; openable: ReadonlySet<string> } | undefined;
let selected = api.getState()?.kernel;
let allFindings = false;

function say(text: string): void {
  if (said !== null) said.textContent = text;
}

function render(): void {
  if (shown === undefined) return;
  const { data, openable } = shown;
  const places: PlaceActions = {
    canOpen: (file) => openable.has(file),
    open: (file, line) => api.postMessage({ type: "open", file, line }),
    explainRule: (rule) => api.postMessage({ type: "explainRule", rule }),
  };
  if (!data.kernels.some(({ id }) => id === selected)) selected = undefined;
  clearCharts();
  const charts = [rooflineChart(data.roofline, selected), stallChart(data, selected)].filter(
    (chart) => chart !== undefined,
  );
  const parts = [
    header(data),
    kernelSection(data.kernels, selected, {
      select,
      explain: (kernel) => api.postMessage({ type: "explainKernel", kernel }),
    }),
    charts.length > 0 ? section("charts", "Charts", h("div", { class: "charts" }, ...charts)) : undefined,
    findingSection(findingsOf(data, selected), data.kernels, places, allFindings ? undefined : showAll),
    lineSection(data, selected, places),
    skippedSection(data, selected),
  ];
  page.replaceChildren(...parts.filter((part) => part !== undefined));
  page.setAttribute("aria-busy", "false");
}

function select(kernel: string | undefined): void {
  const focused = document.activeElement?.id;
  selected = kernel;
  api.setState({ kernel });
  render();
  if (focused !== undefined && focused !== "") document.getElementById(focused)?.focus();
  say(kernel === undefined ? "All kernels are shown." : "One kernel is shown.");
}

function showAll(): void {
  allFindings = true;
  render();
  document.getElementById("findings-title")?.focus();
}

function header(data: ReportView): HTMLElement {
  const devices = [...new Set(data.devices.map(({ name, cc }) => (cc === undefined ? name : `${name} (${cc})`)))];
  const names = data.inputs.map(({ path }) => fileName(path)).join(", ");
  const problems = data.inputs.flatMap((input) => input.problems);
  return h(
    "header",
    {},
    h("h1", {}, names || "Report"),
    devices.length > 0 && h("p", { class: "faint" }, devices.join(", ")),
    problems.length > 0 &&
      h(
        "ul",
        { class: "problems" },
        ...problems.map(({ message, hint }) =>
          h("li", {}, message, hint !== "" && h("span", { class: "faint" }, ` ${hint}`)),
        ),
      ),
  );
}

function showProblem(file: string, message: string, hint: string): void {
  shown = undefined;
  clearCharts();
  page.replaceChildren(
    h("h1", {}, `${file} cannot be shown`),
    h("p", { role: "alert" }, message),
    hint === "" ? h("span") : h("pre", { tabindex: 0 }, hint),
  );
  page.setAttribute("aria-busy", "false");
}

window.addEventListener("message", ({ data: message }: MessageEvent<ToView>) => {
  switch (message.type) {
    case "reading":
      page.setAttribute("aria-busy", "true");
      if (shown === undefined) page.replaceChildren(h("p", { class: "faint" }, `Reading ${message.file}…`));
      break;
    case "data":
      shown = { data: message.data, openable: new Set(message.openable) };
      render();
      say(`${message.data.kernels.length} kernels, ${message.data.findings.length} findings.`);
      break;
    case "problem":
      showProblem(message.file, message.message, message.hint);
      break;
  }
});

onThemeChange(render);
api.postMessage({ type: "ready" });
