"""The plain name of a function."""

from __future__ import annotations

import re

_OPEN, _CLOSE = "(<[{", ")>]}"
_OPERATOR = re.compile(r"\boperator\s*(\(\)|\[\]|<=>|<<=?|>>=?|<=?|>=?|->\*?|[^\s\w(]+)")
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
    if found := _OPERATOR.search(text):
        return re.sub(r"\s+", "", found.group(0))
    depth = 0
    outside = []
    for letter in text:
        if letter in _OPEN:
            # what stands before the parameters is the name, and parameters come last
            if letter == "(" and depth == 0 and "".join(outside).strip(": "):
                break
            depth += 1
        elif letter in _CLOSE:
            depth = max(0, depth - 1)
        elif depth == 0:
            outside.append(letter)
    found = _LAST.search("".join(outside))
    return found.group(1) if found else ""
