"""What the rules say: findings, skips, kernels with verdicts; the stuff of every view.

The field names are those of the JSON contract `gpuadvisor/findings/1`, so that rendering is a
walk over these classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from gpuadvisor.evidence.problem import Problem
from gpuadvisor.evidence.report import Device, Dim3, VendorRule

Severity = Literal["warning", "info", "hint"]
Confidence = Literal["high", "medium", "low"]
Verdict = Literal["memory", "compute", "latency", "launch", "balanced", "unknown"]
LineInfo = Literal["full", "partial", "none"]
State = Literal["exact", "moved", "stale", "missing"]
Applicability = Literal["safe", "unsafe", "display-only"]


@dataclass(frozen=True)
class Location:
    """A place in the source. Lines and columns count from 1; `column` and `end_column` are None
    when only the line is known. `file` is the path as the report names it unless it maps to a
    file on disk; `state` says how the line relates to the text at hand."""

    file: str
    line: int
    end_line: int
    column: int | None = None
    end_column: int | None = None
    state: State = "missing"


@dataclass(frozen=True)
class Related:
    """Another place that belongs to a finding, with what it has to do with it."""

    file: str
    line: int
    message: str


@dataclass(frozen=True)
class EvidenceItem:
    """One measured number behind a finding; `threshold` is None where it was not compared."""

    metric: str
    value: float | str
    unit: str = ""
    threshold: float | None = None


@dataclass(frozen=True)
class Estimate:
    """What removing the cause would gain: (low, high) as old time over new time, both >= 1."""

    speedup: tuple[float, float]
    basis: str


@dataclass(frozen=True)
class FixOffer:
    """A named source edit (or advice text, display-only) that belongs to a finding."""

    id: str
    title: str
    applicability: Applicability


@dataclass(frozen=True)
class Consequence:
    """A symptom that disappears with the finding it is folded under."""

    code: str
    rule: str
    message: str


@dataclass(frozen=True)
class Finding:
    """One fault or observation. `kernel` is the id of a KernelSummary, None for a whole input.

    `why` and `fix` are the rule's explanation with the numbers of this finding in it. `weight` is
    the share of the kernel's time that removing it would save (0..1), the order of the findings.
    """

    code: str
    rule: str
    severity: Severity
    confidence: Confidence
    kernel: str | None
    location: Location | None
    title: str
    message: str
    why: str
    fix: str
    evidence: tuple[EvidenceItem, ...] = ()
    estimate: Estimate | None = None
    related: tuple[Related, ...] = ()
    fixes: tuple[FixOffer, ...] = ()
    consequences: tuple[Consequence, ...] = ()
    fingerprint: str = ""
    weight: float = 0.0


@dataclass(frozen=True)
class Skipped:
    """A rule that could not be judged on a kernel, and the command that collects what it lacks."""

    rule: str
    kernel: str | None
    reason: str
    collect: str = ""


@dataclass(frozen=True)
class KernelSummary:
    """One kernel of one input; launches with equal mangled name, grid and block are one.

    Percentages are of the device's peak; None is "not measured". `headline` is the verdict as a
    sentence.
    """

    id: str
    name: str
    demangled: str
    input: str
    launches: int
    grid: Dim3
    block: Dim3
    device: str
    duration_ns: float | None
    share_pct: float | None
    verdict: Verdict
    headline: str
    sm_pct: float | None
    memory_pct: float | None
    dram_pct: float | None
    occupancy_theoretical_pct: float | None
    occupancy_achieved_pct: float | None
    occupancy_limiter: str | None
    line_info: LineInfo
    vendor_rules: tuple[VendorRule, ...] = ()


@dataclass(frozen=True)
class LineRecord:
    """The measurements of one source line in one kernel; None is "not measured".

    `end_line` is the last line of the statement when the source is known; `state` says how the
    line relates to the text at hand (line 0: nothing stands in its place any more). `stalls` maps
    a stall reason to its samples. `drains` holds, for a line whose samples wait on other lines, the
    (file, line, samples) of the instructions they wait for.
    """

    kernel: str
    file: str
    line: int
    end_line: int
    samples: int | None
    samples_pct: float | None
    stalls: Mapping[str, int] = field(default_factory=dict)
    sectors_global: float | None = None
    sectors_global_ideal: float | None = None
    wavefronts_shared: float | None = None
    wavefronts_shared_ideal: float | None = None
    sectors_local: float | None = None
    instructions: float | None = None
    threads_per_instruction: float | None = None
    drains: tuple[tuple[str, int, int], ...] = ()
    state: State = "exact"


@dataclass(frozen=True)
class RooflinePoint:
    """Where a kernel stands under the roofs: FP32 and FP64 operations and DRAM bytes, each a
    second; None is "not measured"."""

    kernel: str
    flops_per_s: float | None
    dram_bytes_per_s: float | None


@dataclass(frozen=True)
class InputSummary:
    """One file that was read; `kind` is the sniffed format."""

    path: str
    kind: str
    sha256: str
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class Analysis:
    """Everything the rules say about a set of inputs: kernels in launch order, findings by what
    they would save, lines by kernel and position (empty unless asked for)."""

    rules_digest: str
    inputs: tuple[InputSummary, ...]
    devices: tuple[Device, ...]
    kernels: tuple[KernelSummary, ...]
    findings: tuple[Finding, ...]
    skipped: tuple[Skipped, ...]
    lines: tuple[LineRecord, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    """Text of the sources that locations name, by `Location.file`, for excerpts."""
    roofline: tuple[RooflinePoint, ...] = ()
    peaks: Mapping[str, float] = field(default_factory=dict)
    """What the device can do at most, by name: `dram_bytes_per_s`, `fp32_flops_per_s`, ..."""
