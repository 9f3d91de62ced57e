"""What goes wrong with a rule file, told with its place."""

from __future__ import annotations


class RuleError(Exception):
    """A rule file, a threshold or a selection that cannot be used; exit code 2 on the command line.

    `path`, `line`, `column` (from 1, 0 when unknown) and `key` ("thresholds.excess.value") say
    where; empty for what did not come from a file.
    """

    def __init__(
        self, reason: str, *, path: str = "", line: int = 0, column: int = 0, key: str = ""
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.path = path
        self.line = line
        self.column = column
        self.key = key

    def __str__(self) -> str:
        place = self.path
        if self.path and self.line:
            place += f":{self.line}:{self.column}"
        parts = [part for part in (place, self.key) if part]
        return ": ".join([*parts, self.reason])
