"""The page of one rule: what `gpuadvisor rules show` prints."""

from __future__ import annotations

from collections.abc import Iterator

from gpuadvisor.render.escape import visible
from gpuadvisor.render.layout import BLANK, Line, line, wrap
from gpuadvisor.rules import Rule
from gpuadvisor.rules.model import Level
from gpuadvisor.rules.outline import outline
from gpuadvisor.rules.templates import figures


def rule_page(rule: Rule, width: int) -> Iterator[Line]:
    """The rule as lines: title, explanation, what it looks at, what can be tuned."""
    yield line((rule.code, "label"), f"  {rule.name}  ", (outline(rule.title, rule), "title"))
    levels = " or ".join(dict.fromkeys(level.level for level in rule.severity))
    status = "" if rule.status == "stable" else f", {rule.status}"
    yield line((f"{rule.family}, a {rule.scope} rule, {levels}{status}", "dim"))
    explain = rule.explain
    for heading, text in (
        ("What", explain.what),
        ("Why", explain.why),
        ("What to do", explain.fix),
        ("When this is wrong", explain.wrong_when),
    ):
        yield BLANK
        yield line((heading, "label"))
        yield from wrap(outline(text, rule), width, line("  "))
    yield from _conditions(rule, width)
    yield from _thresholds(rule, width)
    yield from _needs(rule, width)
    yield from _offers(rule, width)


def _conditions(rule: Rule, width: int) -> Iterator[Line]:
    yield BLANK
    if rule.applies:
        yield from wrap(" ".join(rule.applies.split()), width, line(("Speaks of: ", "label")))
    yield line(("Fires when", "label"))
    for condition in rule.when:
        yield from wrap(" ".join(condition.split()), width, line("  "), 6)
    if rule.let:
        yield line(("where", "label"))
        for name, text in rule.let.items():
            yield from wrap(f"{name} = {' '.join(text.split())}", width, line("  "), 6)
    for title, levels in (("Severity", rule.severity), ("Confidence", rule.confidence)):
        yield from wrap(_levels(levels), width, line((f"{title}: ", "label")))


def _levels(levels: tuple[Level, ...]) -> str:
    parts = [
        f"{level.level} if {' '.join(level.when.split())}" if level.when else level.level
        for level in levels
    ]
    return ", else ".join(parts)


def _thresholds(rule: Rule, width: int) -> Iterator[Line]:
    if not rule.thresholds:
        return
    yield BLANK
    yield line(("Thresholds", "label"), (f"  (--set {rule.name}.NAME=VALUE)", "dim"))
    for name, item in rule.thresholds.items():
        unit = f" {item.unit}" if item.unit and item.unit != "ratio" else ""
        yield from wrap(
            item.about, width, line(f"  {name} = {figures(item.value)}{visible(unit)}: ")
        )


def _needs(rule: Rule, width: int) -> Iterator[Line]:
    needs = rule.needs
    parts = []
    if needs.columns:
        parts.append(", ".join(needs.columns))
    if needs.cc:
        parts.append(
            "compute capability " + " and ".join(f"{sign} {cc / 10:.1f}" for sign, cc in needs.cc)
        )
    if needs.line_info:
        parts.append("line information (-lineinfo)")
    if needs.source:
        parts.append("the source")
    if parts:
        yield BLANK
        yield from wrap("; ".join(parts), width, line(("Needs: ", "label")))
    if needs.sections or needs.metrics:
        words = [f"--section {name}" for name in needs.sections]
        words += ["--metrics " + ",".join(needs.metrics)] if needs.metrics else []
        yield from wrap(f"ncu {' '.join(words)}", width, line(("Collect: ", "label")))


def _offers(rule: Rule, width: int) -> Iterator[Line]:
    for title, names in (
        ("Symptoms of it", [fold.rule for fold in rule.folds]),
        ("See also", list(rule.related)),
        ("Tags", list(rule.tags)),
    ):
        if names:
            yield from wrap(", ".join(names), width, line((f"{title}: ", "label")))
    for heading, entries in (
        ("Fixes", [f"{outline(fix.title, rule)} ({fix.applicability})" for fix in rule.fixes]),
        ("References", [f"{item.title}: {item.url}" for item in rule.references]),
    ):
        if entries:
            yield BLANK
            yield line((heading, "label"))
            for entry in entries:
                yield from wrap(entry, width, line("  "), 6)
