"""Collects what could not be read; grows while lazily decoded parts are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from gpuadvisor.evidence import Problem

_MOST = 50


class ProblemLog(Sequence[Problem]):
    """Problems in the order they were met, each once, at most fifty and a count of the rest."""

    def __init__(self) -> None:
        self._problems: list[Problem] = []
        self._seen: set[Problem] = set()

    def add(self, message: str, hint: str = "") -> None:
        problem = Problem(message, hint)
        if problem in self._seen:
            return
        self._seen.add(problem)
        if len(self._problems) < _MOST:
            self._problems.append(problem)

    def _all(self) -> list[Problem]:
        more = len(self._seen) - len(self._problems)
        if not more:
            return self._problems
        return [*self._problems, Problem(f"{more:,} more problems of this file are not listed")]

    @overload
    def __getitem__(self, index: int) -> Problem: ...
    @overload
    def __getitem__(self, index: slice) -> list[Problem]: ...
    def __getitem__(self, index: int | slice) -> Problem | list[Problem]:
        return self._all()[index]

    def __len__(self) -> int:
        return len(self._all())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(tuple(self._all()))
