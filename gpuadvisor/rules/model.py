"""A rule as data, and what a caller gives to the engine beside the tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from gpuadvisor.evidence.findings import (
    Applicability,
    Confidence,
    Estimate,
    Location,
    Related,
    Severity,
)

Status = Literal["preview", "stable", "deprecated"]
Columns = Mapping[str, np.ndarray[Any, np.dtype[Any]]]

Model = Callable[[Columns, int, Mapping[str, Any]], "Estimate | None"]
"""(columns, row, inputs) -> what removing the fault would gain, None when it cannot be said.
Inputs are numbers (NaN where unknown) or texts."""

Located = tuple["Location | None", "tuple[Related, ...]"]
Locator = Callable[[Columns, int], "Location | Located | None"]
"""(columns, row) -> where the fault of that row stands in the source."""

SEVERITIES: tuple[Severity, ...] = ("warning", "info", "hint")
CONFIDENCES: tuple[Confidence, ...] = ("high", "medium", "low")


@dataclass(frozen=True)
class Threshold:
    """A number that a user may tune; `value` is the one in force."""

    value: float
    unit: str
    about: str


@dataclass(frozen=True)
class Needs:
    """What must have been measured for a rule to be judged. `cc` holds (sign, 10 * major + minor)
    pairs that must all hold."""

    columns: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    cc: tuple[tuple[str, int], ...] = ()
    line_info: bool = False
    source: bool = False


@dataclass(frozen=True)
class Level:
    """One level of a severity or confidence; `when` is empty for "otherwise"."""

    level: str
    when: str = ""


@dataclass(frozen=True)
class Explain:
    """The explanation; `why` and `fix` are templates."""

    what: str
    why: str
    fix: str
    wrong_when: str


@dataclass(frozen=True)
class EvidenceSpec:
    """A number to show with a finding; `threshold` names the threshold it was held against."""

    metric: str
    value: str
    unit: str = ""
    threshold: str = ""


@dataclass(frozen=True)
class EstimateSpec:
    """Either a model of the registry with its inputs, or two expressions and a basis."""

    model: str = ""
    inputs: Mapping[str, str] = field(default_factory=dict)
    speedup: tuple[str, str] | None = None
    basis: str = ""


@dataclass(frozen=True)
class Fold:
    """A rule whose findings follow from this one's; `at` is "kernel" or "line"."""

    rule: str
    when: str = ""
    at: str = "kernel"


@dataclass(frozen=True)
class FixSpec:
    """A fix to offer; `title` is a template, `when` says for which rows (empty: all)."""

    id: str
    title: str
    applicability: Applicability
    when: str = ""


@dataclass(frozen=True)
class Reference:
    """Something to read."""

    title: str
    url: str


@dataclass(frozen=True)
class Rule:
    """One rule. Expressions and templates are kept as texts and parsed when first used: most
    rules of a run do not fire, and their explanations are never needed.

    `applies` says of which kernels the rule speaks at all (empty: of all); on the others it is
    neither judged nor skipped. `static` is what the rule says of a source alone, as a rule of
    scope source with the same name and code; `refuted` on which measured kernels such a rule
    that nothing measures is wrong."""

    code: str
    name: str
    status: Status
    since: str
    title: str
    family: str
    scope: str
    severity: tuple[Level, ...]
    confidence: tuple[Level, ...]
    message: str
    explain: Explain
    when: tuple[str, ...]
    overrides: str = ""
    applies: str = ""
    needs: Needs = Needs()
    thresholds: Mapping[str, Threshold] = field(default_factory=dict)
    let: Mapping[str, str] = field(default_factory=dict)
    weight: str = ""
    locate: str = ""
    locate_most: str = ""
    limit: int = 3
    merge: bool = True
    evidence: tuple[EvidenceSpec, ...] = ()
    estimate: EstimateSpec | None = None
    folds: tuple[Fold, ...] = ()
    related: tuple[str, ...] = ()
    fixes: tuple[FixSpec, ...] = ()
    references: tuple[Reference, ...] = ()
    tags: tuple[str, ...] = ()
    glossary: tuple[str, ...] = ()
    tests: tuple[Mapping[str, Any], ...] = ()
    path: str = ""
    refuted: str = ""
    static: Rule | None = None


@dataclass(frozen=True)
class Context:
    """What the engine asks of its caller.

    models, locators: by the names that rules use.
    source_text: (file, line) -> the text of that line, None when it is not at hand.
    sections: canonical columns -> the sections that collect them, for the command of a skip.
    command: the program to profile, as it is shown in such a command.
    max_warnings: findings a kernel that stay warnings.
    min_gain: share of a kernel's time that a warning must be worth.
    """

    models: Mapping[str, Model] = field(default_factory=dict)
    locators: Mapping[str, Locator] = field(default_factory=dict)
    source_text: Callable[[str, int], str | None] = lambda file, line: None
    sections: Callable[[Iterable[str]], Sequence[str]] = lambda columns: ()
    command: str = "./app"
    max_warnings: int = 5
    min_gain: float = 0.05
