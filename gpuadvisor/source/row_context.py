"""What the rows of one function share: its records in all views, and its loops by place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpuadvisor.source.function_facts import FunctionFacts
from gpuadvisor.source.records import Access, FunctionRecords, Loop

MEMORY = ("global", "generic")


@dataclass(frozen=True)
class RowContext:
    """A function as its rows see it: `main` is the view they mostly speak of, `data` its text."""

    facts: FunctionFacts
    kind: str
    called: bool
    block: tuple[int | None, int | None, int | None]

    @property
    def main(self) -> FunctionRecords:
        """The first view: the first call of a device function, a kernel itself."""
        return self.facts.views[0]

    @property
    def data(self) -> bytes:
        """The function's text."""
        return self.facts.index.data

    def text(self, start: int, end: int) -> str:
        """A piece of the function on one line."""
        from gpuadvisor.source.text import one_line

        return one_line(self.data[start:end])

    def accesses(self) -> Iterable[Access]:
        """The accesses of all views."""
        for view in self.facts.views:
            yield from view.accesses

    def loops_at(self, offset: int) -> list[Loop]:
        """The loops whose body holds an offset, outermost first."""
        return sorted(
            (one for one in self.main.loops if one.start <= offset < one.end),
            key=lambda one: one.start,
        )

    def loops_in(self, start: int, end: int) -> list[Loop]:
        """The loops inside a range."""
        return [one for one in self.main.loops if start <= one.start and one.end <= end]
