"""The source table: one row for each line of source on which something was found.

Columns: `file`, `line`, `end_line`, `state` ("exact"), `function`, and the facts of the line with
`src_` before their names: those of `LineFacts`, of `HintFacts`, and of `HostFacts` with
`src_host_`. A row speaks for itself: no column depends on other rows.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any

import numpy as np

from gpuadvisor.evidence import Table
from gpuadvisor.source.hint_facts import HintFacts
from gpuadvisor.source.host_facts import HostFacts
from gpuadvisor.source.line_facts import LineFacts
from gpuadvisor.source.source_rows import RowBlock, SourceRow

PLACES = ("file", "line", "end_line", "state", "function")
_PARTS = (
    ("facts", LineFacts, "src_"),
    ("hints", HintFacts, "src_"),
    ("host", HostFacts, "src_host_"),
)
_POSITIONS = frozenset({"start", "end", "block_start", "block_end", "launch_start"})


_NO_CALL = HostFacts("", "", 0, 0)
_LINES = ("shared_line", "local_line", "guard_line")
"""Line numbers among the facts: rows count them from their function."""


class _Full:
    """A row with all its parts, and line numbers of the file."""

    __slots__ = ("facts", "hints", "host")

    def __init__(self, block: RowBlock, row: SourceRow) -> None:
        facts = row.facts
        if facts.shared_line or facts.local_line or facts.guard_line:
            moved = {
                name: value + block.first - 1
                for name in _LINES
                if (value := getattr(facts, name)) is not None
            }
            facts = dataclasses.replace(facts, **moved)
        self.facts = facts
        self.hints = row.hints
        self.host = row.host or _NO_CALL


@lru_cache(maxsize=1)
def fact_columns() -> dict[str, tuple[str, str]]:
    """The columns of facts by name: (attribute path of a row, kind of value)."""
    found: dict[str, tuple[str, str]] = {}
    for part, kind, prefix in _PARTS:
        for field in dataclasses.fields(kind):
            if part == "host" and field.name in _POSITIONS:
                continue
            name = f"{prefix}{field.name}"
            found[name] = (f"{part}.{field.name}", str(field.type))
    return found


def blank_row() -> dict[str, Any]:
    """The facts of a line on which there is nothing."""
    row = SourceRow(0, LineFacts(), HintFacts(), _NO_CALL, {})
    return {name: attrgetter(path)(row) for name, (path, _) in fact_columns().items()}


def source_table(
    file: str, rows: Sequence[tuple[RowBlock, SourceRow]], wanted: Collection[str] | None = None
) -> Table:
    """The table of some rows of a file; `wanted` are the columns that anybody will ask for (None:
    all)."""
    lines = [block.first + row.line - 1 for block, row in rows]
    full = [_Full(block, row) for block, row in rows]
    columns: dict[str, np.ndarray[Any, np.dtype[Any]]] = {
        "file": np.array([file] * len(rows), dtype=object),
        "line": np.array(lines, dtype=np.int64),
        "end_line": np.array(lines, dtype=np.int64),
        "state": np.array(["exact"] * len(rows), dtype=object),
        "function": np.array([block.name for block, _ in rows], dtype=object),
    }
    for name, (path, kind) in fact_columns().items():
        if wanted is not None and name not in wanted:
            continue
        values = list(map(attrgetter(path), full))
        if kind == "str":
            columns[name] = np.array(values, dtype=object)
        elif kind == "bool":
            columns[name] = np.array(values, dtype=np.bool_)
        else:
            columns[name] = np.array(values, dtype=np.float64)
    return Table(columns)
