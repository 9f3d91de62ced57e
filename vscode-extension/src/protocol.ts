// What the server and this extension say to each other besides standard LSP, and what the report
// view shows: the findings JSON (`gpuadvisor/findings/1`). Lines count from 1 in all of it.

export const Command = {
  attachReport: "gpuadvisor.attachReport",
  explainKernel: "gpuadvisor.explainKernel",
  explainRule: "gpuadvisor.explainRule",
  nextHotspot: "gpuadvisor.nextHotspot",
  previousHotspot: "gpuadvisor.previousHotspot",
  debugInfo: "gpuadvisor.debugInfo",
  reportView: "gpuadvisor.reportView",
  heat: "gpuadvisor.heat",
  toggleProfileData: "gpuadvisor.toggleProfileData",
} as const;

export const statusNotification = "gpuadvisor/status";

export interface ReportState {
  readonly path: string;
  /** `reading`, `ready`, `damaged` or `missing`. */
  readonly state: string;
}

export interface Status {
  readonly reports: readonly ReportState[];
  readonly kernels: number;
  readonly linesMatched: number;
  readonly linesTotal: number;
  readonly staleLines: number;
  readonly message: string;
}

export interface HeatLine {
  readonly line: number;
  /** Share of the samples of all kernels with lines in the file. */
  readonly share_pct: number;
  /** Five steps, 1 the coolest. */
  readonly step: number;
  /** Share of the samples of the kernel, in percent. */
  readonly local_share: number;
}

export interface Place {
  readonly uri: string;
  readonly line: number;
}

export interface Markdown {
  readonly markdown: string;
}

export type Severity = "warning" | "info" | "hint";

export interface Location {
  readonly file: string;
  readonly line: number;
  readonly end_line: number;
  readonly column: number | null;
  readonly state: "exact" | "moved" | "stale" | "missing";
}

export interface Kernel {
  readonly id: string;
  readonly name: string;
  readonly demangled: string;
  readonly input: string;
  readonly launches: number;
  readonly grid: readonly number[];
  readonly block: readonly number[];
  readonly device: string;
  readonly duration_ns: number | null;
  readonly verdict: string;
  readonly throughput: {
    readonly sm_pct: number | null;
    readonly memory_pct: number | null;
    readonly dram_pct: number | null;
  };
  readonly occupancy: {
    readonly theoretical_pct: number | null;
    readonly achieved_pct: number | null;
    readonly limiter: string | null;
  };
  readonly line_info: "full" | "partial" | "none";
}

export interface Finding {
  readonly code: string;
  readonly rule: string;
  readonly severity: Severity;
  readonly confidence: string;
  readonly kernel: string | null;
  readonly location: Location | null;
  readonly related: readonly { file: string; line: number; message: string }[];
  readonly title: string;
  readonly message: string;
  readonly why?: string;
  readonly fix?: string;
  readonly evidence: readonly {
    metric: string;
    value: number | string;
    unit: string;
    threshold: number | null;
  }[];
  readonly estimate: { speedup: readonly [number, number]; basis: string } | null;
  readonly fixes: readonly { id: string; title: string; applicability: string }[];
  readonly consequences: readonly { code: string; rule: string; message: string }[];
  readonly fingerprint: string;
}

export interface LineRecord {
  readonly kernel: string;
  readonly file: string;
  readonly line: number;
  readonly samples: number | null;
  readonly samples_pct: number | null;
  readonly stalls: Readonly<Record<string, number>>;
  readonly sectors_global: number | null;
  readonly sectors_global_ideal: number | null;
  readonly wavefronts_shared: number | null;
  readonly wavefronts_shared_ideal: number | null;
  readonly threads_per_instruction: number | null;
}

export interface RooflinePoint {
  readonly id: string;
  readonly name: string;
  readonly intensity_flop_per_byte: number | null;
  readonly flops_per_s: number | null;
}

export interface Roofline {
  readonly kernels: readonly RooflinePoint[];
  readonly peaks: Readonly<Record<string, number | null>>;
}

export interface ReportView {
  readonly schema: string;
  readonly tool: { name: string; version: string; rules_digest: string };
  readonly inputs: readonly {
    path: string;
    kind: string;
    sha256: string;
    problems: readonly { message: string; hint: string }[];
  }[];
  readonly devices: readonly { name: string; cc?: string }[];
  readonly kernels: readonly Kernel[];
  readonly findings: readonly Finding[];
  readonly skipped: readonly { rule: string; kernel: string | null; reason: string; collect: string }[];
  readonly lines?: readonly LineRecord[];
  readonly roofline?: Roofline;
}

/** From the report view to the extension. A place is opened only if its file is in `openable`. */
export type FromView =
  | { readonly type: "ready" }
  | { readonly type: "open"; readonly file: string; readonly line: number }
  | { readonly type: "explainKernel"; readonly kernel: string }
  | { readonly type: "explainRule"; readonly rule: string };

/** From the extension to the report view. */
export type ToView =
  | { readonly type: "data"; readonly data: ReportView; readonly openable: readonly string[] }
  | { readonly type: "problem"; readonly file: string; readonly message: string; readonly hint: string }
  | { readonly type: "reading"; readonly file: string };
