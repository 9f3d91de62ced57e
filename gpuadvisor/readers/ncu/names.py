"""The plain name of a function."""

from __future__ import annotations

import re

_UNNAMED = re.compile(r"(\(anonymous namespace\)|<unnamed>|\{anonymous\}|`anonymous namespace')::")
_OPEN, _CLOSE = "(<[{", ")>]}"
_LAST = re.compile(r"([A-Za-z_$~][\w$]*)\s*$")


def plain_name(function: str, demangled: str, mangled: str) -> str:
    """Without return type, namespaces, template arguments and parameters.

    `function` is the report's own short name, which is preferred; older reports and generated
    kernels leave one or two of the three empty.
    """
    for text in (function, demangled, mangled):
        name = _last_identifier(text)
        if name:
            return name
    return function or demangled or mangled


def _last_identifier(text: str) -> str:
    """The identifier before the parameters; they come last, so the first parenthesis that stands
    outside of template arguments opens them."""
    depth = 0
    outside: list[str] = []
    for letter in _UNNAMED.sub("", text):
        if letter == "(" and depth == 0 and outside:
            break
        if letter in _OPEN:
            depth += 1
        elif letter in _CLOSE:
            depth = max(0, depth - 1)
        elif depth == 0:
            outside.append(letter)
    found = _LAST.search("".join(outside))
    return found.group(1) if found else ""
