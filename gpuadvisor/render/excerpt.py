"""The lines of source around a finding, with the columns it is about underlined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpuadvisor.evidence.findings import Location, Related
from gpuadvisor.render.escape import code_line
from gpuadvisor.render.layout import cells

CONTEXT = 1
STATEMENT_LINES = 4
NEAR_LINES = 12


@dataclass(frozen=True)
class Row:
    """One line of source. `marks` lies under `text` column by column: `^` where the finding is,
    `-` where a related place is, with `label` after it. `number` is None where lines are left
    out."""

    number: int | None
    text: str
    marks: str = ""
    label: str = ""


def excerpt(
    sources: Mapping[str, str],
    location: Location,
    related: Sequence[Related] = (),
    context: int = CONTEXT,
) -> list[Row]:
    """The rows for a location and those of `related` that are near it in the same file, with
    `context` lines around the location; empty when the source is not at hand or has no such
    line."""
    text = sources.get(location.file)
    if text is None:
        return []
    # Not splitlines(): compilers count newlines only, not form feeds or Unicode separators.
    lines = text.split("\n")
    if not 1 <= location.line <= len(lines):
        return []
    end = min(max(location.end_line, location.line), len(lines))
    marks: dict[int, tuple[str, str]] = {}
    for place in near(location, related):
        if place.line <= len(lines):
            under = _under(lines[place.line - 1], None, None, "-")
            marks[place.line] = (under, place.message)
    for number in range(location.line, min(end, location.line + STATEMENT_LINES - 1) + 1):
        first = location.column if number == location.line else None
        last = location.end_column if number == location.end_line else None
        marks[number] = (_under(lines[number - 1], first, last, "^"), "")
    shown = set(marks)
    shown.update(range(location.line - context, location.line + context + 1))
    return _rows(lines, sorted(n for n in shown if 1 <= n <= len(lines)), marks)


def near(location: Location, related: Sequence[Related]) -> list[Related]:
    """The related places that the excerpt of `location` shows by itself."""
    return [
        place
        for place in related
        if place.file == location.file
        and place.line > 0
        and 0 < abs(place.line - location.line) <= NEAR_LINES
    ]


def _rows(
    lines: Sequence[str], numbers: Sequence[int], marks: Mapping[int, tuple[str, str]]
) -> list[Row]:
    rows: list[Row] = []
    previous = None
    for number in numbers:
        if previous is not None and number == previous + 2:
            # Leaving one line out would save nothing.
            rows.append(Row(number - 1, code_line(lines[number - 2])))
        elif previous is not None and number > previous + 1:
            rows.append(Row(None, "..."))
        under, label = marks.get(number, ("", ""))
        rows.append(Row(number, code_line(lines[number - 1]), under, label))
        previous = number
    while rows and not rows[0].text and not rows[0].marks:
        rows.pop(0)
    while rows and not rows[-1].text and not rows[-1].marks:
        rows.pop()
    return rows


def _under(raw: str, column: int | None, end_column: int | None, mark: str) -> str:
    """Marks below characters column..end_column-1 (1-based; None: the ends of what is written)
    of a line, in the columns that `code_line` shows them in."""
    body = raw.rstrip()
    first = len(body) - len(body.lstrip()) if column is None else column - 1
    last = len(body) if end_column is None else end_column - 1
    if not 0 <= first < len(body):
        first = len(body) - len(body.lstrip())
    last = min(last, len(body)) if last > first else len(body)
    before = cells(code_line(body[:first] + "|")) - 1
    width = cells(code_line(body[:last] + "|")) - 1 - before
    return " " * before + mark * max(width, 1)
