"""Small parts of the facts: folding, limiters, library paths, verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuadvisor.evidence import Device, Frame, Launch
from gpuadvisor.facts.kernel_columns import is_library_kernel, is_setup_kernel, low_precision
from gpuadvisor.facts.kernels import fold_launches, kernel_table
from gpuadvisor.facts.metrics import Catalogue, load_catalogue
from gpuadvisor.facts.places import is_builtin, is_library, place_of
from gpuadvisor.facts.verdict import headline, verdict_of
from gpuadvisor.rules.paths import rules_dir


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue(rules_dir() / "metrics.yaml")


def launch(
    index: int, ns: float | None, grid: int = 8, metrics: dict[str, float] | None = None
) -> Launch:
    values = {} if ns is None else {"gpu__time_duration.sum": ns}
    return Launch(
        index, "kernel", "k", "k(int)", "_Z1ki", (grid, 1, 1), (64, 1, 1),
        Device(0, "GPU", (8, 0)), {**values, **(metrics or {})}, {}, None,
    )  # fmt: skip


def test_equal_launches_fold_to_the_median(catalogue: Catalogue) -> None:
    launches = [launch(0, 30.0), launch(1, 10.0), launch(2, 5.0, grid=9), launch(3, 20.0)]
    kernels = fold_launches(launches, "r", catalogue)
    assert [len(kernel.launches) for kernel in kernels] == [3, 1]
    assert kernels[0].launch.index == 3


def test_launches_without_a_time_fold_too(catalogue: Catalogue) -> None:
    (kernel,) = fold_launches([launch(0, None), launch(1, None)], "r", catalogue)
    assert kernel.launch.index == 0


@pytest.mark.parametrize(
    ("limits", "limiter"),
    [
        ({"registers": 4, "shared": 32, "warps": 8, "blocks": 32}, "registers"),
        ({"registers": 8, "shared": 32, "warps": 8, "blocks": 32}, "warps"),
        # a launch without shared memory reports the block count as its limit
        ({"registers": 64, "shared": 32, "warps": 64, "blocks": 32}, "blocks"),
        ({}, ""),
    ],
)
def test_the_limiter(catalogue: Catalogue, limits: dict[str, float], limiter: str) -> None:
    names = {"shared": "shared_mem"}
    metrics = {f"launch__occupancy_limit_{names.get(k, k)}": float(v) for k, v in limits.items()}
    table = kernel_table(
        fold_launches([launch(0, 1.0, metrics=metrics)], "r", catalogue), catalogue
    )
    assert table["limiter"].tolist() == [limiter]


def test_absent_is_not_zero(catalogue: Catalogue) -> None:
    table = kernel_table(fold_launches([launch(0, 1.0)], "r", catalogue), catalogue)
    assert table["dram_pct"][0] != table["dram_pct"][0]
    assert table["stall_barrier"][0] != table["stall_barrier"][0]


@pytest.mark.parametrize(
    ("path", "library"),
    [
        ("/usr/local/cuda-13.0/include/crt/sm_90_rt.h", True),
        ("/usr/local/cuda/targets/x86_64-linux/include/cub/block/block_reduce.cuh", True),
        ("C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v12.4\\include\\mma.hpp", True),
        ("/usr/lib/python3/dist-packages/triton/language/standard.py", True),
        ("/home/a/cutlass/include/cutlass/arch/mma_sm80.h", True),
        ("/home/a/cutlass/examples/13/b2b_gemm.h", False),
        ("/home/a/project/include/kernels.cuh", False),
        ("/home/a/cub/main.cu", False),
        ("silu.py", False),
    ],
)
def test_whose_file_it_is(path: str, library: bool) -> None:
    assert is_library(path) is library


def test_builtin_headers_are_told_from_libraries() -> None:
    assert is_builtin("/usr/local/cuda/include/sm_20_atomic_functions.hpp")
    assert is_builtin("/usr/local/cuda-13.0/include/crt/sm_90_rt.hpp")
    assert not is_builtin("/usr/local/cuda/include/cub/block/block_reduce.cuh")
    assert not is_builtin("/home/a/include/kernels.cuh")


def test_the_users_line_is_the_place() -> None:
    header = Frame("/usr/local/cuda/include/sm_20_intrinsics.hpp", 84)
    user = Frame("/w/reduce.cu", 23)
    assert place_of([header, user]) == ("/w/reduce.cu", 23, True, ((header.file, 84),))
    assert place_of([header]) == (header.file, 84, False, ())
    assert place_of([]) is None


def test_names_of_library_and_setup_kernels() -> None:
    assert is_library_kernel("void at::native::vectorized_elementwise_kernel<4>(int)")
    assert is_library_kernel("ampere_sgemm_128x64_nn")
    assert not is_library_kernel("gemm(float *)")
    assert is_setup_kernel("void at::native::distribution_elementwise_grid_stride_kernel<1>()")
    assert not is_setup_kernel("void cutlass::Kernel<int>()")
    assert not is_setup_kernel("initialize(float *)")


@pytest.mark.parametrize(
    ("signature", "name"),
    [("f(const __half *)", "half"), ("f(__nv_bfloat16 *)", "bfloat16"), ("f(float *)", "")],
)
def test_narrow_types_of_a_signature(signature: str, name: str) -> None:
    assert low_precision(signature) == name


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        ({"sm_pct": 20, "memory_pct": 90, "dram_pct": 89}, "memory"),
        ({"sm_pct": 95, "memory_pct": 20}, "compute"),
        ({"sm_pct": 70, "memory_pct": 65}, "balanced"),
        ({"sm_pct": 5, "memory_pct": 9, "grid_blocks": 1000, "sm_count": 132}, "latency"),
        ({"sm_pct": 5, "memory_pct": 9, "grid_blocks": 16, "sm_count": 132}, "launch"),
        ({"sm_pct": 5, "memory_pct": 9, "duration_ns": 2000}, "launch"),
        ({"sm_pct": 5}, "unknown"),
    ],
)
def test_verdicts(row: dict[str, float], verdict: str) -> None:
    assert verdict_of(row) == verdict


def test_a_headline_for_each_verdict() -> None:
    assert headline("memory", {"dram_pct": 89.0, "l2_pct": 50.0, "has_instructions": True}, []) == (
        "bound by DRAM at 89 % of peak; nothing found that is worth changing"
    )
    unmeasured = headline("latency", {"has_instructions": False}, [])
    assert "its lines were not measured" in unmeasured


def test_the_catalogue_names_units_and_sections(catalogue: Catalogue) -> None:
    for metric in (*catalogue.kernel.values(), *catalogue.instruction.values()):
        assert metric.names
        assert metric.unit
        assert metric.section
        assert metric.kind in ("time", "counter", "ratio", "sample")
    assert catalogue.sections(["dram_pct", "inst"]) == ["SpeedOfLight", "SourceCounters"]


def test_alternatives_sums_and_maxima(tmp_path: Path, catalogue: Catalogue) -> None:
    shared = catalogue.kernel["shared_per_block_bytes"]
    static, dynamic = "launch__shared_mem_per_block_static", "launch__shared_mem_per_block_dynamic"
    assert shared.read({static: 100, dynamic: 28}) == 128
    assert shared.read({static: 100, "launch__shared_mem_per_block": 512}) == 512
    assert shared.read({}) is None
    assert catalogue.kernel["duration_ns"].read({"gpu__time_duration.sum": "n/a"}) is None
