"""Edits of a text, as positions that editors and people share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpuadvisor.source.text import LineIndex


@dataclass(frozen=True, order=True)
class TextEdit:
    """Replace what lies between two positions. Lines and columns (in code points) count from 1;
    the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


def at_bytes(index: LineIndex, start: int, end: int, text: str) -> TextEdit:
    """An edit of the bytes from `start` to `end`."""
    return TextEdit(*index.position(start), *index.position(end), text)


def apply_edits(text: str, edits: Sequence[TextEdit]) -> str:
    """The text after all edits; they must not overlap."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    for edit in sorted(edits, reverse=True):
        start = starts[edit.line - 1] + edit.column - 1
        end = starts[edit.end_line - 1] + edit.end_column - 1
        text = text[:start] + edit.text + text[end:]
    return text
