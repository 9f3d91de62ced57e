"""Bad input as data: what was wrong with a file, and what its owner can do about it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One thing that could not be read or was not there.

    `message` says what is wrong, `hint` the next step (a command where there is one).
    """

    message: str
    hint: str = ""


class UnreadableInput(Exception):
    """Nothing of a file could be used; the command line turns it into exit code 2."""

    def __init__(self, path: str, reason: str, hint: str = "") -> None:
        super().__init__(f"{path}: {reason}" + (f" ({hint})" if hint else ""))
        self.path = path
        self.reason = reason
        self.hint = hint
