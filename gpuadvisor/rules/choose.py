"""Which of the rows that fired become findings, and which kernel a row belongs to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpuadvisor.evidence.findings import Severity
from gpuadvisor.rules.columns import Floats, Integers, View
from gpuadvisor.rules.evaluation import Scope
from gpuadvisor.rules.model import SEVERITIES, Rule

Position = tuple[str, int, int]
"""File, line and row; the file is empty and the line 0 where they are unknown."""


def choose_rows(
    rule: Rule, scope: Scope, severities: Sequence[Severity], weights: Floats
) -> tuple[Integers, list[list[int]]]:
    """Positions in the scope that become findings, and for each the positions merged into it.

    Rows of lines compete: those that touch are one finding at the best of them, and a kernel
    keeps the rule's `limit` best. In other tables each row is a thing of its own.
    """
    rows = scope.row_numbers
    if rule.scope != "line":
        return np.arange(len(rows)), [[] for _ in range(len(rows))]
    places = _positions(scope.view, rows.tolist())

    def best(index: int) -> tuple[object, ...]:
        return (SEVERITIES.index(severities[index]), -weights[index], places[index])

    by_kernel: dict[int, list[int]] = {}
    for index, kernel in enumerate(scope.view.kernel_row[rows].tolist()):
        by_kernel.setdefault(kernel, []).append(index)
    leads: list[int] = []
    followers: list[list[int]] = []
    for members in by_kernel.values():
        groups = _adjacent(scope.view, members, places) if rule.merge else [[m] for m in members]
        ranked = sorted((sorted(group, key=best) for group in groups), key=lambda g: best(g[0]))
        for group in ranked[: rule.limit]:
            leads.append(group[0])
            followers.append(sorted(group[1:], key=lambda index: places[index]))
    return np.array(leads, dtype=np.int64), followers


def _positions(view: View, rows: Sequence[int]) -> list[Position]:
    files, lines = view.raw("file"), view.raw("line")
    return [
        (
            str(files[row]) if files is not None else "",
            int(lines[row]) if lines is not None and lines[row] >= 1 else 0,
            row,
        )
        for row in rows
    ]


def _adjacent(view: View, members: Sequence[int], places: Sequence[Position]) -> list[list[int]]:
    """Rows in groups whose lines touch or overlap; a row without a place is by itself."""
    ends = view.raw("end_line")
    groups: list[list[int]] = []
    last = ("", 0)
    for index in sorted(members, key=lambda index: places[index]):
        file, line, row = places[index]
        end = line
        if ends is not None and ends[row] >= line:
            end = int(ends[row])
        if file and last[0] == file and line <= last[1] + 1:
            groups[-1].append(index)
            last = (file, max(last[1], end))
        else:
            groups.append([index])
            last = (file if line else "", end)
    return groups


class KernelOf:
    """Id, position, plain name and share of time of the kernel that a row belongs to."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.ids = view.raw("kernel")
        kernels = view.kernels or view
        self.names = kernels.raw("name")
        self.shares = _time_shares(kernels)
        self.functions = view.raw("function")

    def of(self, row: int) -> tuple[str | None, int, str, float]:
        order = int(self.view.kernel_row[row])
        kernel = str(self.ids[row]) if self.ids is not None else ""
        if order < 0 or not kernel:
            return kernel or None, -1, self._function(row), 1.0
        name = str(self.names[order]) if self.names is not None else kernel
        return kernel, order, name, float(self.shares[order])

    def _function(self, row: int) -> str:
        """The function that a row of a source is in."""
        if self.functions is None or self.functions.dtype.kind not in "OU":
            return ""
        return str(self.functions[row])


def _time_shares(kernels: View) -> Floats:
    """Share of each kernel in the time of all; 1 for each where a time is unknown."""
    times, launches = kernels.raw("duration_ns"), kernels.raw("launches")
    if times is None or times.dtype.kind != "f" or np.isnan(times).any() or not times.sum() > 0:
        return np.ones(kernels.length)
    if launches is not None and launches.dtype.kind == "f":
        times = times * np.where(np.isnan(launches), 1.0, launches)
    return np.asarray(times / times.sum(), dtype=np.float64)
