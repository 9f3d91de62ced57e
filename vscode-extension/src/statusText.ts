// The words of the status item.
import type { Status } from "./protocol";

export interface StatusView {
  readonly text: string;
  readonly tooltip: string;
  readonly warning: boolean;
}

const base = (file: string): string => file.replaceAll("\\", "/").split("/").at(-1) ?? file;
const count = (n: number, one: string): string => `${n} ${one}${n === 1 ? "" : "s"}`;
// Codicons in the text of a status item are written $(name): a file name must not draw one.
const plain = (text: string): string => text.replaceAll("$(", "$\u200b(");

/** Undefined when there is nothing to say: no report, no problem. */
export function statusView(status: Status | undefined): StatusView | undefined {
  if (status === undefined || (status.reports.length === 0 && status.message === "")) {
    return undefined;
  }
  const { reports, kernels, linesMatched, linesTotal, staleLines, message } = status;
  const reading = reports.some((report) => report.state === "reading");
  const bad = reports.filter((report) => !["reading", "ready"].includes(report.state));
  const first = reports[0];
  const name =
    first === undefined ? "GPU Advisor" : reports.length === 1 ? base(first.path) : count(reports.length, "report");
  const parts = [plain(name)];
  if (!reading && kernels > 0) {
    parts.push(count(kernels, "kernel"), `${linesMatched}/${linesTotal} lines`);
  }
  if (staleLines > 0) parts.push(`${staleLines} stale`);
  const warning = bad.length > 0;
  const icon = reading ? "$(sync~spin)" : warning ? "$(warning)" : "$(flame)";
  const lines = reports.map((report) => `${report.path}: ${report.state}`);
  if (kernels > 0) {
    lines.push(`${count(kernels, "kernel")}; ${linesMatched} of ${linesTotal} measured lines found in the sources here`);
  }
  if (staleLines > 0) {
    lines.push(`${count(staleLines, "line")} changed since the report was made: profile again to measure them`);
  }
  if (message !== "") lines.push(message);
  return { text: `${icon} ${parts.join(" · ")}`, tooltip: lines.join("\n"), warning };
}
