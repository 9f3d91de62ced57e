"""Public reports of many GPUs and tool versions, and the right answer to each (CASES.md beside
them). They are not ours to ship: the tests skip where the folder is absent."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuadvisor.evidence.findings import Analysis, Finding
from gpuadvisor.options import AnalyzeOptions
from gpuadvisor.pipeline import UNREADABLE, analyze


@pytest.fixture(scope="module")
def wild(shared: Path) -> Path:
    return shared / "reports" / "wild"


def explain(wild: Path, pattern: str) -> Analysis:
    (path,) = sorted(wild.glob(pattern))
    return analyze([str(path)], AnalyzeOptions())


def of(analysis: Analysis, name: str) -> list[Finding]:
    ids = {kernel.id for kernel in analysis.kernels if kernel.name == name}
    assert ids
    return [finding for finding in analysis.findings if finding.kernel in ids]


def place(finding: Finding) -> tuple[str, int] | None:
    where = finding.location
    return (where.file.rsplit("/", 1)[-1], where.line) if where else None


def test_every_report_is_read(wild: Path) -> None:
    paths = [*wild.glob("**/*.ncu-rep"), *wild.glob("**/*.nsight-cuprof-report")]
    assert len(paths) >= 15
    analysis = analyze([str(path) for path in sorted(paths)], AnalyzeOptions())
    assert [item.kind for item in analysis.inputs if item.kind == UNREADABLE] == []
    assert [problem for item in analysis.inputs for problem in item.problems] == []


def test_divergent_reduction(wild: Path) -> None:
    analysis = explain(wild, "aplainjane*/report.ncu-rep")
    times = sorted(((k.duration_ns or 0) / 1e6 for k in analysis.kernels), reverse=True)
    assert [round(time, 1) for time in times] == [17.4, 14.2, 13.1, 12.8, 11.1]
    found = {finding.rule: finding for finding in of(analysis, "reduceNeighbored")}
    assert place(found["warp-divergence"]) == ("branch.cu", 32)
    assert place(found["integer-division"]) == ("branch.cu", 32)
    shared_memory = {finding.rule for finding in of(analysis, "reduceShared")}
    assert {"idle-warps-at-barrier", "barrier-stall"} & shared_memory


def test_eight_elements_a_thread(wild: Path) -> None:
    (first, *_) = explain(wild, "armleth*/*.ncu-rep").findings
    assert (first.rule, first.severity) == ("uncoalesced-global-access", "warning")
    assert "31 a request" in first.message


def test_contended_atomics_on_turing(wild: Path) -> None:
    found = of(explain(wild, "LakshyaSingh*/**/dot_product.ncu-rep"), "dot_prod_naive")
    warnings = [finding for finding in found if finding.severity == "warning"]
    assert [finding.rule for finding in warnings] == ["contended-atomic"]
    estimate = warnings[0].estimate
    assert estimate is not None
    assert estimate.speedup[0] <= 28 <= estimate.speedup[1]


def test_a_strided_store_is_not_on_the_brace(wild: Path) -> None:
    analysis = explain(wild, "Lashi0812*/**/smemTranspose.ncu-rep")
    warnings = [f for f in of(analysis, "naiveGmem") if f.severity == "warning"]
    assert [(f.rule, place(f)) for f in warnings] == [
        ("uncoalesced-global-access", ("smemTranspose.cu", 18))
    ]
    # DRAM is at 86 %: padding gained 0.8 %
    conflicts = [f for f in of(analysis, "transposeSmem") if f.rule == "shared-bank-conflict"]
    assert [f.severity for f in conflicts] == ["info"]


def test_no_estimate_above_what_dram_leaves(wild: Path) -> None:
    analysis = explain(wild, "AlpriElse*/silu/CUDA/**/*.ncu-rep")
    assert [f.rule for f in analysis.findings if f.severity == "warning"] == []
    for finding in analysis.findings:
        assert finding.estimate is None or finding.estimate.speedup[1] <= 1.12


def test_triton_lines_and_no_cuda_syntax(wild: Path) -> None:
    analysis = explain(wild, "AlpriElse*/silu/triton/*.ncu-rep")
    assert of(analysis, "distribution_elementwise_grid_stride_kernel") == []
    found = of(analysis, "silu_kernel_non_strided")
    placed = [f.location for f in found if f.location is not None]
    assert placed
    assert all(place.file.endswith(".py") for place in placed)
    assert not any("__global__" in f.fix or "threadIdx" in f.fix for f in found)


def test_a_gemm_for_too_few_sms(wild: Path) -> None:
    analysis = explain(wild, "AshunFeiyu*/*.ncu-rep")
    found = of(analysis, "gemm")
    told = {f.rule for f in found} | {c.rule for f in found for c in f.consequences}
    assert {"grid-too-small", "register-limited-occupancy"} <= told
    assert [f for f in of(analysis, "Kernel") if f.severity == "warning"] == []


def test_a_long_kernel_without_lines(wild: Path) -> None:
    found = of(explain(wild, "bwd29*/*.ncu-rep"), "nodeCalculationsKernel")
    rules = {finding.rule for finding in found}
    assert {"warp-divergence", "sampling-buffer-full", "no-line-info"} <= rules
    assert {"scattered-gather", "uncoalesced-global-access"} & rules


def test_the_basic_set_gets_a_command_not_a_guess(wild: Path) -> None:
    analysis = explain(wild, "2388612861*/*.ncu-rep")
    assert {f.rule for f in analysis.findings} == {"block-limited-occupancy", "missing-metrics"}
    missing = [f for f in analysis.findings if f.rule == "missing-metrics"]
    assert all("ncu --set full" in f.fix for f in missing)


def test_a_volta_report_without_a_version(wild: Path) -> None:
    found = of(explain(wild, "anuragdogra*/*.ncu-rep"), "jacobi")
    assert "register-limited-occupancy" in {finding.rule for finding in found}


def test_launches_fold(wild: Path) -> None:
    (kernel,) = explain(wild, "spymaster2h*/*.ncu-rep").kernels
    assert kernel.launches == 105
    assert 17_200 <= (kernel.duration_ns or 0) <= 17_800


def test_templates_are_told_apart_and_hot_headers_named(wild: Path) -> None:
    analysis = explain(wild, "panjd123*/*.ncu-rep")
    assert {kernel.name for kernel in analysis.kernels} == {"Kernel"}
    assert len({kernel.demangled for kernel in analysis.kernels}) == len(analysis.kernels)
    rules = {finding.rule for finding in analysis.findings}
    assert {"grid-too-small", "inlined-hotspot"} <= rules


def test_2019(wild: Path) -> None:
    analysis = explain(wild, "evozone96*/profile.nsight-cuprof-report")
    assert sum(kernel.launches for kernel in analysis.kernels) == 8
    assert all(kernel.verdict == "unknown" for kernel in analysis.kernels)
