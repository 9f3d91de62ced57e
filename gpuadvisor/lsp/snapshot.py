"""What all read reports say, by file: made once for each change of a report and never changed.

Several reports may hold the same kernel, an old run and a new one. Then the first report in the
order of precedence speaks for it, and the others are silent about it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from gpuadvisor.lsp.documents import canonical, split_lines
from gpuadvisor.lsp.moves import content_lines

if TYPE_CHECKING:
    from gpuadvisor.evidence.findings import Analysis, Finding, KernelSummary, LineRecord, State


@dataclass(frozen=True)
class KernelRef:
    """A kernel of one of the reports."""

    report: str
    summary: KernelSummary


@dataclass(frozen=True)
class Measured:
    """The measurements of one line in one kernel."""

    kernel: KernelRef
    record: LineRecord


@dataclass(frozen=True)
class Found:
    """A finding of one of the reports; `kernel` is None for one about a whole report."""

    report: str
    finding: Finding
    kernel: KernelRef | None


@dataclass(frozen=True)
class FileEvidence:
    """What the reports say about one file.

    base: the lines of the analysed text, `content_lines`; None when the text is not known and
        the open document is taken for it.
    names: the spellings of the file in the findings.
    measured: by each line of a statement, hottest kernel first.
    drains: by line, the measurements of the lines where its stores drain.
    kernels: those that have a line or a finding here, in launch order.
    """

    path: str
    base: Sequence[str] | None
    names: frozenset[str]
    measured: Mapping[int, tuple[Measured, ...]]
    drains: Mapping[int, tuple[Measured, ...]]
    found: tuple[Found, ...]
    kernels: tuple[KernelRef, ...]

    lost: int
    """Measured lines in whose place nothing stands any more in the analysed text."""

    @cached_property
    def line_states(self) -> Mapping[int, State]:
        """The lines with a record of their own, and how the analysed text relates to what was
        profiled there."""
        return {
            item.record.line: item.record.state
            for items in self.measured.values()
            for item in items
        }

    @cached_property
    def coverage(self) -> tuple[int, int, int]:
        """Measured lines in the analysed text: (unedited, all, edited)."""
        states = list(self.line_states.values())
        stale = states.count("stale") + self.lost
        matched = len(states) - states.count("stale") - states.count("missing")
        return matched, len(states) + self.lost, stale


@dataclass(frozen=True)
class Snapshot:
    """All evidence at one moment. `generation` grows with each one."""

    generation: int = 0
    analyses: Mapping[str, Analysis] = field(default_factory=dict)
    files: Mapping[str, FileEvidence] = field(default_factory=dict)
    known: frozenset[str] = frozenset()
    """The files, as findings spell them, whose text is at hand on this machine."""

    @property
    def kernels(self) -> int:
        """How many kernels the reports hold."""
        return sum(len(analysis.kernels) for analysis in self.analyses.values())


class _Gathering:
    """The parts of one file's evidence while the reports are walked."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.base: Sequence[str] | None = None
        self.names: set[str] = set()
        self.records: list[Measured] = []
        self.found: list[Found] = []
        self.kernels: dict[tuple[str, str], KernelRef] = {}

    def freeze(self) -> FileEvidence:
        by_line: dict[int, list[Measured]] = {}
        lost = [item for item in self.records if item.record.line < 1]
        self.records = [item for item in self.records if item.record.line >= 1]
        for item in self.records:
            for line in range(item.record.line, max(item.record.end_line, item.record.line) + 1):
                by_line.setdefault(line, []).append(item)
        measured = {
            line: tuple(sorted(items, key=lambda item: -(item.record.samples or 0)))
            for line, items in by_line.items()
        }
        drains: dict[int, list[Measured]] = {}
        for item in self.records:
            for line in sorted({at for file, at, _ in item.record.drains if file in self.names}):
                drains.setdefault(line, []).append(item)
        return FileEvidence(
            self.path,
            self.base,
            frozenset(self.names),
            MappingProxyType(measured),
            MappingProxyType({line: tuple(items) for line, items in drains.items()}),
            tuple(self.found),
            tuple(self.kernels.values()),
            len(lost),
        )


def build_snapshot(generation: int, analyses: Sequence[tuple[str, Analysis]]) -> Snapshot:
    """The evidence of reports given in the order of precedence, as (report, its analysis)."""
    files: dict[str, _Gathering] = {}
    claimed: dict[str, str] = {}
    for report, analysis in analyses:
        refs = {}
        for summary in analysis.kernels:
            owner = claimed.setdefault(summary.demangled or summary.name, report)
            if owner == report:
                refs[summary.id] = KernelRef(report, summary)
        _gather(files, report, analysis, refs)
    return Snapshot(
        generation,
        MappingProxyType(dict(analyses)),
        MappingProxyType({path: gathering.freeze() for path, gathering in files.items()}),
        frozenset(
            name
            for gathering in files.values()
            if gathering.base is not None and os.path.isabs(gathering.path)
            for name in gathering.names
        ),
    )


def _gather(
    files: dict[str, _Gathering],
    report: str,
    analysis: Analysis,
    kernels: Mapping[str, KernelRef],
) -> None:
    paths: dict[str, str] = {}

    def at(file: str) -> _Gathering:
        path = paths.get(file)
        if path is None:
            path = paths[file] = _key(file, analysis)
        gathering = files.get(path)
        if gathering is None:
            gathering = files[path] = _Gathering(path)
        if file not in gathering.names:
            gathering.names.add(file)
            text = analysis.sources.get(file)
            if gathering.base is None and text is not None:
                gathering.base = content_lines(split_lines(text))
        return gathering

    for record in analysis.lines:
        kernel = kernels.get(record.kernel)
        if kernel is not None:
            gathering = at(record.file)
            gathering.records.append(Measured(kernel, record))
            gathering.kernels.setdefault((report, record.kernel), kernel)
    for finding in analysis.findings:
        kernel = kernels.get(finding.kernel) if finding.kernel else None
        if finding.kernel and kernel is None:
            continue
        if finding.location is not None:
            gathering = at(finding.location.file)
            gathering.found.append(Found(report, finding, kernel))
            if kernel is not None:
                gathering.kernels.setdefault((report, kernel.summary.id), kernel)
    _place_kernel_findings(files.values(), report, analysis, kernels)


def _key(file: str, analysis: Analysis) -> str:
    """The spelling by which an open document of this file is found. The disk is only asked about
    files whose text was read: a path of a report may name a host that nobody wants to talk to."""
    if file in analysis.sources and os.path.isabs(file) and not file.startswith(("\\\\", "//")):
        return canonical(file)
    return os.path.normcase(file)


def _place_kernel_findings(
    files: Iterable[_Gathering],
    report: str,
    analysis: Analysis,
    kernels: Mapping[str, KernelRef],
) -> None:
    """Findings about a whole kernel go to the file in which most of its samples are."""
    homes: dict[str, tuple[int, _Gathering]] = {}
    for gathering in files:
        totals: dict[str, int] = {}
        for item in gathering.records:
            if item.kernel.report == report:
                ident = item.kernel.summary.id
                totals[ident] = totals.get(ident, 0) + (item.record.samples or 0)
        for ident, total in totals.items():
            if ident not in homes or total > homes[ident][0]:
                homes[ident] = (total, gathering)
    for finding in analysis.findings:
        if finding.location is None and finding.kernel in homes and finding.kernel in kernels:
            home = homes[finding.kernel][1]
            home.found.append(Found(report, finding, kernels[finding.kernel]))
