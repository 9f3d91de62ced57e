"""Scores an analysis against labels: expected findings found, forbidden warnings not given.

A label file has `reports`: {report path: [{kernel, nth, expect: [{any_of, lines}],
forbid_warning}]}; a kernel of null means the report. An expectation is met by a finding of
severity warning or info whose rule is in `any_of` and, unless `lines` is null, whose file name
and line are among them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from gpuadvisor.evidence.findings import Analysis, Finding


@dataclass(frozen=True)
class Miss:
    """One label that did not hold: `kind` is "missed" or "forbidden"."""

    kind: str
    report: str
    kernel: str
    rule: str
    detail: str


def score(analysis: Analysis, report: str, labels: Sequence[Mapping[str, Any]]) -> list[Miss]:
    """What of a report's labels does not hold for its analysis."""
    misses = []
    for label in labels:
        whole = label["kernel"] is None
        kernel = None if whole else _kernel(analysis, label)
        name = "report" if whole else f"{label['kernel']}[{label['nth']}]"
        if kernel is None and not whole:
            misses.append(Miss("missed", report, name, "", "no such kernel"))
            continue
        # what a label says of a report may be told of one of its kernels
        mine = [one for one in analysis.findings if whole or one.kernel == kernel]
        for expected in label["expect"]:
            if not any(_meets(finding, expected) for finding in mine):
                told = [_told(finding) for finding in mine]
                rules = "|".join(expected["any_of"])
                misses.append(Miss("missed", report, name, rules, f"found {told}"))
        for finding in mine:
            if finding.severity == "warning" and finding.rule in label["forbid_warning"]:
                misses.append(Miss("forbidden", report, name, finding.rule, _told(finding)))
    return misses


def _kernel(analysis: Analysis, label: Mapping[str, Any]) -> str | None:
    found = [kernel.id for kernel in analysis.kernels if kernel.name == label["kernel"]]
    return found[label["nth"]] if label["nth"] < len(found) else None


def _meets(finding: Finding, expected: Mapping[str, Any]) -> bool:
    if finding.severity not in ("warning", "info") or finding.rule not in expected["any_of"]:
        return False
    if expected["lines"] is None:
        return True
    place = finding.location
    if place is None:
        return False
    name = PurePosixPath(place.file.replace("\\", "/")).name
    return any(name == file and place.line == line for file, line in expected["lines"])


def _told(finding: Finding) -> str:
    place = finding.location
    where = f"{PurePosixPath(place.file).name}:{place.line}" if place else "-"
    return f"{finding.severity} {finding.rule} {where}"
