"""Sums over the instructions of each source place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Floats = np.ndarray[Any, np.dtype[np.float64]]
Integers = np.ndarray[Any, np.dtype[np.int64]]

NOWHERE = -1


@dataclass(frozen=True)
class Places:
    """The source places of a kernel, sorted by (file, line).

    of: int64[n], the place of each instruction, NOWHERE without one. files, lines, ends: one
    entry a place; `ends` is the last line of the statement. user: whether it is user code.
    related: other positions of the same instructions (the header line inlined at the place).
    """

    of: Integers
    files: tuple[str, ...]
    lines: tuple[int, ...]
    ends: tuple[int, ...]
    user: tuple[bool, ...]
    related: tuple[tuple[tuple[str, int], ...], ...]

    def __len__(self) -> int:
        return len(self.files)

    def sum(self, values: Floats) -> Floats:
        """Sum of a per-instruction column over each place; NaN counts as nothing measured."""
        there = (self.of != NOWHERE) & ~np.isnan(values)
        sums = np.bincount(self.of[there], weights=values[there], minlength=len(self))
        return sums.astype(np.float64)

    def sum_or_nan(self, values: Floats) -> Floats:
        """The same, NaN at places where no instruction has a value."""
        there = (self.of != NOWHERE) & ~np.isnan(values)
        counts = np.bincount(self.of[there], minlength=len(self))
        return np.where(counts > 0, self.sum(values), np.nan)

    def largest(self, values: Floats) -> Floats:
        """Maximum over each place, NaN at places without a value."""
        result = np.full(len(self), -np.inf)
        there = (self.of != NOWHERE) & ~np.isnan(values)
        np.maximum.at(result, self.of[there], values[there])
        return np.where(np.isinf(result), np.nan, result)

    def smallest(self, values: Floats) -> Floats:
        """Minimum over each place, NaN at places without a value."""
        return -self.largest(-values)


def group_places(
    keys: Sequence[tuple[str, int, int, bool] | None],
    related: Sequence[tuple[tuple[str, int], ...]],
    of: Integers,
) -> Places:
    """Places from a key (file, line, end, user) for each distinct chain; `of` maps instructions
    to chains (NOWHERE for none) and None keys lead nowhere."""
    distinct = sorted({key for key in keys if key is not None})
    index = {key: position for position, key in enumerate(distinct)}
    table = np.array([NOWHERE if key is None else index[key] for key in keys] + [NOWHERE], np.int64)
    others: list[dict[tuple[str, int], None]] = [{} for _ in distinct]
    for key, entries in zip(keys, related, strict=True):
        if key is not None:
            others[index[key]].update(dict.fromkeys(entries))
    return Places(
        table[of],
        tuple(key[0] for key in distinct),
        tuple(key[1] for key in distinct),
        tuple(key[2] for key in distinct),
        tuple(key[3] for key in distinct),
        tuple(tuple(sorted(entries)) for entries in others),
    )
