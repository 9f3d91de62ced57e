"""Where a row's fault stands in the source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

import numpy as np

from gpuadvisor.evidence.findings import Location, Related, State
from gpuadvisor.rules.columns import Floats, View
from gpuadvisor.rules.evaluation import Scope
from gpuadvisor.rules.expressions import ExpressionError, parse_expression
from gpuadvisor.rules.model import Context, Rule

_STATES = ("exact", "moved", "stale", "missing")
Place = tuple["Location | None", "tuple[Related, ...]"]


class ColumnsOf(Mapping[str, "np.ndarray[Any, np.dtype[Any]]"]):
    """The columns of a view by the names that expressions use, for models and locators."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._found: dict[str, np.ndarray[Any, np.dtype[Any]] | None] = {}

    def __getitem__(self, name: str) -> np.ndarray[Any, np.dtype[Any]]:
        column: np.ndarray[Any, np.dtype[Any]] | None = self.get(name)
        if column is None:
            raise KeyError(name)
        return column

    def get(self, name: str, default: Any = None) -> Any:
        """As for any mapping; a model asks for a dozen columns on each row, so it is kept."""
        if name not in self._found:
            self._found[name] = self.view.raw(name)
        column = self._found[name]
        return default if column is None else column

    def __iter__(self) -> Iterator[str]:
        return iter(self.view.table.columns)

    def __len__(self) -> int:
        return len(self.view.table.columns)


def locate_rows(rule: Rule, scope: Scope, columns: ColumnsOf, context: Context) -> list[Place]:
    """The place of each row of the scope, and what else belongs to it."""
    rows = scope.row_numbers.tolist()
    name = rule.locate or ("none" if rule.scope == "kernel" else "line")
    if name in context.locators:
        locator = context.locators[name]
        return [_place(locator(columns, row)) for row in rows]
    if rule.locate_most:
        return _at_most(rule.locate_most, scope, rows)
    if name == "none":
        return [(None, ())] * len(rows)
    if name == "line":
        return [(row_location(columns, row), ()) for row in rows]
    if name == "hottest":
        return _at_most("samples", scope, rows)
    raise ExpressionError(f"there is no locator {name!r}")


def _place(found: Any) -> Place:
    if isinstance(found, tuple):
        location, related = found
        return location, tuple(related)
    return found, ()


def row_location(columns: Mapping[str, Any], row: int) -> Location | None:
    """The location that a row's own columns name, None without a file and a line."""
    file = _text(columns, "file", row)
    line = _whole(columns, "line", row)
    if not file or line is None:
        return None
    state = _text(columns, "state", row)
    return Location(
        file=file,
        line=line,
        end_line=max(line, _whole(columns, "end_line", row) or line),
        column=_whole(columns, "column", row),
        end_column=_whole(columns, "end_column", row),
        state=cast("State", state) if state in _STATES else "missing",
    )


def _text(columns: Mapping[str, Any], name: str, row: int) -> str:
    column = columns.get(name)
    return str(column[row]) if column is not None and column.dtype.kind in "OU" else ""


def _whole(columns: Mapping[str, Any], name: str, row: int) -> int | None:
    column = columns.get(name)
    if column is None or column.dtype.kind not in "iuf":
        return None
    value = float(column[row])
    return int(value) if value >= 1 else None


def _at_most(text: str, scope: Scope, rows: list[int]) -> list[Place]:
    """For each row of a kernel table, the line of that kernel where an expression is greatest."""
    lines = scope.view.lines
    if lines is None:
        return [(None, ())] * len(rows)
    values = Scope(lines, scope.definitions, scope.thresholds).numbers(parse_expression(text))
    columns = ColumnsOf(lines)
    places: list[Place] = []
    for row in rows:
        line = _greatest(values, np.flatnonzero(lines.kernel_row == row))
        places.append((row_location(columns, line) if line is not None else None, ()))
    return places


def _greatest(values: Floats, rows: np.ndarray[Any, Any]) -> int | None:
    """The first of the rows with the greatest value above zero."""
    candidates = np.where(np.isnan(values[rows]), 0.0, values[rows])
    if not len(rows) or not candidates.max() > 0:
        return None
    return int(rows[int(np.argmax(candidates))])
