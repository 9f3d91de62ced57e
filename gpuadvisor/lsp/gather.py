"""Making a snapshot: the records and findings of all reports sorted by file.

Several reports may hold the same kernel, an old run and a new one. Then the first report in the
order of precedence speaks for it, and the others are silent about it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from gpuadvisor.lsp.documents import canonical, split_lines
from gpuadvisor.lsp.moves import Moves, content_lines, moves_between
from gpuadvisor.lsp.snapshot import FileEvidence, Found, KernelRef, Measured, Snapshot

if TYPE_CHECKING:
    from gpuadvisor.evidence.findings import Analysis, Finding, LineRecord

KernelKey = tuple[str, str]


class _File:
    """The parts of one file's evidence while the reports are walked."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.base: Sequence[str] | None = None
        self.names: set[str] = set()
        self.records: list[Measured] = []
        self.found: list[Found] = []
        self.kernels: dict[KernelKey, KernelRef] = {}

    def freeze(self) -> FileEvidence:
        records = [item for item in self.records if item.record.line >= 1]
        by_line: dict[int, list[Measured]] = {}
        drains: dict[int, list[Measured]] = {}
        for item in records:
            for line in range(item.record.line, max(item.record.end_line, item.record.line) + 1):
                by_line.setdefault(line, []).append(item)
            for line in sorted({at for file, at, _ in item.record.drains if file in self.names}):
                drains.setdefault(line, []).append(item)
        measured = {
            line: tuple(sorted(items, key=lambda item: -(item.record.samples or 0)))
            for line, items in by_line.items()
        }
        return FileEvidence(
            self.path,
            self.base,
            frozenset(self.names),
            MappingProxyType(measured),
            MappingProxyType({line: tuple(items) for line, items in drains.items()}),
            tuple(self.found),
            tuple(self.kernels.values()),
            len(self.records) - len(records),
        )


def build_snapshot(generation: int, analyses: Sequence[tuple[str, Analysis]]) -> Snapshot:
    """The evidence of reports given in the order of precedence, as (report, its analysis)."""
    files: dict[str, _File] = {}
    claimed: dict[str, str] = {}
    homeless: dict[str, list[KernelRef]] = {}
    homeless_found: list[Found] = []
    for report, analysis in analyses:
        kernels = {}
        for summary in analysis.kernels:
            owner = claimed.setdefault(summary.demangled or summary.name, report)
            if owner == report:
                kernels[summary.id] = KernelRef(report, summary)
        homes = _Report(files, report, analysis, kernels).gather()
        for ident, kernel in kernels.items():
            if ident not in homes:
                homeless.setdefault(kernel.summary.name, []).append(kernel)
        homeless_found += [
            Found(report, finding, kernels[finding.kernel])
            for finding in analysis.findings
            if finding.kernel in kernels and finding.kernel not in homes
        ]
    return Snapshot(
        generation,
        MappingProxyType(dict(analyses)),
        MappingProxyType({path: file.freeze() for path, file in files.items()}),
        _known(files.values()),
        MappingProxyType({name: tuple(items) for name, items in homeless.items()}),
        tuple(homeless_found),
    )


def _known(files: Iterable[_File]) -> frozenset[str]:
    return frozenset(
        name
        for file in files
        if file.base is not None and os.path.isabs(file.path)
        for name in file.names
    )


class _Report:
    """One report on its way into the files."""

    def __init__(
        self,
        files: dict[str, _File],
        report: str,
        analysis: Analysis,
        kernels: Mapping[str, KernelRef],
    ) -> None:
        self._files = files
        self._report = report
        self._analysis = analysis
        self._kernels = kernels
        self._seen: dict[str, tuple[_File, Moves | None]] = {}

    def gather(self) -> set[str]:
        """Sorts everything in; the ids of the kernels that have a place in some file."""
        samples: dict[str, dict[str, int]] = {}
        for record in self._analysis.lines:
            kernel = self._kernels.get(record.kernel)
            if kernel is not None:
                file, shift = self._at(record.file)
                if shift is not None:
                    record = _moved_record(record, shift)
                file.records.append(Measured(kernel, record))
                file.kernels.setdefault((self._report, record.kernel), kernel)
                totals = samples.setdefault(record.kernel, {})
                totals[file.path] = totals.get(file.path, 0) + (record.samples or 0)
        for finding in self._analysis.findings:
            self._add(finding, samples.get(finding.kernel or "", {}))
        return {
            ident
            for file, _ in self._seen.values()
            for report, ident in file.kernels
            if report == self._report
        }

    def _add(self, finding: Finding, samples: Mapping[str, int]) -> None:
        """A finding without a place goes to the file with most of its kernel's samples."""
        kernel = self._kernels.get(finding.kernel) if finding.kernel else None
        if finding.kernel and kernel is None:
            return
        if finding.location is not None:
            file, shift = self._at(finding.location.file)
            if shift is not None:
                finding = _moved_finding(finding, shift)
        elif samples:
            file = self._files[max(samples, key=lambda path: (samples[path], path))]
        else:
            return
        file.found.append(Found(self._report, finding, kernel))
        if kernel is not None:
            file.kernels.setdefault((self._report, kernel.summary.id), kernel)

    def _at(self, name: str) -> tuple[_File, Moves | None]:
        """The file that this report means by a name; where its lines are in the file's text as
        another report knew it, when that was another text."""
        known = self._seen.get(name)
        if known is None:
            path = _key(name, self._analysis)
            file = self._files.setdefault(path, _File(path))
            file.names.add(name)
            text = self._analysis.sources.get(name)
            shift = None
            if text is not None:
                lines = content_lines(split_lines(text))
                if file.base is None:
                    file.base = lines
                elif file.base != lines:
                    shift = moves_between(lines, file.base)
            known = self._seen[name] = (file, shift)
        return known


def _key(file: str, analysis: Analysis) -> str:
    """The spelling by which an open document of this file is found. The disk is only asked about
    files whose text was read: a path of a report may name a host that nobody wants to talk to."""
    if file in analysis.sources and os.path.isabs(file) and not file.startswith(("\\\\", "//")):
        return canonical(file)
    return os.path.normcase(file)


def _moved_record(record: LineRecord, shift: Moves) -> LineRecord:
    line, state = shift.forward(record.line)
    end = line + max(record.end_line - record.line, 0) if line else 0
    return replace(
        record, line=line, end_line=end, state=state if state == "stale" else record.state
    )


def _moved_finding(finding: Finding, shift: Moves) -> Finding:
    location = finding.location
    if location is None:
        return finding
    line, state = shift.forward(location.line)
    moved = replace(
        location,
        line=line,
        end_line=line + location.end_line - location.line,
        state=state if state == "stale" else location.state,
    )
    return replace(finding, location=moved)
