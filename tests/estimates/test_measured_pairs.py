"""The estimates against before and after, measured on one H200 with the same input."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuadvisor.options import AnalyzeOptions
from gpuadvisor.pipeline import analyze

ROOT = Path(__file__).parents[2]

TRANSPOSE = "samples/transpose/transpose.ncu-rep"
PAIRS = [
    # kernel at fault, rule, microseconds before, microseconds after
    (TRANSPOSE, "transpose_naive", "uncoalesced-global-access", 490, 263),
    (TRANSPOSE, "transpose_tiled", "shared-bank-conflict", 263, 148),
    ("samples/particles/particles.ncu-rep", "step_aos", "strided-struct-access", 222, 81),
    ("samples/reduce/reduce.ncu-rep", "reduce_atomic", "contended-atomic", 14732, 19.2),
    ("tests/data/h200/pipes.ncu-repz", "half_gemm_scalar", "tensor-cores-idle", 452, 81),
]  # fmt: skip


@pytest.mark.parametrize(("report", "kernel", "rule", "before", "after"), PAIRS)
def test_the_measured_speedup_is_inside_the_estimate(
    report: str, kernel: str, rule: str, before: float, after: float
) -> None:
    analysis = analyze([str(ROOT / report)], AnalyzeOptions())
    ids = {item.id for item in analysis.kernels if item.name == kernel}
    found = [f for f in analysis.findings if f.kernel in ids and f.rule == rule]
    assert found
    estimate = found[0].estimate
    assert estimate is not None
    low, high = estimate.speedup
    measured = before / after
    assert low <= measured <= high
    if "next limit" not in estimate.basis:
        assert high <= 2 * measured
    assert estimate.basis


def test_no_estimate_promises_more_than_the_roof_that_remains() -> None:
    for report in sorted({pair[0] for pair in PAIRS}):
        analysis = analyze([str(ROOT / report)], AnalyzeOptions())
        dram = {item.id: item.dram_pct for item in analysis.kernels}
        for finding in analysis.findings:
            if finding.estimate is None or finding.kernel is None:
                continue
            low, high = finding.estimate.speedup
            assert 1 <= low <= high
            share = dram[finding.kernel]
            # a finding that cuts no DRAM traffic cannot beat the DRAM time that is there
            if share is not None and finding.rule in ("shared-bank-conflict", "integer-division"):
                assert high <= 100 / share
