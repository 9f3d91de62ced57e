"""Turns the data of a rule file into a Rule. The data is expected to fit the schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gpuadvisor.rules.model import (
    EstimateSpec,
    EvidenceSpec,
    Explain,
    FixSpec,
    Fold,
    Level,
    Needs,
    Reference,
    Rule,
    Threshold,
)

_CC = re.compile(r"(>=|<=|==|>|<)(\d+)\.(\d)")


def build_rule(data: Mapping[str, Any], path: str) -> Rule:
    """The rule that a file's data describes; KeyError or TypeError where it does not fit."""
    rule = _build(data, path)
    if "static" not in data:
        return rule
    return replace(rule, static=_build(static_data(data), path))


def static_data(data: Mapping[str, Any]) -> dict[str, Any]:
    """The data of a rule's `static` block as that of a rule on sources. What the block does not
    say it takes over from the rule."""
    static, explain = data["static"], data["explain"]
    kept = ("code", "name", "status", "since", "family", "title", "thresholds", "related",
            "references", "tags", "glossary")  # fmt: skip
    made = {key: data[key] for key in kept if key in data}
    made |= {"scope": "source", "severity": "hint", "confidence": "medium"}
    made |= {key: value for key, value in static.items() if key not in ("why", "fix")}
    made["explain"] = {
        "what": explain["what"],
        "why": static.get("why", WHY),
        "fix": static.get("fix", explain["fix"]),
        "wrong_when": explain["wrong_when"],
    }
    return made


WHY = "Read off the source: nothing was measured, and a profile may find that it costs nothing."
"""Why a hint is given, where its rule has no better words."""


def _build(data: Mapping[str, Any], path: str) -> Rule:
    explain = data["explain"]
    estimate = data.get("estimate")
    locate = data.get("locate", "")
    when = data["when"]
    return Rule(
        code=data["code"],
        name=data["name"],
        overrides=data.get("overrides", ""),
        status=data["status"],
        since=data["since"],
        title=data["title"],
        family=data["family"],
        scope=data["scope"],
        applies=expression(data.get("applies", "")),
        needs=_needs(data.get("needs", {})),
        thresholds={
            name: Threshold(float(entry["value"]), entry.get("unit", ""), entry["about"].strip())
            for name, entry in data.get("thresholds", {}).items()
        },
        let={name: expression(text) for name, text in data.get("let", {}).items()},
        when=tuple(expression(text) for text in (when if isinstance(when, list) else [when])),
        severity=_levels(data["severity"]),
        confidence=_levels(data["confidence"]),
        weight=expression(data.get("weight", "")),
        locate="" if isinstance(locate, dict) else locate,
        locate_most=expression(locate["most"]) if isinstance(locate, dict) else "",
        limit=data.get("limit", 3),
        merge=data.get("merge", True),
        message=data["message"].strip(),
        explain=Explain(
            **{key: explain[key].strip() for key in ("what", "why", "fix", "wrong_when")}
        ),
        evidence=tuple(
            EvidenceSpec(
                item["metric"],
                expression(item["value"]),
                item.get("unit", ""),
                item.get("threshold", ""),
            )
            for item in data.get("evidence", ())
        ),
        estimate=None if estimate is None else _estimate(estimate),
        folds=tuple(_fold(item) for item in data.get("folds", ())),
        related=tuple(data.get("related", ())),
        fixes=tuple(
            FixSpec(
                item["id"],
                item["title"],
                item["applicability"],
                expression(item.get("when", "")),
            )
            for item in data.get("fixes", ())
        ),
        references=tuple(
            Reference(item["title"], item["url"]) for item in data.get("references", ())
        ),
        tags=tuple(data.get("tags", ())),
        glossary=tuple(data.get("glossary", ())),
        tests=tuple(data.get("tests", ())),
        path=path,
        refuted=expression(data.get("refuted", "")),
    )


def expression(value: str | float | bool) -> str:
    """The text of an expression that YAML may have read as a number or boolean."""
    return value if isinstance(value, str) else repr(value)


def _levels(value: Any) -> tuple[Level, ...]:
    if isinstance(value, str):
        return (Level(value),)
    return tuple(Level(item["level"], expression(item.get("when", ""))) for item in value)


def _needs(data: Mapping[str, Any]) -> Needs:
    return Needs(
        columns=tuple(data.get("columns", ())),
        sections=tuple(data.get("sections", ())),
        metrics=tuple(data.get("metrics", ())),
        cc=tuple(
            (sign, 10 * int(major) + int(minor))
            for sign, major, minor in _CC.findall(data.get("cc", ""))
        ),
        line_info=data.get("line_info", False),
        source=data.get("source", False),
    )


def _estimate(data: Mapping[str, Any]) -> EstimateSpec:
    if "model" in data:
        inputs = {name: expression(text) for name, text in data.get("inputs", {}).items()}
        return EstimateSpec(model=data["model"], inputs=inputs)
    low, high = data["speedup"]
    return EstimateSpec(speedup=(expression(low), expression(high)), basis=data["basis"])


def _fold(item: Any) -> Fold:
    if isinstance(item, str):
        return Fold(item)
    return Fold(item["rule"], expression(item.get("when", "")), item.get("at", "kernel"))
