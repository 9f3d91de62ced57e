"""Judges every rule on its table and turns the rows that fire into findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gpuadvisor.evidence import Table
from gpuadvisor.evidence.findings import (
    Confidence,
    Estimate,
    EvidenceItem,
    Finding,
    FixOffer,
    Related,
    Severity,
    Skipped,
)
from gpuadvisor.rules.choose import KernelOf, choose_rows
from gpuadvisor.rules.columns import Bools, Floats, Truth, View, is_text
from gpuadvisor.rules.evaluation import Scope
from gpuadvisor.rules.expressions import Expression, ExpressionError, parse_expression
from gpuadvisor.rules.functions import condition
from gpuadvisor.rules.load import RuleSet, rule_error
from gpuadvisor.rules.locate import ColumnsOf, locate_rows
from gpuadvisor.rules.model import Context, Level, Rule
from gpuadvisor.rules.needs import judge_needs
from gpuadvisor.rules.rank import Candidate, rank
from gpuadvisor.rules.templates import parse_template

MAX_RELATED = 8
Keys = tuple[str | int, ...]


def evaluate(
    ruleset: RuleSet, tables: Mapping[str, Table], context: Context | None = None
) -> tuple[list[Finding], list[Skipped]]:
    """Findings in order of what they would save, and what could not be judged.

    `tables` holds a table a scope ("kernel", "line", "report", ...); rules of a scope without a
    table say nothing. RuleError where a rule's values do not fit together.
    """
    context = context or Context()
    candidates, skipped = judge(ruleset, tables, context)
    return rank(candidates, context.max_warnings, context.source_text), skipped


def judge(
    ruleset: RuleSet, tables: Mapping[str, Table], context: Context
) -> tuple[list[Candidate], list[Skipped]]:
    """What fires on the tables, in the order of rules and rows, before it is ranked and folded."""
    views = _views(tables)
    candidates: list[Candidate] = []
    skipped: list[Skipped] = []
    for rule in ruleset.rules:
        for form in forms(rule):
            view = views.get(form.scope)
            if view is not None:
                found, skips = _Judge(form, view, context).run()
                candidates += found
                skipped += skips
    return candidates, skipped


def forms(rule: Rule) -> tuple[Rule, ...]:
    """What a rule says of measurements and what it says of a source alone."""
    return (rule,) if rule.static is None else (rule, rule.static)


def rows_that_fire(rules: Sequence[Rule], table: Table) -> Bools:
    """On which rows of a table any of some rules of its scope fires."""
    view, context = View(table), Context()
    fired = np.zeros(view.length, dtype=np.bool_)
    for rule in rules:
        fired[_Judge(rule, view, context).fired().row_numbers] = True
    return fired


def _views(tables: Mapping[str, Table]) -> dict[str, View]:
    views: dict[str, View] = {}
    kernels = None
    if "kernel" in tables:
        kernels = views["kernel"] = View(tables["kernel"])
    elif "line" in tables and "kernel" in tables["line"]:
        ids = dict.fromkeys(tables["line"]["kernel"].tolist())
        kernels = View(Table({"kernel": np.array(list(ids), dtype=np.str_)}))
    for scope, table in tables.items():
        if scope != "kernel":
            views[scope] = View(table, kernels)
    if "kernel" in views and kernels is not None:
        # without a line table the rules on lines still say what is missing
        views.setdefault("line", View(Table({"kernel": np.empty(0, dtype=np.str_)}), kernels))
        kernels.lines = views["line"]
    return views


class _Judge:
    """One rule on one table."""

    def __init__(self, rule: Rule, view: View, context: Context) -> None:
        self.rule = rule
        self.view = view
        self.context = context
        self.columns = ColumnsOf(view)
        self.keys: Keys = ()

    def run(self) -> tuple[list[Candidate], list[Skipped]]:
        try:
            judged, skipped = judge_needs(self.rule, self.view, self.context, self._applies())
            if not judged.any():
                return [], skipped
            scope = self._scope()
            if not judged.all():
                scope = scope.only(np.flatnonzero(judged))
            scope = self._narrowed(scope)
            return list(self._candidates(scope)) if len(scope) else [], skipped
        except ExpressionError as error:
            raise rule_error(self.rule, self.keys, str(error)) from None

    def fired(self) -> Scope:
        """The rows on which the rule's conditions hold."""
        try:
            return self._narrowed(self._scope())
        except ExpressionError as error:
            raise rule_error(self.rule, self.keys, str(error)) from None

    def _narrowed(self, scope: Scope) -> Scope:
        for index, text in enumerate(self.rule.when):
            scope = scope.narrow(self._expression(text, "when", index))
        return scope

    def _applies(self) -> Bools | None:
        """Of which kernels (for tables without kernels, of which rows) the rule speaks: of all
        but those that it excludes for certain."""
        if not self.rule.applies:
            return None
        thresholds = {name: item.value for name, item in self.rule.thresholds.items()}
        kernels = self.view.kernels if self.rule.scope == "line" else None
        scope = Scope(kernels or self.view, {}, thresholds)
        value = condition(scope.value(self._expression(self.rule.applies, "applies")))
        return ~value.false

    def _scope(self) -> Scope:
        lets = {name: self._expression(text, "let", name) for name, text in self.rule.let.items()}
        thresholds = {name: item.value for name, item in self.rule.thresholds.items()}
        return Scope(self.view, lets, thresholds)

    def _expression(self, text: str, *keys: str | int) -> Expression:
        self.keys = keys
        return parse_expression(text)

    def _fill(self, text: str, scope: Scope, *keys: str | int) -> list[str]:
        self.keys = keys
        return parse_template(text).fill(scope)

    def _candidates(self, fired: Scope) -> Iterator[Candidate]:
        rule = self.rule
        estimates = self._estimates(fired)
        weights = self._weights(fired, estimates)
        severities = self._severities(fired, estimates, weights)
        leads, followers = choose_rows(rule, fired, severities, weights)
        scope = fired.only(fired.row_numbers[leads])
        texts = [
            self._fill(text, scope, *keys)
            for text, keys in (
                (rule.title, ("title",)),
                (rule.message, ("message",)),
                (rule.explain.why, ("explain", "why")),
                (rule.explain.fix, ("explain", "fix")),
            )
        ]
        confidences = self._levels(scope, rule.confidence, "confidence")
        evidence, fixes = self._evidence(scope), self._fixes(scope)
        self.keys = ("locate",)
        places = locate_rows(rule, scope, self.columns, self.context)
        related = self._related(fired, followers)
        folds = [self._truths(scope, item.when, "folds", i) for i, item in enumerate(rule.folds)]
        kernels = KernelOf(self.view)
        for index, lead in enumerate(leads.tolist()):
            row = int(fired.row_numbers[lead])
            title, message, why, fix = (column[index] for column in texts)
            place, others = places[index]
            kernel, order, name, share = kernels.of(row)
            finding = Finding(
                code=rule.code,
                rule=rule.name,
                severity=severities[lead],
                confidence=_confidence(confidences[index]),
                kernel=kernel,
                location=place,
                title=title,
                message=message,
                why=why,
                fix=fix,
                evidence=evidence[index],
                estimate=estimates[lead],
                related=(*others, *related[index])[:MAX_RELATED],
                fixes=fixes[index],
                weight=float(weights[lead]),
            )
            active = tuple(
                item for item, holds in zip(rule.folds, folds, strict=True) if holds[index]
            )
            yield Candidate(finding, order, share, name, active, row)

    def _estimates(self, scope: Scope) -> list[Estimate | None]:
        spec = self.rule.estimate
        if spec is None:
            return [None] * len(scope)
        if spec.speedup is not None:
            low, high = (
                scope.numbers(self._expression(text, "estimate", "speedup", index)).tolist()
                for index, text in enumerate(spec.speedup)
            )
            basis = self._fill(spec.basis, scope, "estimate", "basis")
            return [_estimate(*item) for item in zip(low, high, basis, strict=True)]
        model = self.context.models.get(spec.model)
        if model is None:
            self.keys = ("estimate", "model")
            raise ExpressionError(f"there is no model {spec.model!r}")
        inputs: dict[str, list[Any]] = {}
        for name, text in spec.inputs.items():
            value = scope.value(self._expression(text, "estimate", "inputs", name))
            if isinstance(value, Truth):
                value = np.where(value.true, 1.0, np.where(value.false, 0.0, np.nan))
            inputs[name] = value.tolist()
        estimates = []
        for index, row in enumerate(scope.row_numbers.tolist()):
            values = {name: column[index] for name, column in inputs.items()}
            estimates.append(model(self.columns, row, values))
        return estimates

    def _weights(self, scope: Scope, estimates: Sequence[Estimate | None]) -> Floats:
        weights = np.zeros(len(scope))
        if self.rule.weight:
            given = scope.numbers(self._expression(self.rule.weight, "weight"))
            weights = np.clip(np.nan_to_num(given, nan=0.0), 0.0, 1.0)
        for index, estimate in enumerate(estimates):
            if estimate is not None:
                low, high = estimate.speedup
                weights[index] = max(0.0, 1.0 - 1.0 / (low * high) ** 0.5)
        return weights

    def _levels(self, scope: Scope, levels: Sequence[Level], key: str) -> list[str]:
        chosen = np.full(len(scope), len(levels) - 1)
        for index in range(len(levels) - 2, -1, -1):
            chosen[self._truths(scope, levels[index].when, key, index)] = index
        return [levels[index].level for index in chosen.tolist()]

    def _truths(self, scope: Scope, text: str, key: str, index: int) -> Any:
        if not text:
            return np.ones(len(scope), dtype=np.bool_)
        return scope.truth(self._expression(text, key, index, "when"))

    def _severities(
        self, scope: Scope, estimates: Sequence[Estimate | None], weights: Floats
    ) -> list[Severity]:
        """The rule's levels, but a warning only for a gain that is worth one."""
        rule = self.rule
        levels = [_severity(level) for level in self._levels(scope, rule.severity, "severity")]
        if rule.scope not in ("kernel", "line") or not (rule.estimate or rule.weight):
            return levels
        for index, level in enumerate(levels):
            unknown = rule.estimate is not None and estimates[index] is None
            gain = estimates[index]
            worth = 1.0 - 1.0 / gain.speedup[0] if gain is not None else weights[index]
            small = worth < self.context.min_gain
            if level == "warning" and (unknown or small):
                levels[index] = "info"
        return levels

    def _related(self, fired: Scope, followers: Sequence[Sequence[int]]) -> list[list[Related]]:
        flat = [index for group in followers for index in group[:MAX_RELATED]]
        if not flat:
            return [[] for _ in followers]
        rows = fired.row_numbers[np.array(flat, dtype=np.int64)]
        messages = iter(self._fill(self.rule.message, fired.only(rows), "message"))
        self.keys = ("locate",)
        places = iter(locate_rows(self.rule, fired.only(rows), self.columns, self.context))
        related: list[list[Related]] = []
        for group in followers:
            entries = []
            for _index in group[:MAX_RELATED]:
                message = next(messages)
                place, _ = next(places)
                if place is not None:
                    entries.append(Related(place.file, place.line, message))
            related.append(entries)
        return related

    def _evidence(self, scope: Scope) -> list[tuple[EvidenceItem, ...]]:
        rows: list[list[EvidenceItem]] = [[] for _ in range(len(scope))]
        for index, spec in enumerate(self.rule.evidence):
            value = scope.value(self._expression(spec.value, "evidence", index, "value"))
            limit = self.rule.thresholds[spec.threshold].value if spec.threshold else None
            if isinstance(value, Truth):
                value = np.where(value.true, "yes", np.where(value.false, "no", ""))
            there = value != "" if is_text(value) else ~np.isnan(value)
            for entries, item, known in zip(rows, value.tolist(), there.tolist(), strict=True):
                if known:
                    entries.append(EvidenceItem(spec.metric, item, spec.unit, limit))
        return [tuple(entries) for entries in rows]

    def _fixes(self, scope: Scope) -> list[tuple[FixOffer, ...]]:
        rows: list[list[FixOffer]] = [[] for _ in range(len(scope))]
        for index, spec in enumerate(self.rule.fixes):
            holds = self._truths(scope, spec.when, "fixes", index)
            titles = self._fill(spec.title, scope, "fixes", index, "title")
            for entries, title, offered in zip(rows, titles, holds.tolist(), strict=True):
                if offered:
                    entries.append(FixOffer(spec.id, title, spec.applicability))
        return [tuple(entries) for entries in rows]


def _estimate(low: float, high: float, basis: str) -> Estimate | None:
    if not (np.isfinite(low) and np.isfinite(high)):
        return None
    low, high = max(1.0, min(low, high)), max(1.0, low, high)
    return Estimate((low, high), basis)


def _severity(level: str) -> Severity:
    return "warning" if level == "warning" else "info" if level == "info" else "hint"


def _confidence(level: str) -> Confidence:
    return "high" if level == "high" else "medium" if level == "medium" else "low"
