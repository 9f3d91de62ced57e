"""The columns of what a finding is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuadvisor.source.model import Span

if TYPE_CHECKING:
    from gpuadvisor.source.records import FunctionRecords
    from gpuadvisor.source.syntax import CudaSource

KINDS = ("global-store", "global-load", "shared", "atomic", "division", "math", "double",
         "barrier", "member", "local", "guard", "loop", "chain", "array")  # fmt: skip
"""What `expression_span` can look for."""


def spans_of(records: FunctionRecords, kind: str) -> list[tuple[int, int]]:
    """The byte ranges (from the function's start) of everything of a kind."""
    accesses = records.accesses
    memory = ("global", "generic")
    if kind == "global-store":
        return [(a.start, a.end) for a in accesses if a.space in memory and a.kind == "store"]
    if kind == "global-load":
        return [(a.start, a.end) for a in accesses if a.space in memory and a.kind == "load"]
    if kind == "shared":
        return [(a.start, a.end) for a in accesses if a.space == "shared"]
    if kind == "local":
        return [(a.start, a.end) for a in accesses if a.space == "local"]
    if kind == "member":
        return [(a.start, a.end) for a in accesses if a.struct and a.space in memory]
    if kind == "atomic":
        return [(a.start, a.end) for a in records.atomics]
    if kind == "division":
        return [(d.start, d.end) for d in records.divisions]
    if kind == "math":
        return [(m.start, m.end) for m in records.math]
    if kind == "double":
        order = {"literal": 0, "math": 1, "operand": 2}
        uses = sorted(records.doubles, key=lambda use: order[use.kind])
        return [(use.start, use.end) for use in uses]
    if kind == "barrier":
        return [(b.start, b.end) for b in records.barriers]
    if kind == "guard":
        return [(g.start, g.end) for g in records.guards]
    if kind == "loop":
        return [(one.start, one.end) for one in records.loops]
    if kind == "chain":
        return [(c.start, c.end) for c in records.chains]
    if kind == "array":
        return [(a.start, a.end) for a in records.arrays]
    return []


def expression_span(source: CudaSource, line: int, kind: str) -> Span:
    """The range of the first expression of `kind` on a line or, failing that, in the statement
    the line belongs to; the trimmed line when there is none."""
    first, last = source.statement_at(line)
    fallback: Span | None = None
    for raw, records in source.analysed():
        low, high = source.index.line_of(raw.start), source.index.line_of(raw.end)
        if high < first or low > last:
            continue
        groups = [records, *_called_records(source, raw.name)]
        for group in groups:
            for start, end in spans_of(group, kind):
                span = source.span(raw.start + start, raw.start + end)
                if span.line == line:
                    return span
                if fallback is None and first <= span.line <= last:
                    fallback = span
    return fallback or source.trimmed_span(line)


def _called_records(source: CudaSource, name: str) -> list[FunctionRecords]:
    found: list[FunctionRecords] = []
    for _, records in source.analysed():
        found.extend(records.inlined.get(name, ()))
    return found
