"""Styled lines onto a terminal; the only module that knows rich."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TextIO

from gpuadvisor.render.escape import visible
from gpuadvisor.render.layout import Line, Style

# Of the sixteen colours a terminal's owner has chosen, so that they suit dark and light ones.
STYLES: Mapping[Style, str] = {
    "title": "bold",
    "warning": "bold yellow",
    "info": "blue",
    "hint": "cyan",
    "good": "green",
    "path": "cyan",
    "label": "bold",
    "dim": "dim",
    "mark": "bold yellow",
}


def write(lines: Iterable[Line], stream: TextIO) -> None:
    """Write lines with colours. Lines are never broken: wrapping is the view's business."""
    from rich.console import Console
    from rich.text import Text

    console = Console(
        file=stream, force_terminal=True, markup=False, highlight=False, emoji=False, soft_wrap=True
    )
    for spans in lines:
        text = Text()
        for part, style in spans:
            text.append(visible(part), STYLES.get(style, ""))
        text.rstrip()
        console.print(text)
