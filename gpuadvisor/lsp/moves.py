"""Where the lines of the analysed text stand in an open document, however it was edited since.

What is equal at the start and the end of the two texts is found by comparing slices, so that an
edit in a long file costs what its surroundings cost; only the middle is aligned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuadvisor.source.moved import LineMap, LineState


@dataclass(frozen=True)
class Moves:
    """A line map of two texts, lines counted from 1: `prefix` equal lines at the start, `suffix`
    at the end, `middle` between them (numbered from 1 within), None when nothing is left."""

    old_length: int
    new_length: int
    prefix: int
    suffix: int
    middle: LineMap | None

    def forward(self, line: int) -> tuple[int, LineState]:
        """Where an analysed line is now: (line, state). A stale line is the edited one in its
        place, 0 when nothing is known to stand there."""
        if not 1 <= line <= self.old_length:
            return 0, "stale"
        if line <= self.prefix:
            return line, "exact"
        if line > self.old_length - self.suffix:
            moved = line + self.new_length - self.old_length
            return moved, "exact" if moved == line else "moved"
        if self.middle is None:
            return 0, "stale"
        at, state = self.middle.line(line - self.prefix)
        now = at + self.prefix if at else 0
        if state != "stale":
            state = "exact" if now == line else "moved"
        return now, state

    def backward(self, line: int) -> tuple[int, LineState] | None:
        """The analysed line that stands at a line of today and its state; None for a new line."""
        if not 1 <= line <= self.new_length:
            return None
        if line <= self.prefix:
            return line, "exact"
        if line > self.new_length - self.suffix:
            was = line - self.new_length + self.old_length
            return was, "exact" if was == line else "moved"
        if self.middle is None:
            return None
        for old, at in enumerate(self.middle.lines, self.prefix + 1):
            if at == line - self.prefix:
                return old, self.forward(old)[1]
        return None


def content_lines(lines: Sequence[str]) -> list[str]:
    """Lines without their ends and the blanks before those."""
    return [line.rstrip() for line in lines]


def moves_between(old: Sequence[str], new: Sequence[str]) -> Moves:
    """The map from `old` to `new`, both as `content_lines` gives them."""
    from gpuadvisor.source.moved import map_lines

    prefix = _equal_start(old, new)
    limit = min(len(old), len(new)) - prefix
    suffix = _equal_end(old, new, limit)
    before, after = old[prefix : len(old) - suffix], new[prefix : len(new) - suffix]
    middle = map_lines(_joined(before), _joined(after)) if before and after else None
    return Moves(len(old), len(new), prefix, suffix, middle)


def _equal_start(old: Sequence[str], new: Sequence[str]) -> int:
    """How many lines are equal from the start: slices are compared in halves, which is far
    faster than a loop over lines."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        half = (low + high + 1) // 2
        if old[low:half] == new[low:half]:
            low = half
        else:
            high = half - 1
    return low


def _equal_end(old: Sequence[str], new: Sequence[str], limit: int) -> int:
    low, high = 0, limit
    while low < high:
        half = (low + high + 1) // 2
        if old[len(old) - half : len(old) - low] == new[len(new) - half : len(new) - low]:
            low = half
        else:
            high = half - 1
    return low


def _joined(lines: Sequence[str]) -> str:
    """Lines as one text in which nothing but the line feeds ends a line."""
    text = "\n".join(lines) + "\n"
    if len(text.splitlines()) == len(lines):
        return text
    return "\n".join(" ".join(line.splitlines()) for line in lines) + "\n"
