// The lines that hold the samples, and the rules that could not be judged.
import type { Kernel, LineRecord, ReportView } from "../src/protocol";
import { cell, h, section, table } from "./dom";
import { type PlaceActions, place } from "./findings";
import { absent, number, percent, reasonName } from "./format";
import { hottest, topStall } from "./model";

const most = 15;

const head = [
  { text: "line" },
  { text: "kernel" },
  { text: "samples", numeric: true },
  { text: "waits most on" },
  { text: "sectors / ideal", numeric: true },
  { text: "wavefronts / ideal", numeric: true },
  { text: "threads per instruction", numeric: true },
];

export function lineSection(
  data: ReportView,
  selected: string | undefined,
  actions: PlaceActions,
): HTMLElement | undefined {
  const records = hottest(data.lines ?? [], selected, most);
  if (records.length === 0) return undefined;
  const names = new Map(data.kernels.map(({ id, name }: Kernel) => [id, name]));
  const rows = records.map((record) => row(record, names.get(record.kernel) ?? record.kernel, actions));
  return section("lines", "Hottest lines", table("Lines by share of the samples", head, rows));
}

function row(record: LineRecord, kernel: string, actions: PlaceActions): HTMLTableRowElement {
  const stall = topStall(record);
  const meter = h("meter", { min: 0, max: 100, value: record.samples_pct ?? 0, "aria-hidden": "true" });
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, place(record.file, record.line, actions)),
    cell(kernel),
    cell(h("span", { class: "share" }, meter, percent(record.samples_pct)), true),
    cell(stall === undefined ? absent : `${reasonName(stall.reason)} (${percent(stall.percent)})`),
    cell(pair(record.sectors_global, record.sectors_global_ideal), true),
    cell(pair(record.wavefronts_shared, record.wavefronts_shared_ideal), true),
    cell(number(record.threads_per_instruction), true),
  );
}

function pair(value: number | null, ideal: number | null): string {
  return value === null || ideal === null ? absent : `${number(value)} / ${number(ideal)}`;
}

export function skippedSection(data: ReportView, selected: string | undefined): HTMLElement | undefined {
  const skipped = data.skipped.filter(({ kernel }) => selected === undefined || kernel === null || kernel === selected);
  if (skipped.length === 0) return undefined;
  const groups = new Map<string, { reason: string; collect: string; rules: Set<string> }>();
  for (const { rule, reason, collect } of skipped) {
    const key = `${reason}\n${collect}`;
    const group = groups.get(key) ?? { reason, collect, rules: new Set<string>() };
    group.rules.add(rule);
    groups.set(key, group);
  }
  const items = [...groups.values()].map(({ reason, collect, rules }) =>
    h(
      "li",
      {},
      `${reason}: ${[...rules].sort().join(", ")}`,
      collect !== "" && h("pre", { tabindex: 0, "aria-label": "Command that collects it" }, collect),
    ),
  );
  const count = new Set(skipped.map(({ rule }) => rule)).size;
  return section(
    "skipped",
    "Not judged",
    h("details", {}, h("summary", {}, `${count} ${count === 1 ? "rule" : "rules"} lack measurements`), h("ul", {}, ...items)),
  );
}
