"""Where kernels are declared, found in the text alone: cheap enough for every file at once.

The parser is not asked: it would cost a tenth of a second in a long file, for what a kernel's
name and `__global__` (or `def`) before it already tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_COMMENT_OR_TEXT = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL
)
_DECLARED = re.compile(r"__global__\b[^;{}]*?\b([A-Za-z_]\w*)\s*\((?!\()")
_ATTRIBUTES = re.compile(r"\b__?(?:launch_bounds|cluster_dims|maxnreg|block_size)__?\s*\([^)]*\)")
_DEFINED = re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+([A-Za-z_]\w*)", re.MULTILINE)


@dataclass(frozen=True)
class Head:
    """The name in a kernel's declaration: line from 1, columns from 0, end exclusive. `defined`
    is false for a declaration without a body."""

    name: str
    line: int
    column: int
    end_column: int
    defined: bool = True


def find_heads(lines: Sequence[str], names: Iterable[str], python: bool) -> dict[str, Head]:
    """The heads of kernels with these names in a text given as lines; a definition is preferred
    to a declaration, the first to later ones (overloads share a name)."""
    text = "\n".join(line.rstrip("\r\n") for line in lines)
    wanted = set(names)
    if not python:
        text = _COMMENT_OR_TEXT.sub(_blanked, text)
        text = _ATTRIBUTES.sub(_blanked, text)
    heads: dict[str, Head] = {}
    for match in (_DEFINED if python else _DECLARED).finditer(text):
        name = match[1]
        if name not in wanted:
            continue
        start = match.start(1)
        line_start = text.rfind("\n", 0, start) + 1
        head = Head(
            name,
            text.count("\n", 0, start) + 1,
            start - line_start,
            start - line_start + len(name),
            python or _has_body(text, match.end()),
        )
        if name not in heads or (head.defined and not heads[name].defined):
            heads[name] = head
    return heads


def _has_body(text: str, at: int) -> bool:
    """Whether a `{` comes before the next `;` after a parameter list that begins at `at`."""
    body, end = text.find("{", at), text.find(";", at)
    return body >= 0 and (end < 0 or body < end)


def _blanked(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])
