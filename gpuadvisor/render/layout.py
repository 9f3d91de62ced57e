"""Lines made of styled spans: what the text view is before it meets a terminal or a file.

Writing to a file needs no terminal library this way, which saves a sixth of the run time.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from typing import Literal

from gpuadvisor.render.escape import visible

Style = Literal["", "title", "warning", "info", "hint", "good", "path", "label", "dim", "mark"]
Span = tuple[str, Style]
Line = tuple[Span, ...]

BLANK: Line = ()
NARROWEST = 20
"""Prose is never squeezed into less than this."""


def line(*spans: Span | str) -> Line:
    """A line of spans; plain text has no style."""
    return tuple((span, "") if isinstance(span, str) else span for span in spans)


def plain(spans: Line) -> str:
    """The text of a line without its styles and trailing blanks. Views escape what they show
    where they measure it; doing it again here changes nothing and misses nothing."""
    return "".join(visible(text) for text, _ in spans).rstrip()


def cells(text: str) -> int:
    """How many columns of a terminal the text takes (wide characters take two)."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def fit(text: str, width: int) -> str:
    """Text cut to a width, with `...` where something is missing."""
    if cells(text) <= width:
        return text
    while text and cells(text) > width - 3:
        text = text[:-1]
    return text + "..."


def fit_middle(text: str, width: int) -> str:
    """Text cut to a width in its middle: the names of instantiations differ at their ends."""
    if cells(text) <= width:
        return text
    head = fit(text, (width - 3) * 3 // 5 + 3)
    tail = ""
    for char in reversed(text):
        if cells(head + char + tail) > width:
            break
        tail = char + tail
    return head + tail


def wrap(text: str, width: int, head: Line = (), hang: int | None = None) -> Iterator[Line]:
    """Prose as lines no wider than `width`, the first after `head`, the others indented by
    `hang` (default: the width of `head`). Line breaks in the text are kept."""
    taken = cells("".join(part for part, _ in head))
    indent = " " * (taken if hang is None else hang)
    width = max(width, len(indent) + NARROWEST)
    if taken > width - NARROWEST:
        yield head
        taken, head = len(indent), line(indent)
    for paragraph in text.strip().splitlines() or [""]:
        first, *rest = textwrap.wrap(
            visible(paragraph),
            width,
            initial_indent="x" * taken,
            subsequent_indent=indent,
            break_on_hyphens=False,
        ) or ["x" * taken]
        yield (*head, (first[taken:], ""))
        yield from (line(piece) for piece in rest)
        taken, head = len(indent), line(indent)


def indented(lines: Iterable[Line], by: int) -> Iterator[Line]:
    """Lines moved to the right; blank ones stay blank."""
    for spans in lines:
        yield (((" " * by, ""), *spans)) if spans else BLANK
