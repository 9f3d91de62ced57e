"""The checks that rules carry: each way to fail is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpuadvisor.rules import Rule
from gpuadvisor.rules.selftest import run_tests

Maker = Callable[..., Rule]
LIMIT = {"least": {"value": 10, "about": "Samples."}}


def failure(make_rule: Maker, test: dict[str, Any], **changes: Any) -> str:
    defaults = {"thresholds": LIMIT, "when": "samples >= least", "needs": {"columns": ["samples"]}}
    rule = make_rule(**{**defaults, **changes}, tests=[{"name": "t", **test}])
    (outcome,) = run_tests(rule, {})
    assert (outcome.rule, outcome.test) == ("hot-thing", "t")
    return outcome.failure


@pytest.mark.parametrize(
    ("test", "wanted"),
    [
        ({"row": {"samples": 10}, "fires": True}, ""),
        ({"row": {"samples": 9}, "fires": False}, ""),
        ({"row": {"samples": 9}, "fires": True}, "was to fire"),
        ({"row": {"samples": 11}, "fires": False}, "it fired: 11 samples"),
        ({"row": {"samples": None}, "skipped": True}, ""),
        ({"row": {"samples": 3}, "skipped": True}, "it was judged"),
        ({"row": {"samples": None}, "fires": False}, "skipped: not measured: samples"),
        ({"row": {"other": 1}, "fires": False}, "skipped: not measured: samples"),
        ({"row": {"samples": 11}, "fires": True, "severity": "info"}, "severity was to be info"),
        ({"row": {"samples": 11}, "fires": True, "confidence": "low"}, "confidence was to be"),
        (
            {"row": {"samples": 11, "line": 7}, "fires": True, "line": 8},
            "line was to be 8, it is 7",
        ),
        ({"row": {"samples": 11}, "fires": True, "message": "12 samples"}, "not in the message"),
        ({"row": {"samples": 11}, "fires": True, "message": "11 sam"}, ""),
        ({"row": {"samples": 5}, "fires": True, "thresholds": {"least": 4}}, ""),
        ({"rows": [{"samples": 11}, {"samples": 12, "line": 9}], "fires": 2}, ""),
        ({"rows": [{"samples": 11}, {"samples": 2, "line": 9}], "fires": 2}, "2 findings were"),
    ],
)
def test_outcomes(make_rule: Maker, test: dict[str, Any], wanted: str) -> None:
    found = failure(make_rule, test)
    assert (wanted in found) if wanted else found == ""


def test_rows_of_lines_have_a_kernel(make_rule: Maker) -> None:
    test = {"row": {"samples": 11}, "kernel": {"dram_pct": 70, "short": False}, "fires": True}
    assert failure(make_rule, test, when="dram_pct > 60 and not short and kernel_cc == 90") == ""


def test_kernels_have_lines(make_rule: Maker) -> None:
    test = {
        "row": {"dram_pct": 5},
        "lines": [{"samples": 3}, {"samples": 8, "line": 4}],
        "fires": True,
        "line": 4,
    }
    changes = {"scope": "kernel", "when": "lines_sum(samples) == 11", "needs": {}, "message": "m"}
    assert failure(make_rule, test, locate="hottest", **changes) == ""


def test_other_scopes(make_rule: Maker) -> None:
    changes = {
        "scope": "device",
        "when": "ecc > 0 and driver == '570'",
        "message": "m",
        "needs": {},
    }
    assert failure(make_rule, {"row": {"ecc": 1, "driver": "570"}, "fires": True}, **changes) == ""


def test_a_rule_that_cannot_be_evaluated_fails_its_checks(make_rule: Maker) -> None:
    test = {"row": {"samples": 11}, "fires": True}
    assert "compared with" in failure(make_rule, test, when="samples == 'x'")
    found = failure(make_rule, test, estimate={"model": "magic"})
    assert "no model 'magic'" in found


def test_any_locator_may_be_named(make_rule: Maker) -> None:
    test = {"row": {"samples": 11, "line": 5}, "fires": True, "line": 5}
    assert failure(make_rule, test, locate="kernel-head") == ""
