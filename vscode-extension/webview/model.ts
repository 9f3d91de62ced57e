// What the charts and tables show, computed from the findings JSON. No page in here.
import type { Finding, Kernel, LineRecord, ReportView, Roofline } from "../src/protocol";

export interface Stalls {
  /** Stall reasons, the most samples first; those behind the last named one are summed as `other`. */
  readonly reasons: readonly string[];
  /** Percent of the kernel's stall samples, by kernel and reason. */
  readonly shares: readonly { readonly kernel: Kernel; readonly percent: readonly number[] }[];
}

const other = "other";

/** The shares of stall reasons in the samples of each kernel; kernels without samples are left out. */
export function stalls(
  kernels: readonly Kernel[],
  lines: readonly LineRecord[],
  mostReasons: number,
): Stalls {
  const byKernel = new Map<string, Map<string, number>>(kernels.map(({ id }) => [id, new Map()]));
  const totals = new Map<string, number>();
  for (const { kernel, stalls: counts } of lines) {
    const sums = byKernel.get(kernel);
    if (sums === undefined) continue;
    for (const [reason, samples] of Object.entries(counts)) {
      sums.set(reason, (sums.get(reason) ?? 0) + samples);
    }
  }
  for (const sums of byKernel.values()) {
    const all = sum(sums.values());
    // By share, so that one long kernel does not hide what stalls the short ones.
    for (const [reason, samples] of sums) {
      totals.set(reason, (totals.get(reason) ?? 0) + samples / all);
    }
  }
  const order = [...totals].sort(([a, x], [b, y]) => y - x || a.localeCompare(b)).map(([reason]) => reason);
  const named = order.length > mostReasons ? order.slice(0, mostReasons - 1) : order;
  const reasons = named.length < order.length ? [...named, other] : named;
  const shares = kernels.flatMap((kernel) => {
    const sums = byKernel.get(kernel.id) ?? new Map<string, number>();
    const all = sum(sums.values());
    if (all === 0) return [];
    const percent = named.map((reason) => (100 * (sums.get(reason) ?? 0)) / all);
    if (reasons.length > named.length) percent.push(Math.max(0, 100 - sum(percent)));
    return [{ kernel, percent }];
  });
  return { reasons, shares };
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

export interface Roof {
  readonly name: string;
  readonly kind: "memory" | "compute";
  /** Bytes a second or floating-point operations a second. */
  readonly peak: number;
}

/** The peaks that draw a roof: names end in `bytes_per_s` or `flops_per_s`. */
export function roofs({ peaks }: Roofline): Roof[] {
  const found: Roof[] = [];
  for (const [key, peak] of Object.entries(peaks)) {
    if (peak === null || !(peak > 0)) continue;
    const match = /^(?:(.*)_)?(bytes|flops)_per_s$/.exec(key);
    if (match === null) continue;
    const kind = match[2] === "bytes" ? "memory" : "compute";
    const fallback = kind === "memory" ? "DRAM" : "peak";
    found.push({ name: (match[1] ?? fallback).replaceAll("_", " ").toUpperCase(), kind, peak });
  }
  return found.sort((a, b) => a.kind.localeCompare(b.kind) || b.peak - a.peak);
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The corners of a roof over [low, high] operations a byte: memory roofs end at the highest
 * compute roof, compute roofs begin at the steepest memory roof. */
export function roofLine(roof: Roof, all: readonly Roof[], low: number, high: number): Point[] {
  if (roof.kind === "memory") {
    const ceiling = Math.max(...all.filter(({ kind }) => kind === "compute").map(({ peak }) => peak));
    const end = Number.isFinite(ceiling) ? Math.min(high, ceiling / roof.peak) : high;
    return [
      { x: low, y: low * roof.peak },
      { x: end, y: end * roof.peak },
    ];
  }
  const slope = Math.max(...all.filter(({ kind }) => kind === "memory").map(({ peak }) => peak));
  const begin = Number.isFinite(slope) ? Math.max(low, roof.peak / slope) : low;
  return [
    { x: begin, y: roof.peak },
    { x: high, y: roof.peak },
  ];
}

/** Whole powers of ten around the points and the ridge of the roofs. */
export function intensityRange(points: readonly Point[], all: readonly Roof[]): [number, number] {
  const values = points.map(({ x }) => x);
  for (const memory of all.filter(({ kind }) => kind === "memory")) {
    for (const compute of all.filter(({ kind }) => kind === "compute")) values.push(compute.peak / memory.peak);
  }
  if (values.length === 0) return [0.01, 100];
  const low = Math.floor(Math.log10(Math.min(...values)) - 0.3);
  const high = Math.ceil(Math.log10(Math.max(...values)) + 0.3);
  return [10 ** low, 10 ** high];
}

/** Of a kernel, or of the whole report. */
export function findingsOf(data: ReportView, kernel: string | undefined): readonly Finding[] {
  return kernel === undefined ? data.findings : data.findings.filter((finding) => finding.kernel === kernel);
}

/** Lines by their share of their kernel's samples. */
export function hottest(lines: readonly LineRecord[], kernel: string | undefined, most: number): LineRecord[] {
  return lines
    .filter((record) => (kernel === undefined || record.kernel === kernel) && (record.samples ?? 0) > 0)
    .sort((a, b) => (b.samples ?? 0) - (a.samples ?? 0) || a.file.localeCompare(b.file) || a.line - b.line)
    .slice(0, most);
}

export function topStall(record: LineRecord): { reason: string; percent: number } | undefined {
  const all = sum(Object.values(record.stalls));
  const [top] = Object.entries(record.stalls).sort(([a, x], [b, y]) => y - x || a.localeCompare(b));
  return top === undefined || all === 0 ? undefined : { reason: top[0], percent: (100 * top[1]) / all };
}
