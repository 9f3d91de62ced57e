"""Judging many rules over a large line table costs less than one plain walk over its rows."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gpuadvisor.evidence import Table
from gpuadvisor.rules import RuleSet, evaluate
from gpuadvisor.rules.build import build_rule

ROWS, KERNELS, RULES = 100_000, 160, 35

RULE: dict[str, Any] = {
    "status": "stable",
    "since": "1.0",
    "title": "Excess {kind}",
    "family": "memory",
    "scope": "line",
    "needs": {"columns": ["c0", "c1"]},
    "thresholds": {"excess": {"value": 9.9, "about": "x"}, "part": {"value": 0.0032, "about": "x"}},
    "let": {
        "ratio_": "c0 / c1",
        "wasted": "c0 - c1",
        "wasted_share": "wasted / total(c0)",
        "kind": "'load' if c2 > c3 else 'store'",
    },
    "when": ["c0 > c1", "ratio_ >= excess", "wasted_share >= part and kernel_dram_pct < 90"],
    "severity": [{"level": "info", "when": "kernel_dram_pct > 80"}, {"level": "warning"}],
    "confidence": "high",
    "weight": "share(samples)",
    "message": "{kind} {ratio_:.1f}",
    "explain": {"what": "w", "why": "{wasted:si} of {c0:si}", "fix": "f", "wrong_when": "n"},
}


def _best_of(times: int, work: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


@pytest.mark.bench
def test_all_rules_cost_less_than_one_walk_over_the_rows() -> None:
    generator = np.random.default_rng(7)
    ids = np.array([f"k{index}" for index in range(KERNELS)])
    kernels = Table({"kernel": ids, "name": ids, "dram_pct": generator.random(KERNELS) * 100})
    columns: dict[str, Any] = {f"c{i}": generator.random(ROWS) * 100 for i in range(30)}
    columns["kernel"] = np.repeat(ids, ROWS // KERNELS)
    columns["file"] = np.full(ROWS, "a.cu")
    columns["line"] = np.arange(ROWS) % (ROWS // KERNELS) + 1
    columns["samples"] = generator.random(ROWS)
    lines = Table(columns)
    rules = tuple(
        build_rule({**RULE, "code": f"XX{i:03}", "name": f"rule-{i}"}, "") for i in range(RULES)
    )
    ruleset = RuleSet(rules, (), "")
    tables = {"kernel": kernels, "line": lines}
    findings, _ = evaluate(ruleset, tables)
    assert len(findings) > RULES
    judging = _best_of(3, lambda: evaluate(ruleset, tables))
    walking = _best_of(3, lambda: sum(1 for _ in lines.rows()))
    assert judging < walking, f"{judging:.3f} s against {walking:.3f} s"
