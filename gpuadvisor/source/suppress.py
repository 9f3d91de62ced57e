"""Comments that silence a rule: `// gpuadvisor: ignore[name, GA101] reason`, `ignore-file[..]`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from gpuadvisor.source.text import LineIndex

_DIRECTIVE = re.compile(
    r"(?P<mark>//|/\*|\#)\s*gpuadvisor\s*:\s*(?P<verb>[\w-]+)\s*(?P<names>\[[^\]\n]*\])?(?P<rest>[^\n]*)"
)


@dataclass(frozen=True)
class Suppression:
    """One comment. `rules` are names or codes, empty for all rules; `target` is the line it
    silences, 0 for the whole file. `line` and columns are those of the comment. `error` is what
    is wrong with it (then it silences nothing)."""

    rules: frozenset[str]
    target: int
    line: int
    column: int
    end_column: int
    reason: str = ""
    error: str = ""


class Suppressions:
    """The suppressions of one file."""

    def __init__(self, items: Iterable[Suppression]) -> None:
        self.items = tuple(items)
        self._by_line: dict[int, list[Suppression]] = {}
        for item in self.items:
            if not item.error:
                self._by_line.setdefault(item.target, []).append(item)

    def find(self, line: int, *names: str, end_line: int | None = None) -> Suppression | None:
        """The first comment that silences one of `names` (rule name, code) on a line, on a
        statement up to `end_line`, or in the file."""
        wanted = {name.casefold() for name in names}
        for at in (0, *range(line, (end_line or line) + 1)):
            for item in self._by_line.get(at, ()):
                if not item.rules or item.rules & wanted:
                    return item
        return None


def parse_suppressions(text: str, python: bool = False) -> Suppressions:
    """All suppression comments of a source. Only comments count, not strings that look like
    one: in C the mark must be outside quotes on its line, in Python likewise."""
    if "gpuadvisor" not in text:
        return Suppressions(())
    lines = text.split("\n")
    items: list[Suppression] = []
    for number, line in enumerate(lines, 1):
        if "gpuadvisor" not in line:
            continue
        match = _DIRECTIVE.search(line)
        if match is None or (match["mark"] == "#") != python or _quoted(line, match.start()):
            continue
        items.append(_suppression(match, lines, number, python))
    return Suppressions(items)


def _suppression(match: re.Match[str], lines: list[str], number: int, python: bool) -> Suppression:
    rest = match["rest"]
    closed = rest.find("*/") if match["mark"] == "/*" else -1
    reason = (rest[:closed] if closed >= 0 else rest).strip(" \t\r:-")
    end = match.start("rest") + closed + 2 if closed >= 0 else len(match.string.rstrip())
    names = match["names"]
    rules = frozenset(
        name.strip().casefold() for name in (names or "")[1:-1].split(",") if name.strip()
    )
    error = ""
    target = 0
    if match["verb"] == "ignore":
        before = match.string[: match.start()].strip()
        after = match.string[end:].strip() if closed >= 0 else ""
        target = number if before or after else _next_code(lines, number, python)
    elif match["verb"] != "ignore-file":
        error = f"unknown directive {match['verb']!r}: use ignore or ignore-file"
    if not error and names is not None and not rules:
        error = "no rule named between the brackets"
    if not error and names is None and "[" in rest:
        error = "the bracket is not closed"
    return Suppression(rules, target, number, match.start() + 1, end + 1, reason, error)


def _next_code(lines: list[str], number: int, python: bool) -> int:
    """The next line with code after a comment that stands alone."""
    marks = ("#",) if python else ("//", "/*", "*", "#pragma")
    for at in range(number, len(lines)):
        stripped = lines[at].strip()
        if stripped and not stripped.startswith(marks):
            return at + 1
    return number


def _quoted(line: str, at: int) -> bool:
    head = re.sub(r"\\.", "", line[:at])
    head = re.sub(r"'.'", "", head)
    return head.count('"') % 2 == 1


def suppression_comment(data: bytes, line: int, rule: str, python: bool = False) -> tuple[int, str]:
    """The edit that silences `rule` on a line: (line to insert before, text with line end), with
    the line's own indentation."""
    body = LineIndex(data).line_bytes(line).decode("utf-8", errors="replace")
    indent = body[: len(body) - len(body.lstrip())]
    return line, f"{indent}{'#' if python else '//'} gpuadvisor: ignore[{rule}]\n"
