"""Tables as expressions see them: numeric columns, three-valued conditions, rows grouped by kernel.

A value of an expression is one of three kinds, each with no dimension (one value for all rows) or
one (a value a row): a float64 array (NaN is unknown), an array of text ("" is unknown), or a Truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuadvisor.evidence import Table

Floats = np.ndarray[Any, np.dtype[np.float64]]
Bools = np.ndarray[Any, np.dtype[np.bool_]]
Integers = np.ndarray[Any, np.dtype[np.int64]]
Texts = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Truth:
    """A condition: where it is true and where it is false; where it is neither it is unknown."""

    true: Bools
    false: Bools

    @staticmethod
    def of(mask: Bools) -> Truth:
        """A condition that is known everywhere."""
        return Truth(mask, ~mask)

    def __getitem__(self, index: Any) -> Truth:
        return Truth(self.true[index], self.false[index])

    @property
    def ndim(self) -> int:
        """0 or 1, as for arrays."""
        return self.true.ndim


Value = Floats | Texts | Truth


def is_text(value: Value) -> bool:
    """Whether a value is text."""
    return not isinstance(value, Truth) and value.dtype.kind in "OUS"


def absent(value: Value) -> bool:
    """Whether a value is that of a column which is not there: unknown, of no kind yet."""
    if isinstance(value, Truth) or value.ndim or value.dtype.kind != "f":
        return False
    return bool(np.isnan(value))


def alike(values: Sequence[Value]) -> list[Value]:
    """The values with absent ones as unknown text where any of the others is text."""
    if not any(is_text(value) for value in values):
        return list(values)
    return [np.asarray("") if absent(value) else value for value in values]


def known(value: Value) -> Bools:
    """Where a value is known."""
    if isinstance(value, Truth):
        return value.true | value.false
    if is_text(value):
        return np.asarray(value != "", dtype=np.bool_)
    return ~np.isnan(value)


def take(value: Value, index: Any) -> Value:
    """The value on the rows of an index or mask."""
    return value[index] if value.ndim else value


def _value(column: np.ndarray[Any, Any]) -> Value:
    kind = column.dtype.kind
    if kind == "b":
        return Truth.of(column)
    if kind == "O" and not all(isinstance(item, str) for item in column.tolist()):
        return np.array([_number(item) for item in column.tolist()], dtype=np.float64)
    if kind in "OU":
        return column
    values = column.astype(np.float64, copy=False)
    if not np.isfinite(values).all():
        values = np.where(np.isfinite(values), values, np.nan)
    return values


def _number(item: object) -> float:
    return float(item) if isinstance(item, (int, float)) else np.nan


class View:
    """A table of one scope, with the kernel table that its rows refer to by `kernel`.

    Converted and broadcast columns are kept, since all rules of a scope read the same ones.
    `lines` is the view of the line table, on the view of the kernel table only.
    """

    def __init__(self, table: Table, kernels: View | None = None) -> None:
        self.table = table
        self.kernels = kernels
        self.lines: View | None = None
        self.length = len(table)
        self._values: dict[str, Value | None] = {}
        self._kernel_row: Integers | None = None
        self._known: dict[str, Bools] = {}
        self.grouped: dict[str, Floats] = {}
        """Results over groups that depend on columns only, kept by the evaluation."""

    def column(self, name: str) -> Value | None:
        """The column an expression means by a name: the table's own, else its kernel's, else
        None. `kernel_<name>` is the kernel's unless the table has a column of that name."""
        if name not in self._values:
            self._values[name] = self._find(name)
        return self._values[name]

    def raw(self, name: str) -> np.ndarray[Any, Any] | None:
        """The same as a plain array of one value a row (booleans stay booleans)."""
        value = self.column(name)
        if value is None:
            return None
        return value.true if isinstance(value, Truth) else value

    def known_of_kernels(self, name: str) -> Bools:
        """For each row of the kernel table, whether a column is known on one of its rows here."""
        if name not in self._known:
            kernels = self.kernels or self
            value = self.column(name)
            if value is None:
                self._known[name] = np.zeros(kernels.length, dtype=np.bool_)
            elif self.kernels is None:
                self._known[name] = known(value)
            else:
                rows = self.kernel_row[known(value)]
                self._known[name] = np.bincount(rows[rows >= 0], minlength=kernels.length) > 0
        return self._known[name]

    def _find(self, name: str) -> Value | None:
        if name in self.table:
            return _value(self.table[name])
        plain = name[len("kernel_") :] if name.startswith("kernel_") else None
        if self.kernels is None:
            return self.column(plain) if plain else None
        for candidate in (name, plain):
            value = self.kernels.column(candidate) if candidate else None
            if value is not None:
                return self._broadcast(value)
        return None

    @property
    def kernel_row(self) -> Integers:
        """Row of the kernel table for each row, -1 where the kernel is not in it."""
        if self._kernel_row is None:
            if self.kernels is None:
                self._kernel_row = np.arange(self.length)
            elif "kernel" not in self.table or not self.kernels.length:
                self._kernel_row = np.full(self.length, -1)
            else:
                self._kernel_row = self._match(self.table["kernel"], self.kernels.table["kernel"])
        return self._kernel_row

    @staticmethod
    def _match(ids: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any]) -> Integers:
        if not len(ids):
            return np.empty(0, dtype=np.int64)
        order = np.argsort(wanted, kind="stable")
        ordered = wanted[order]
        # one lookup a run of equal ids: a line table holds its kernels one after another
        starts = np.flatnonzero(np.concatenate(([True], ids[1:] != ids[:-1])))
        heads = ids[starts]
        place = np.minimum(np.searchsorted(ordered, heads), len(ordered) - 1)
        found = np.where(ordered[place] == heads, order[place], -1)
        return np.repeat(found, np.diff(np.append(starts, len(ids)))).astype(np.int64)

    def _broadcast(self, value: Value) -> Value:
        rows = self.kernel_row
        outside = rows < 0
        if isinstance(value, Truth):
            if not len(value.true):
                return Truth(outside & False, outside & False)
            return Truth(value.true[rows] & ~outside, value.false[rows] & ~outside)
        if not len(value):
            return np.full(len(rows), np.nan)
        spread = value[rows]
        if outside.any():
            spread[outside] = "" if is_text(value) else np.nan
        return spread

    @property
    def groups(self) -> tuple[Integers, int]:
        """The group of each row for `total`, `share` and `highest`, and the number of groups: the
        kernel of a row where the table has kernels of its own, the whole table otherwise."""
        if self.kernels is None or not self.kernels.length:
            return np.zeros(self.length, dtype=np.int64), 1
        return self.kernel_row + 1, self.kernels.length + 1

    def group_sum(self, values: Floats) -> Floats:
        """For each row, the sum over its group; NaN where nothing of the group is known."""
        codes, count = self.groups
        sums, counts = grouped_sum(values, codes, count)
        return np.where(counts > 0, sums, np.nan)[codes]

    def group_max(self, values: Floats) -> Floats:
        """For each row, the greatest value of its group; NaN where nothing is known."""
        codes, count = self.groups
        return grouped_max(values, codes, count)[codes]


def grouped_sum(values: Floats, codes: Integers, count: int) -> tuple[Floats, Integers]:
    """Sum of the known values and their number, a group."""
    there = ~np.isnan(values)
    if there.all():
        plain: Floats = np.bincount(codes, weights=values, minlength=count).astype(np.float64)
        return plain, np.bincount(codes, minlength=count).astype(np.int64)
    weights = np.where(there, values, 0.0)
    sums: Floats = np.bincount(codes, weights=weights, minlength=count).astype(np.float64)
    return sums, np.bincount(codes[there], minlength=count).astype(np.int64)


def grouped_max(values: Floats, codes: Integers, count: int) -> Floats:
    """The greatest known value of each group, NaN where there is none."""
    greatest = np.full(count, np.nan)
    if len(values):
        order = np.argsort(codes, kind="stable")
        ordered = codes[order]
        starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        greatest[ordered[starts]] = np.fmax.reduceat(values[order], starts)
    return greatest
