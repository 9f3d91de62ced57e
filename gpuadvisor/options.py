"""What a caller may ask of an analysis; shared by the command line, the editor and tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

Progress = Callable[[str, "float | None"], None]
"""Told what is being done ("reading big.ncu-rep") and how far it is, 0..1, None when unknown."""


@dataclass(frozen=True)
class AnalyzeOptions:
    """How `gpuadvisor.pipeline.analyze` reads, judges and reports.

    kernel_regex: keep kernels whose plain or demangled name it is found in; None keeps all.
    top: keep the so many kernels that took the most time; None keeps all.
    source_dirs: folders to look for sources in, beside those of the reports.
    path_maps: (prefix in the report, prefix on this machine), tried before anything else.
    lines: fill `Analysis.lines`.
    vendor: fill `KernelSummary.vendor_rules`.
    rule_dirs: folders with rules beyond the built-in ones.
    thresholds: overrides by "rule-name.threshold" (a code may stand for the name).
    select, ignore: codes, code prefixes or names of rules; an empty `select` means all.
    max_warnings, min_gain: findings a kernel that stay warnings, and the share of the kernel's time
        (0..1) that each must be worth; None leaves the rule engine's own.
    progress: called now and then from the analysis; must return quickly.
    """

    kernel_regex: str | None = None
    top: int | None = None
    source_dirs: tuple[str, ...] = ()
    path_maps: tuple[tuple[str, str], ...] = ()
    lines: bool = False
    vendor: bool = False
    rule_dirs: tuple[str, ...] = ()
    thresholds: Mapping[str, float] = field(default_factory=dict)
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    max_warnings: int | None = None
    min_gain: float | None = None
    progress: Progress | None = None
