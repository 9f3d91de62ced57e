"""Checking rule files in full: every mistake is told with file, line and key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpuadvisor.rules.errors import RuleError
from gpuadvisor.rules.validate import check_document
from gpuadvisor.rules.yamlfile import load_yaml

Writer = Callable[..., Path]

MISTAKES: list[tuple[dict[str, Any], str, str]] = [
    ({"when": "__import__('os').system('id')"}, "when", "only functions of the list"),
    ({"when": ["samples > 0", "a.b"]}, "when[1]", "attribute access"),
    ({"let": {"x": "samples.__class__"}}, "let.x", "attribute access"),
    ({"let": {"x": "9 ** 9 ** 9"}}, "let.x", "exponent"),
    ({"let": {"x": "y", "y": "1"}}, "let.x", "defined at or after"),
    ({"let": {"x": "x + 1"}}, "let.x", "defined at or after"),
    ({"let": {"max": "1"}}, "let.max", "name of a function"),
    ({"let": {"X": "1"}}, "let", "not spelt"),
    ({"message": "{samples"}, "message", "without its"),
    ({"message": "{samples.real}"}, "message", "attribute access"),
    ({"title": "{(lambda)}"}, "title", "not an expression"),
    ({"weight": "open('x')"}, "weight", "no function"),
    ({"whne": "1"}, "whne", "did you mean 'when'?"),
    ({"message": None}, "", "missing: message"),
    ({"severity": "fatal"}, "severity", ""),
    ({"severity": [{"level": "info", "when": "1"}]}, "severity[0]", "last level has no"),
    ({"severity": [{"level": "info"}, {"level": "hint"}]}, "severity[0]", "only the last"),
    ({"scope": "galaxy"}, "scope", "galaxy"),
    ({"code": "ga1"}, "code", "not spelt"),
    ({"needs": {"cc": "about 7"}}, "needs.cc", "not spelt"),
    ({"needs": {"colums": []}}, "needs.colums", "did you mean 'columns'?"),
    ({"thresholds": {"t": {"value": "x", "about": "y"}}}, "thresholds.t.value", "number"),
    ({"thresholds": {"t": {"value": 1}}}, "thresholds.t", "missing: about"),
    ({"thresholds": {"t": {"value": 1, "about": "x"}}, "let": {"t": "1"}}, "let.t", "too"),
    (
        {"evidence": [{"metric": "m", "value": "samples", "threshold": "nope"}]},
        "evidence[0].threshold",
        "no threshold 'nope'",
    ),
    ({"locate": {"most": "samples"}}, "locate", "scope kernel"),
    ({"let": {"x": "lines_sum(samples)"}}, "let.x", "scope kernel"),
    ({"references": [{"title": "x", "url": "javascript:alert(1)"}]}, "references[0].url", ""),
    ({"tests": [{"name": "x", "fires": True}]}, "tests[0]", "either `row` or `rows`"),
    ({"tests": [{"name": "x", "row": {}}]}, "tests[0]", ""),
    (
        {"tests": [{"name": "x", "row": {}, "fires": True, "thresholds": {"t": 1}}]},
        "tests[0]",
        "no threshold 't'",
    ),
    ({"applies": "x > 1", "let": {"x": "1"}}, "applies", "before `let`"),
    ({"applies": "a.b"}, "applies", "attribute access"),
    ({"folds": [{"rule": "other", "at": "moon"}]}, "folds[0].at", "moon"),
    ({"limit": 0}, "limit", "0"),
    ({"since": 1.0}, "since", ""),
]


@pytest.mark.parametrize(("changes", "key", "reason"), MISTAKES)
def test_mistakes(write_rule: Writer, changes: dict[str, Any], key: str, reason: str) -> None:
    path = write_rule(**changes)
    with pytest.raises(RuleError) as caught:
        check_document(load_yaml(path))
    error = caught.value
    assert error.path == str(path)
    assert error.line >= 1
    assert error.key == key
    assert reason in error.reason
    assert len(str(error)) < 400


def test_the_line_is_that_of_the_key(write_rule: Writer) -> None:
    path = write_rule(let={"fine": "1", "bad": "a.b"})
    with pytest.raises(RuleError) as caught:
        check_document(load_yaml(path))
    text = path.read_text().splitlines()[caught.value.line - 1]
    assert text.strip() == "bad: a.b"


def test_the_name_is_the_name_of_the_file(write_rule: Writer) -> None:
    path = write_rule()
    other = path.rename(path.with_name("other.yaml"))
    with pytest.raises(RuleError, match="called 'other'"):
        check_document(load_yaml(other))


def test_names_are_held_against_the_columns_of_this_version(write_rule: Writer) -> None:
    columns = {"line": ["samples", "sectors"], "kernel": ["dram_pct"]}
    fine = write_rule(when="samples > 0 and kernel_dram_pct > 1 and dram_pct < 9")
    assert check_document(load_yaml(fine), columns=columns).name == "hot-thing"
    for changes, reason in (
        ({"when": "sampels > 0"}, "did you mean 'samples'?"),
        ({"message": "{kernel_samples}"}, "no column"),
        ({"needs": {"columns": ["sector"]}}, "did you mean 'sectors'?"),
    ):
        with pytest.raises(RuleError) as caught:
            check_document(load_yaml(write_rule(**changes)), columns=columns)
        assert reason in caught.value.reason


def test_models_and_locators_are_held_against_those_there_are(write_rule: Writer) -> None:
    path = write_rule(estimate={"model": "magic"}, locate="somewhere")
    with pytest.raises(RuleError, match="no model 'magic'; there are tail"):
        check_document(load_yaml(path), models=["tail"])
    with pytest.raises(RuleError, match="no locator 'somewhere'; there are line, none, hottest"):
        check_document(load_yaml(path), locators=["kernel-head"])


def test_numbers_and_booleans_may_stand_for_expressions(write_rule: Writer) -> None:
    rule = check_document(load_yaml(write_rule(let={"x": 1, "y": True}, weight=0)))
    assert rule.let == {"x": "1", "y": "True"}
    assert rule.weight == "0"
