// Findings, each with what was measured, what it would gain and links to its lines.
import type { Finding, Kernel } from "../src/protocol";
import { h, section } from "./dom";
import { fileName, number, speedup } from "./format";

export interface PlaceActions {
  /** Whether a file may be opened; others are named without a link. */
  canOpen(file: string): boolean;
  open(file: string, line: number): void;
  explainRule(rule: string): void;
}

const signs = { warning: "▲", info: "●", hint: "○" } as const;

export function place(file: string, line: number, actions: PlaceActions): HTMLElement {
  const text = `${fileName(file)}:${line}`;
  if (!actions.canOpen(file)) {
    return h("span", { class: "faint", title: `${file} is not in the folders that are open` }, text);
  }
  return h("button", { class: "link", title: file, onclick: () => actions.open(file, line) }, text);
}

const most = 100;

/** With `showAll` no more than the first hundred, and a button that shows the rest. */
export function findingSection(
  findings: readonly Finding[],
  kernels: readonly Kernel[],
  actions: PlaceActions,
  showAll: (() => void) | undefined,
): HTMLElement {
  const names = new Map(kernels.map(({ id, name }) => [id, name]));
  if (findings.length === 0) {
    return section("findings", "Findings", h("p", {}, "No rule found fault here."));
  }
  const shown = showAll === undefined ? findings : findings.slice(0, most);
  return section(
    "findings",
    `Findings (${findings.length})`,
    h("p", { class: "faint" }, "By what they would save, the most first."),
    h("ol", { class: "findings" }, ...shown.map((finding) => h("li", {}, card(finding, names, actions)))),
    shown.length < findings.length &&
      h("button", { class: "link", onclick: () => showAll?.() }, `Show all ${findings.length} findings`),
  );
}

function card(finding: Finding, names: ReadonlyMap<string, string>, actions: PlaceActions): HTMLElement {
  const { severity, location, estimate } = finding;
  const kernel = finding.kernel === null ? undefined : (names.get(finding.kernel) ?? finding.kernel);
  const edits = finding.fixes.filter((fix) => fix.applicability !== "display-only");
  const stale = location?.state === "stale" ? " (changed since)" : "";
  return h(
    "article",
    { class: `finding ${severity in signs ? severity : "info"}` },
    h(
      "h3",
      {},
      h("span", { class: "sign", "aria-hidden": "true" }, signs[severity] ?? signs.info),
      h("span", { class: "unseen" }, `${severity}: `),
      finding.title,
    ),
    h(
      "p",
      { class: "where" },
      location !== null && place(location.file, location.line, actions),
      location !== null && stale,
      kernel !== undefined && h("span", {}, `${location === null ? "" : " in "}${kernel}`),
      " · ",
      h(
        "button",
        { class: "link", title: "Explain this rule", onclick: () => actions.explainRule(finding.rule) },
        `${finding.code} ${finding.rule}`,
      ),
      h("span", { class: "faint" }, ` · ${finding.confidence} confidence`),
    ),
    h("p", {}, finding.message),
    estimate !== null &&
      h("p", { class: "gain" }, h("strong", {}, speedup(estimate.speedup)), ` if removed: ${estimate.basis}`),
    finding.fix !== undefined && finding.fix !== "" && h("p", {}, h("strong", {}, "Fix: "), finding.fix),
    edits.length > 0 &&
      h("p", { class: "faint" }, `Quick fix in the editor: ${edits.map((fix) => fix.title).join("; ")}`),
    more(finding, actions),
  );
}

function more(finding: Finding, actions: PlaceActions): HTMLElement | undefined {
  const parts: HTMLElement[] = [];
  if (finding.why !== undefined && finding.why !== "") parts.push(h("p", {}, finding.why));
  if (finding.evidence.length > 0) {
    parts.push(
      h(
        "ul",
        {},
        ...finding.evidence.map(({ metric, value, unit, threshold }) =>
          h(
            "li",
            {},
            h("code", {}, metric),
            ` ${typeof value === "number" ? number(value) : value} ${unit}`.trimEnd(),
            threshold !== null && h("span", { class: "faint" }, ` (threshold ${number(threshold)})`),
          ),
        ),
      ),
    );
  }
  if (finding.related.length > 0) {
    parts.push(
      h("ul", {}, ...finding.related.map(({ file, line, message }) => h("li", {}, place(file, line, actions), ` ${message}`))),
    );
  }
  if (finding.consequences.length > 0) {
    parts.push(
      h("p", {}, "Follows from it:"),
      h("ul", {}, ...finding.consequences.map(({ code, rule, message }) => h("li", {}, `${code} ${rule}: ${message}`))),
    );
  }
  if (parts.length === 0) return undefined;
  return h("details", {}, h("summary", {}, "What was measured"), ...parts);
}
