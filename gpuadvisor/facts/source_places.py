"""Where findings on sources stand: the columns of the expression, and what belongs to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gpuadvisor.evidence.findings import Location, Related
from gpuadvisor.source.python_source import PythonSource
from gpuadvisor.source.source_rows import RowBlock, SourceRow
from gpuadvisor.source.syntax import CudaSource

Rows = Sequence[tuple[RowBlock, SourceRow]]
Columns = Mapping[str, np.ndarray[Any, Any]]
Placed = tuple[Location, tuple[Related, ...]]
Locator = Callable[[Columns, int], Placed]

PLACES = ("access", "load", "store", "member", "gather", "vector", "shared", "local", "array",
          "bounds", "atomic", "double", "math", "power", "division", "barrier", "split",
          "serial", "lone", "chain", "sum", "product", "copy", "parameter", "call", "block",
          "line")  # fmt: skip
"""Locators of rules on sources: what of the line a finding marks."""


def source_locators(file: str, source: CudaSource | PythonSource, rows: Rows) -> dict[str, Locator]:
    """The locators of rules on sources, for the rows of a table made of `rows`. Where a line does
    not hold what a locator asks for the whole line is the place."""

    def at(kind: str) -> Locator:
        return lambda columns, row: _place(file, source, rows[row], kind)

    return {kind: at(kind) for kind in PLACES}


def _place(
    file: str, source: CudaSource | PythonSource, row: tuple[RowBlock, SourceRow], kind: str
) -> Placed:
    block, one = row
    span = one.spans.get(kind)
    if span is None:
        whole = source.trimmed_span(block.first + one.line - 1)
        place = (whole.line, whole.column, whole.end_line, whole.end_column)
    else:
        start, end = (source.index.position(block.start + offset) for offset in span)
        place = (*start, *end)
    line, column, end_line, end_column = place
    location = Location(file, line, end_line, column, end_column, "exact")
    return location, tuple(_related(file, source, block, one, kind, line))


def _related(
    file: str,
    source: CudaSource | PythonSource,
    block: RowBlock,
    row: SourceRow,
    kind: str,
    line: int,
) -> list[Related]:
    found: list[tuple[int, str]] = []
    facts, host = row.facts, row.host
    if kind == "shared" and facts.shared_line is not None:
        at = block.first + facts.shared_line - 1
        found.append((at, f"{facts.shared_base} is declared here"))
    if kind == "array" and "subscript" in row.spans:
        at = source.index.line_of(block.start + row.spans["subscript"][0])
        found.append((at, f"{row.hints.array_subscript} has a run-time subscript"))
    if kind == "call" and host is not None and host.kind == "clock" and host.launch:
        at = source.index.line_of(block.start + host.launch_start)
        found.append((at, f"{host.launch} is launched here and may still run"))
    return [Related(file, at, text) for at, text in found if at != line]
