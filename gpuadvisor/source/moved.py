"""Where the lines of a profiled text are in the text of today.

A patience diff: lines that occur once on both sides anchor the rest, small gaps between anchors
are aligned exactly. Lines compare without their whitespace. What was cut and pasted elsewhere is
found by its text when that is unmistakable.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

LineState = Literal["exact", "moved", "stale"]

_EXACT_CELLS = 250_000
"""Gaps of at most this many (old line, new line) pairs are aligned by difflib."""
_MIN_PASTED = 8
"""A line found elsewhere by its text alone must have this many characters."""


@dataclass(frozen=True)
class LineMap:
    """For each line of the old text (counted from 1) its line in the new one and a state.

    exact: same text at the same number. moved: same text, other number. stale: the text changed
    or is gone; its line is the edited one in the same place, 0 when nothing stands in its place.
    """

    lines: Sequence[int]
    states: Sequence[LineState]

    def line(self, old_line: int) -> tuple[int, LineState]:
        """(new line, state); a line outside the old text is (0, stale)."""
        if 1 <= old_line <= len(self.lines):
            return self.lines[old_line - 1], self.states[old_line - 1]
        return 0, "stale"

    @property
    def matched(self) -> int:
        """How many lines are exact or moved."""
        return sum(state != "stale" for state in self.states)


def map_lines(old: str, new: str) -> LineMap:
    """The line map of two texts. Texts of n and m lines take O((n + m) log n) but for small
    gaps without unique lines, which are bounded."""
    before, after = _normal(old), _normal(new)
    match = [0] * len(before)
    _align(before, after, match)
    _find_pasted(before, after, match)
    states: list[LineState] = [
        "stale" if not at else "exact" if at == number else "moved"
        for number, at in enumerate(match, 1)
    ]
    _place_stale(match, len(after))
    return LineMap(match, states)


def _normal(text: str) -> list[str]:
    return ["".join(line.split()) for line in text.splitlines()]


def _align(before: list[str], after: list[str], match: list[int]) -> None:
    """Fills `match` with new line numbers, 0 where a line has no partner."""
    gaps = [(0, len(before), 0, len(after))]
    while gaps:
        a, b, c, d = gaps.pop()
        while a < b and c < d and before[a] == after[c]:
            match[a] = c + 1
            a, c = a + 1, c + 1
        while a < b and c < d and before[b - 1] == after[d - 1]:
            match[b - 1] = d
            b, d = b - 1, d - 1
        if a == b or c == d:
            continue
        anchors = _anchors(before, after, (a, b, c, d))
        if anchors:
            last, new_last = a, c
            for one, other in anchors:
                match[one] = other + 1
                gaps.append((last, one, new_last, other))
                last, new_last = one + 1, other + 1
            gaps.append((last, b, new_last, d))
        elif (b - a) * (d - c) <= _EXACT_CELLS:
            matcher = SequenceMatcher(None, before[a:b], after[c:d], autojunk=False)
            for block in matcher.get_matching_blocks():
                for step in range(block.size):
                    match[a + block.a + step] = c + block.b + step + 1


def _anchors(
    before: list[str], after: list[str], gap: tuple[int, int, int, int]
) -> list[tuple[int, int]]:
    """Pairs of lines that occur once on each side of the gap, in order on both: the longest
    increasing run (patience sorting)."""
    a, b, c, d = gap
    old_count, new_count = Counter(before[a:b]), Counter(after[c:d])
    place = {after[at]: at for at in range(c, d) if new_count[after[at]] == 1}
    pairs = [
        (at, place[before[at]])
        for at in range(a, b)
        if old_count[before[at]] == 1 and before[at] in place
    ]
    tails: list[int] = []
    tail_pair: list[int] = []
    previous: list[int] = []
    for index, (_, other) in enumerate(pairs):
        position = bisect_left(tails, other)
        previous.append(tail_pair[position - 1] if position else -1)
        if position == len(tails):
            tails.append(other)
            tail_pair.append(index)
        else:
            tails[position] = other
            tail_pair[position] = index
    chain: list[tuple[int, int]] = []
    index = tail_pair[-1] if tail_pair else -1
    while index >= 0:
        chain.append(pairs[index])
        index = previous[index]
    return chain[::-1]


def _find_pasted(before: list[str], after: list[str], match: list[int]) -> None:
    """Partners for lines that left their order: equal, long, and once among the unmatched."""
    taken = set(match)
    old_free = [at for at, partner in enumerate(match) if not partner]
    new_free = [at for at in range(len(after)) if at + 1 not in taken]
    old_count = Counter(before[at] for at in old_free)
    new_count = Counter(after[at] for at in new_free)
    place = {after[at]: at for at in new_free}
    for at in old_free:
        line = before[at]
        if len(line) >= _MIN_PASTED and old_count[line] == 1 and new_count[line] == 1:
            match[at] = place[line] + 1


def _place_stale(match: list[int], new_length: int) -> None:
    """Gives edited lines the line in their place: the n-th of a gap of equal size on both
    sides. Where sizes differ it is not known which line became which, and 0 stays."""
    at = 0
    while at < len(match):
        if match[at]:
            at += 1
            continue
        end = at
        while end < len(match) and not match[end]:
            end += 1
        low = match[at - 1] if at else 0
        high = match[end] if end < len(match) else new_length + 1
        if high - low - 1 == end - at:
            for step in range(end - at):
                match[at + step] = low + 1 + step
        at = end
