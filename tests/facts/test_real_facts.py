"""Facts of the sample reports against what the programs are known to do."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gpuadvisor.facts.kernels import fold_launches
from gpuadvisor.facts.metrics import load_catalogue
from gpuadvisor.facts.model import Facts, build_facts
from gpuadvisor.options import AnalyzeOptions
from gpuadvisor.readers import open_evidence
from gpuadvisor.rules.paths import rules_dir

ROOT = Path(__file__).parents[2]


@lru_cache
def facts(path: str) -> Facts:
    catalogue = load_catalogue(rules_dir() / "metrics.yaml")
    report = open_evidence(str(ROOT / path))
    kernels = [
        replace(kernel, id=f"k{index}")
        for index, kernel in enumerate(fold_launches(report.launches, report.path, catalogue))
    ]
    return build_facts(kernels, [report], catalogue, AnalyzeOptions())


def row(path: str, kernel: str, line: int, nth: int = 0) -> dict[str, Any]:
    found = facts(path)
    ids = [k.id for k in found.kernels if k.launch.name == kernel]
    rows = [
        one for one in found.line_table.rows() if one["kernel"] == ids[nth] and one["line"] == line
    ]
    assert len(rows) == 1
    return rows[0]


TRANSPOSE = "samples/transpose/transpose.ncu-rep"
REDUCE = "samples/reduce/reduce.ncu-rep"
PARTICLES = "samples/particles/particles.ncu-rep"
REGISTERS = "samples/registers/registers.ncu-repz"
LATENCY = "tests/data/h200/latency.ncu-repz"
PIPES = "tests/data/h200/pipes.ncu-repz"


def test_sectors_stand_on_the_access() -> None:
    naive = row(TRANSPOSE, "transpose_naive", 22)
    # a load of 4 and a store of 32 sectors for each of 1,048,576 warps
    assert naive["sectors_global"] == 1_048_576 * 36
    assert naive["sectors_global_ideal"] == 1_048_576 * 8
    assert naive["worst_per_request"] == 32
    assert naive["st_wasted"] == 1_048_576 * 28
    assert naive["ld_wasted"] == 0


def test_a_drain_is_led_back_to_the_store() -> None:
    brace, store = row(TRANSPOSE, "transpose_naive", 24), row(TRANSPOSE, "transpose_naive", 22)
    assert brace["samples_drain"] > 0.7 * 61_576
    assert store["waits_share"] > 0.9
    assert brace["waits_share"] < 0.05
    found = facts(TRANSPOSE)
    lines = found.lines["k0"]
    index = {line: place for place, line in enumerate(lines.places.lines)}
    assert lines.led_back[index[24], index[22]] == pytest.approx(44_818, rel=0.01)


def test_a_barrier_wait_belongs_to_the_barrier() -> None:
    padded = row(TRANSPOSE, "transpose_padded", 48)
    assert padded["samples_barrier"] == 0
    assert padded["waits_barrier_share"] == pytest.approx(0.3, abs=0.02)


def test_waits_are_moved_never_made() -> None:
    for path in (TRANSPOSE, REDUCE, LATENCY):
        found = facts(path)
        for kernel, lines in found.lines.items():
            assert 0.98 <= float(lines.columns["waits_share"].sum()) <= 1.0001, kernel


def test_bank_conflicts_and_their_declaration() -> None:
    tiled = row(TRANSPOSE, "transpose_tiled", 37)
    assert tiled["wavefronts_shared"] == 32 * tiled["wavefronts_shared_ideal"]
    assert tiled["shared_ways"] == 32
    assert tiled["shared_line"] == 27


def test_a_spill_is_no_array_and_an_array_no_spill() -> None:
    spilled = row(REGISTERS, "spilled_state", 34)
    array = row(REGISTERS, "local_array", 44)
    assert spilled["spill"] > 0
    assert spilled["local_requests"] - spilled["spill"] < 0.05 * spilled["spill"]
    assert array["spill"] == 0
    assert array["local_requests"] > 1e6


def test_structs_gathers_and_strides_of_the_source() -> None:
    aos = row(PARTICLES, "step_aos", 14)
    assert (aos["struct_access"], aos["struct_name"]) == (True, "Particle")
    gather = row(PARTICLES, "gather", 31)
    assert (gather["gather_access"], gather["index_text"]) == (True, "index[]")
    assert gather["gather_wasted_share"] == 1.0


def test_who_splits_the_warps() -> None:
    test = row(REDUCE, "reduce_divergent", 12)
    assert test["split_active"] < 0.2
    assert test["guard_splits"]
    assert row(REDUCE, "reduce_divergent", 13)["split_idle"] == 0
    bounds = row(TRANSPOSE, "transpose_naive", 21)
    assert bounds["split_idle"] == 0


def test_one_warp_of_eight() -> None:
    loop = row(LATENCY, "one_warp_works", 36)
    assert loop["guarded_share"] == pytest.approx(1 / 8)
    assert loop["guarded_work"] > 0.8


def test_a_pointer_chase_depends_on_itself() -> None:
    assert row(LATENCY, "chase", 20)["self_dependent"] > 0
    assert row(LATENCY, "copy_bytes", 45)["self_dependent"] == 0
    assert row(LATENCY, "copy_bytes", 45)["access_bytes_max"] == 1


def test_divisions_conversions_and_the_product_loop() -> None:
    assert row(PIPES, "integer_division", 22)["int_divisions"] > 1e6
    # float divisions and sines take reciprocals of floats: no integer division
    assert row(PIPES, "slow_math", 32)["int_divisions"] == 0
    double = row(PIPES, "accidental_double", 12)
    assert double["double_back"] == pytest.approx(1.0)
    assert double["convert_f64"] == 2 * double["fp64"]
    product = row(PIPES, "half_gemm_scalar", 42)
    assert product["mac_loop"] == 1
    assert product["mac_half"] >= 1


def test_kernel_rows() -> None:
    table = facts(LATENCY).kernel_table
    rows = {(r["name"], r["grid_blocks"]): r for r in table.rows()}
    small = rows["saxpy", 16.0]
    assert small["sm_used_pct"] == pytest.approx(100 * 16 / 132)
    tiny = rows["saxpy", 131_072.0]
    assert (tiny["limiter"], tiny["resident_pct"]) == ("blocks", 50.0)
    assert rows["heavy_block", 265.0]["waves_exact"] == pytest.approx(265 / 264)
    assert rows["chase", 132.0]["cc"] == 90
    stalls = [value for name, value in small.items() if name.startswith("stall_")]
    assert np.nansum(stalls) == pytest.approx(1.0)
