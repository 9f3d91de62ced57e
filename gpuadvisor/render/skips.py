"""Rules that could not be judged: what they lack, and one command that measures it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from gpuadvisor.evidence.findings import Analysis, Skipped

MISSING = "not measured: "
MISSING_SHOWN = 8
KERNELS_IN_PATTERN = 6
MANY = 5
"""From so many rules that could not be judged on, silence is no acquittal."""
_PLAIN_NAME = re.compile(r"[A-Za-z_]\w*\Z")


@dataclass(frozen=True)
class SkippedGroup:
    """Rules skipped on the same kernels; `kernels` is empty when those are all."""

    rules: tuple[str, ...]
    kernels: tuple[str, ...]
    reasons: tuple[str, ...]


def grouped(analysis: Analysis) -> list[SkippedGroup]:
    """Skips merged by the kernels they are about; those about all kernels first, then the
    largest."""
    everywhere = frozenset(kernel.id for kernel in analysis.kernels)
    by_rule: dict[str, list[Skipped]] = {}
    for skip in analysis.skipped:
        by_rule.setdefault(skip.rule, []).append(skip)
    groups: dict[frozenset[str], list[Skipped]] = {}
    for skips in by_rule.values():
        ids = frozenset(s.kernel for s in skips if s.kernel is not None)
        if ids >= everywhere or any(s.kernel is None for s in skips):
            ids = frozenset()
        groups.setdefault(ids, []).extend(skips)
    merged = [
        SkippedGroup(
            rules=tuple(sorted({s.rule for s in skips})),
            kernels=_unique(kernel.name for kernel in analysis.kernels if kernel.id in ids),
            reasons=_reasons(skips),
        )
        for ids, skips in groups.items()
    ]
    return sorted(merged, key=lambda group: (bool(group.kernels), -len(group.rules), group.rules))


def commands(analysis: Analysis) -> list[str]:
    """The commands that collect what was missing, those for ncu merged into one where they run
    the same program; in the order they were first needed."""
    merged: dict[tuple[str, ...], _Command] = {}
    result: list[_Command | str] = []
    for text in _unique(skip.collect for skip in analysis.skipped if skip.collect):
        command = _parse(text)
        if command is None:
            result.append(text)
        elif command.rest in merged:
            merged[command.rest].add(command)
        else:
            merged[command.rest] = command
            result.append(command)
    return [str(command) for command in result]


def without_a_fault(analysis: Analysis) -> tuple[str, str]:
    """What to do next where no rule found a fault, and the command for it, which may be empty."""
    if not analysis.kernels:
        return "no kernel to explain: the inputs hold none that was asked for.", ""
    command = next(iter(commands(analysis)), "")
    blind = {rule for group in grouped(analysis) if not group.kernels for rule in group.rules}
    if command and len(blind) >= MANY:
        text = f"measure what is missing: {len(blind)} rules could not be judged on any kernel."
        return text, command
    return "nothing to change: no rule found a fault worth 5 % of a kernel's time.", ""


def _reasons(skips: Sequence[Skipped]) -> tuple[str, ...]:
    """Reasons without repetition, what was not measured as one list."""
    parts = [part for skip in skips for part in skip.reason.split("; ") if part]
    missing = _unique(
        name
        for part in parts
        if part.startswith(MISSING)
        for name in part.removeprefix(MISSING).split(", ")
    )
    others = _unique(part for part in parts if not part.startswith(MISSING))
    if not missing:
        return others
    more = len(missing) - MISSING_SHOWN
    shown = ", ".join(missing[:MISSING_SHOWN]) + (f" and {more} more" if more > 0 else "")
    return (MISSING + shown, *others)


@dataclass
class _Command:
    """An ncu command: what it collects, of which kernels (None: of all), and the rest."""

    rest: tuple[str, ...]
    sections: list[str] = field(default_factory=list)
    metrics: list[str] = field(default_factory=list)
    source: bool = False
    kernels: list[str] | None = None

    def add(self, other: _Command) -> None:
        self.sections += other.sections
        self.metrics += other.metrics
        self.source = self.source or other.source
        if self.kernels is None or other.kernels is None:
            self.kernels = None
        else:
            self.kernels += other.kernels

    def __str__(self) -> str:
        words = ["ncu"]
        for section in _unique(self.sections):
            words += ["--section", section]
        if self.metrics:
            words += ["--metrics", ",".join(_unique(self.metrics))]
        if self.source:
            words += ["--import-source", "yes"]
        kernels = _unique(self.kernels or ())
        if len(kernels) == 1:
            words += ["-k", kernels[0]]
        elif 1 < len(kernels) <= KERNELS_IN_PATTERN and all(map(_PLAIN_NAME.match, kernels)):
            words += ["-k", f"regex:^({'|'.join(kernels)})$"]
        return shlex.join([*words, *self.rest])


def _parse(text: str) -> _Command | None:
    """The parts of an ncu command, None for any other."""
    try:
        first, *words = shlex.split(text)
    except ValueError:
        return None
    if first != "ncu":
        return None
    rest: list[str] = []
    command = _Command(())
    pending = iter(words)
    for word in pending:
        if word == "--section":
            command.sections.append(next(pending, ""))
        elif word == "--metrics":
            command.metrics += next(pending, "").split(",")
        elif word == "--import-source":
            command.source = next(pending, "") in ("yes", "on", "1")
        elif word == "-k":
            command.kernels = [next(pending, "")]
        else:
            rest.append(word)
    command.rest = tuple(rest)
    return command


def _unique(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(items))
