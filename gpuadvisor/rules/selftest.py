"""Runs the checks that a rule carries: rows made up by its author and what must come of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gpuadvisor.evidence import Table
from gpuadvisor.evidence.findings import Finding, Skipped
from gpuadvisor.facts.source_table import blank_row
from gpuadvisor.rules.engine import evaluate, forms
from gpuadvisor.rules.errors import RuleError
from gpuadvisor.rules.load import RuleSet
from gpuadvisor.rules.locate import row_location
from gpuadvisor.rules.model import Context, Model, Rule

Row = Mapping[str, Any]

KERNEL = "kernel"
"""The id of the kernel that a row belongs to when it names none."""

DEFAULTS: Row = {"cc": 90.0}
"""What a kernel has unless the check says otherwise."""


@dataclass(frozen=True)
class Outcome:
    """One check of one rule; `failure` is empty when it holds."""

    rule: str
    test: str
    failure: str = ""


def run_tests(rule: Rule, models: Mapping[str, Model]) -> list[Outcome]:
    """The outcome of each of the rule's checks, in order."""
    outcomes = []
    for form in forms(rule):
        for test in form.tests:
            try:
                failure = _failure(replace(form, static=None), test, models)
            except RuleError as error:
                failure = str(error)
            outcomes.append(Outcome(rule.name, str(test["name"]), failure))
    return outcomes


def _failure(rule: Rule, test: Mapping[str, Any], models: Mapping[str, Model]) -> str:
    for name, value in test.get("thresholds", {}).items():
        changed = replace(rule.thresholds[name], value=float(value))
        rule = replace(rule, thresholds={**rule.thresholds, name: changed})
    # the checks have no source: every locator stands for the row's own place
    locators = {rule.locate: row_location} if rule.locate not in ("", "none", "hottest") else {}
    ruleset = RuleSet((rule,), (), "")
    findings, skipped = evaluate(
        ruleset, _tables(rule, test), Context(models=models, locators=locators)
    )
    return _difference(test, findings, skipped)


def _difference(
    test: Mapping[str, Any], findings: Sequence[Finding], skipped: Sequence[Skipped]
) -> str:
    if test.get("skipped"):
        return "" if skipped and not findings else "it was to be skipped, but it was judged"
    if skipped:
        return f"skipped: {skipped[0].reason}"
    wanted = test["fires"]
    count = len(findings)
    if isinstance(wanted, bool):
        if wanted != bool(count):
            return "it was to fire, but did not" if wanted else f"it fired: {findings[0].message}"
    elif wanted != count:
        return f"{wanted} findings were to come, {count} came"
    if not findings:
        return ""
    first = findings[0]
    line = first.location.line if first.location else None
    got = {"severity": first.severity, "confidence": first.confidence, "line": line}
    for key, value in got.items():
        if key in test and test[key] != value:
            return f"{key} was to be {test[key]}, it is {value}"
    if test.get("message", "") not in first.message:
        return f"{test['message']!r} is not in the message {first.message!r}"
    return ""


def _tables(rule: Rule, test: Mapping[str, Any]) -> dict[str, Table]:
    rows = [dict(row) for row in test.get("rows", [test.get("row")])]
    lines = [dict(row) for row in test.get("lines", ())]
    if rule.scope == "kernel":
        kernels = [{"kernel": f"{KERNEL}{index or ''}", **row} for index, row in enumerate(rows)]
        kernels = [{**DEFAULTS, "name": row["kernel"], **row} for row in kernels]
        lines = [{"kernel": KERNEL, "file": "sample.cu", "line": 1, **row} for row in lines]
        return {"kernel": _table(kernels), **({"line": _table(lines)} if lines else {})}
    tables: dict[str, Table] = {}
    if rule.scope == "source":
        rows = [{"file": "sample.cu", "line": 1, **blank_row(), **row} for row in rows]
    if rule.scope == "line":
        rows = [{"kernel": KERNEL, "file": "sample.cu", "line": 1, **row} for row in rows]
    if rule.scope == "line" or "kernel" in test:
        ids = dict.fromkeys(str(row.get("kernel", KERNEL)) for row in rows)
        given = test.get("kernel", {})
        own = [{**DEFAULTS, "name": name, **given, "kernel": name} for name in ids]
        tables["kernel"] = _table(own)
    return {**tables, rule.scope: _table(rows)}


def _table(rows: Sequence[Row]) -> Table:
    """Rows as columns: text where there is text, booleans where all are, numbers otherwise."""
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {}
    for name in names:
        values = [row.get(name) for row in rows]
        if any(isinstance(value, str) for value in values):
            texts = ["" if value is None else str(value) for value in values]
            columns[name] = np.array(texts, dtype=np.str_)
        elif all(isinstance(value, bool) for value in values):
            columns[name] = np.array(values, dtype=np.bool_)
        else:
            numbers = [np.nan if value is None else float(value) for value in values]
            columns[name] = np.array(numbers, dtype=np.float64)
    return Table(columns)
