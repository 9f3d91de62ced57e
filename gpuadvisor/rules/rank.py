"""Which finding comes first, what follows from what, how many stay warnings, and their names.

The order is total, so the same findings always come out the same way.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from gpuadvisor.evidence.findings import Consequence, Finding
from gpuadvisor.rules.model import SEVERITIES, Fold


@dataclass
class Candidate:
    """A finding before it is ranked.

    order: position of its kernel. share: the kernel's share of the measured time (0..1).
    folds: those of its rule's folds whose condition holds here. kernel_name: plain name, of a
    finding on a source that of the function. row: of the table that the rule was judged on.
    """

    finding: Finding
    order: int
    share: float
    kernel_name: str
    folds: tuple[Fold, ...] = ()
    row: int = -1
    folded: list[Candidate] = field(default_factory=list)

    def key(self) -> tuple[object, ...]:
        """Sorts by the time that removing the fault saves over all kernels, then by severity,
        kernel and place."""
        finding = self.finding
        place = finding.location
        return (
            -finding.weight * self.share,
            SEVERITIES.index(finding.severity),
            self.order,
            finding.code,
            (place.file, place.line, place.column or 0) if place else ("", 0, 0),
            finding.message,
        )


def rank(
    candidates: Sequence[Candidate],
    max_warnings: int,
    source_text: Callable[[str, int], str | None],
) -> list[Finding]:
    """The findings in order, symptoms folded under their causes, with fingerprints."""
    ordered = sorted(candidates, key=Candidate.key)
    roots = _fold(ordered)
    findings = _cap([_with_consequences(candidate) for candidate in roots], max_warnings)
    names = [candidate.kernel_name for candidate in roots]
    return _fingerprints(findings, names, source_text)


def _fold(ordered: Sequence[Candidate]) -> list[Candidate]:
    """A finding takes those that its rule names on the same kernel, unless they are more severe.
    What it takes may come before it: a symptom often weighs more than its cause. Of two rules
    that name each other the first in order wins."""
    groups: dict[tuple[str | None, int], list[Candidate]] = {}
    for candidate in ordered:
        groups.setdefault((candidate.finding.kernel, candidate.order), []).append(candidate)
    taken: set[int] = set()
    for group in groups.values():
        for cause in group:
            if id(cause) in taken or not cause.folds:
                continue
            for effect in group:
                if effect is not cause and id(effect) not in taken and _folds(cause, effect):
                    taken.add(id(effect))
                    cause.folded += [effect, *effect.folded]
                    effect.folded = []
    return [candidate for candidate in ordered if id(candidate) not in taken]


def _folds(cause: Candidate, effect: Candidate) -> bool:
    severity = SEVERITIES.index
    if severity(effect.finding.severity) < severity(cause.finding.severity):
        return False
    # Findings that belong to no kernel have nothing but their place in common.
    near = cause.finding.kernel is None
    return any(
        fold.rule == effect.finding.rule
        and ((fold.at == "kernel" and not near) or _same_line(cause, effect))
        for fold in cause.folds
    )


def _same_line(one: Candidate, other: Candidate) -> bool:
    here, there = one.finding.location, other.finding.location
    if here is None or there is None or here.file != there.file:
        return False
    return here.line <= there.end_line and there.line <= here.end_line


def _with_consequences(candidate: Candidate) -> Finding:
    if not candidate.folded:
        return candidate.finding
    effects = sorted(candidate.folded, key=Candidate.key)
    consequences = tuple(
        Consequence(item.finding.code, item.finding.rule, item.finding.message) for item in effects
    )
    return replace(candidate.finding, consequences=tuple(dict.fromkeys(consequences)))


def _cap(findings: Sequence[Finding], max_warnings: int) -> list[Finding]:
    """Beyond so many warnings a kernel the rest are shown as info."""
    counts: Counter[str | None] = Counter()
    capped = []
    for finding in findings:
        if finding.severity == "warning" and finding.kernel is not None:
            counts[finding.kernel] += 1
            if counts[finding.kernel] > max_warnings:
                finding = replace(finding, severity="info")
        capped.append(finding)
    return capped


def _fingerprints(
    findings: Sequence[Finding],
    kernel_names: Sequence[str],
    source_text: Callable[[str, int], str | None],
) -> list[Finding]:
    """A hash of the rule, the kernel's plain name, the file's name and the line's text, so that
    it survives edits elsewhere in the file; equal ones are numbered by position."""
    stems: list[str] = []
    for finding, name in zip(findings, kernel_names, strict=True):
        parts = [finding.rule, name]
        place = finding.location
        if place is not None:
            text = source_text(place.file, place.line)
            parts.append(place.file.replace("\\", "/").rsplit("/", 1)[-1])
            parts.append(" ".join(text.split()) if text is not None else "")
        stems.append("\x1f".join(parts))
    by_place = sorted(range(len(findings)), key=lambda index: _position(findings[index]))
    seen: Counter[str] = Counter()
    prints = [""] * len(findings)
    for index in by_place:
        stem = stems[index]
        text = f"{stem}\x1f{seen[stem]}"
        seen[stem] += 1
        prints[index] = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
    return [
        replace(finding, fingerprint=print_)
        for finding, print_ in zip(findings, prints, strict=True)
    ]


def _position(finding: Finding) -> tuple[object, ...]:
    place = finding.location
    where = (place.file, place.line, place.column or 0) if place else ("", 0, 0)
    return (where, finding.kernel or "", finding.message)
