"""Reports that others published, of many versions and devices; skipped where they are absent."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuadvisor.readers import open_evidence
from tests.readers.ncu.test_damage import use

# file, launches, name of the first, device, compute capability
CASES = [
    ("aplainjane+CUDA_Learning/report.ncu-rep", 5, "reduceNeighbored", "RTX 3060", (8, 6)),
    ("armleth+cuda-mlp-inference/report_v4_8_per_thread.ncu-rep", 1, "matrix_addition2D", "T4",
     (7, 5)),
    ("LakshyaSingh354+CudaCode/stage1/reps/dot_product.ncu-rep", 2, "dot_prod_naive", "1660",
     (7, 5)),
    ("Lashi0812+CudaProgramming/profiling/profiles/smemTranspose.ncu-rep", 5, "naiveGmem", "4090",
     (8, 9)),
    ("AlpriElse+cs599k/silu/CUDA/ncu-reports/2025-04-21-vector-based.ncu-rep", 3,
     "silu_kernel_vector", "H100", (9, 0)),
    ("AlpriElse+cs599k/silu/triton/silu-2025-04-18-v7.ncu-rep", 2,
     "distribution_elementwise_grid_stride_kernel", "GH200", (9, 0)),
    ("AlpriElse+cs599k/rms_norm/matrix/ncu-reports/2025-04-21_v1.ncu-rep", 3,
     "rms_norm_matrix_kernel", "H100", (9, 0)),
    ("AlpriElse+cs599k/rms_norm/matrix/ncu-reports/2025-04-21_v2-float4.ncu-rep", 4,
     "rms_norm_matrix_kernel_float4", "H100", (9, 0)),
    ("AshunFeiyu+Cuda_Gemm_Practice/gemm_v1_alter.ncu-rep", 2, "gemm", "3080", (8, 6)),
    ("bwd29+self-join-MiSTIC/profileTINYK1.out.ncu-rep", 1, "nodeCalculationsKernel", "A100",
     (8, 0)),
    ("2388612861+GPU-DEMO/ncu_report_optimized.ncu-rep", 4, "transposeMatrix", "5060", (12, 0)),
    ("anuragdogra2192+MultipleNodesScalingCUDACPPApplications/report.ncu-rep", 1, "jacobi", "V100",
     (7, 0)),
    ("evozone96+matrixMul/profile.nsight-cuprof-report", 8, "matrixMulCUDA", "2070", (7, 5)),
    ("panjd123+cutlass/384.ncu-rep", 3, "Kernel", "A100", (8, 0)),
    ("spymaster2h+spyinfer/report.ncu-rep", 105, "__cuda_linear_fp32_fp16_kernel", "A10", (8, 6)),
    ("trevorgloe+GPUAcceleratedNetworkSim/profile.ncu-rep", 1, "add", "4070 Ti SUPER", (8, 9)),
]  # fmt: skip


@pytest.mark.parametrize(("file", "count", "name", "device", "cc"), CASES)
def test_public_reports(
    shared: Path, file: str, count: int, name: str, device: str, cc: tuple[int, int]
) -> None:
    report = open_evidence(shared / "reports" / "wild" / file)
    assert (len(report.launches), report.launches[0].name) == (count, name)
    assert len(report.devices) == 1
    assert device in report.devices[0].name
    assert report.devices[0].cc == cc
    use(report)
    assert list(report.problems) == []
    for launch in report.launches:
        assert launch.device is report.devices[0]
        assert launch.program is not None
        assert launch.program.cubin[:4] == b"\x7fELF"
        assert launch.program.sm == cc[0] * 10 + cc[1]
        assert all(launch.grid)
        assert all(launch.block)


def test_no_public_report_is_left_out(shared: Path) -> None:
    wild = shared / "reports" / "wild"
    found = {
        str(path.relative_to(wild))
        for pattern in ("*.ncu-rep", "*.nsight-cuprof-report")
        for path in wild.rglob(pattern)
    }
    assert found == {file for file, *_ in CASES}


@pytest.mark.parametrize("folder", ["samples", "modes"])
def test_our_own_reports(shared: Path, folder: str) -> None:
    paths = sorted((shared / "reports" / "h200" / folder).glob("*.ncu-rep"))
    assert paths
    for path in paths:
        report = open_evidence(path)
        use(report)
        assert report.launches
        assert list(report.problems) == []


def test_facts_of_public_reports(shared: Path) -> None:
    wild = shared / "reports" / "wild"
    reductions = open_evidence(wild / "aplainjane+CUDA_Learning/report.ncu-rep")
    times = [float(launch.metrics["gpu__time_duration.sum"]) for launch in reductions.launches]
    assert [round(time / 1e6, 1) for time in sorted(times, reverse=True)] == [
        17.4, 14.2, 13.1, 12.8, 11.1,
    ]  # fmt: skip
    cutlass = open_evidence(wild / "panjd123+cutlass/384.ncu-rep")
    assert [launch.nvtx for launch in cutlass.launches][:2] == [
        ("Fused-GEMM",),
        ("Non-fused-GEMM",),
    ]
    assert len({launch.demangled for launch in cutlass.launches}) == 2
    old = open_evidence(wild / "evozone96+matrixMul/profile.nsight-cuprof-report")
    assert old.session.cuda_version == "10.0"
    assert "gpu__time_duration.sum" not in old.launches[0].metrics
    assert old.launches[0].clocks_locked is None
    t4 = open_evidence(wild / "armleth+cuda-mlp-inference/report_v4_8_per_thread.ncu-rep")
    assert t4.session.driver_version == "550.54.15"
    assert t4.session.tool_version == "2024.2.1.0"
    assert t4.launches[0].clocks_locked is True
