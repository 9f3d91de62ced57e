"""Lines of foreign reports: several compilers, tool versions and architectures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gpuadvisor.evidence import NO_CHAIN, InstructionTable
from gpuadvisor.readers import open_evidence
from gpuadvisor.readers.lines import instruction_table, place, read_instructions
from gpuadvisor.sass import read_listing

SAMPLES = "smsp__pcsamp_sample_count"


def _table(shared: Path, path: str, kernel: str) -> InstructionTable:
    report = open_evidence(shared / "reports" / "wild" / path)
    launch = next(launch for launch in report.launches if launch.name == kernel)
    table = instruction_table(launch)
    assert table is not None
    return table


def _samples_by_line(table: InstructionTable) -> dict[tuple[str, int], float]:
    found: dict[tuple[str, int], float] = {}
    for chain, count in zip(table.chain.tolist(), table.metrics[SAMPLES].tolist(), strict=True):
        spot = place(table.chains[chain]) if chain != NO_CHAIN else None
        if spot is not None:
            key = (spot.frame.file.rsplit("/", 1)[-1], spot.frame.line)
            found[key] = found.get(key, 0.0) + count
    return found


def test_rel_relocations_of_an_older_compiler(shared: Path) -> None:
    path = "aplainjane+CUDA_Learning/report.ncu-rep"
    found = _samples_by_line(_table(shared, path, "reduceNeighbored"))
    hot = sum(count for (file, line), count in found.items() if 31 <= line <= 33)
    assert hot > 0.8 * sum(found.values())


def test_python_lines_of_triton(shared: Path) -> None:
    path = "AlpriElse+cs599k/silu/triton/silu-2025-04-18-v7.ncu-rep"
    found = _samples_by_line(_table(shared, path, "silu_kernel_non_strided"))
    assert {("silu-triton.py", 153), ("silu-triton.py", 157)} <= set(found)


def test_drain_of_an_ada_kernel_leads_to_its_store(shared: Path) -> None:
    path = "Lashi0812+CudaProgramming/profiling/profiles/smemTranspose.ncu-rep"
    table = _table(shared, path, "naiveGmem")
    drains = read_listing(table).drains
    hottest = int(table.metrics[SAMPLES].argmax())
    stores = drains["store"][drains["exit"] == hottest].tolist()
    assert [table.chains[table.chain[row]][0].line for row in stores] == [18]


def test_symbols_at_their_final_address(shared: Path) -> None:
    report = open_evidence(
        shared / "reports" / "wild" / "bwd29+self-join-MiSTIC" / "profileTINYK1.out.ncu-rep"
    )
    table, problems = read_instructions(report.launches[0])
    assert table is not None
    assert (table.words != 0).any(axis=1).all()
    assert any("div_u64" in table.functions[one] for one in set(table.function.tolist()))
    assert any("-lineinfo" in problem.hint for problem in problems)


def test_a_library_kernel_is_led_to_the_users_frames(shared: Path) -> None:
    table = _table(shared, "panjd123+cutlass/384.ncu-rep", "Kernel")
    spots = [place(chain) for chain in table.chains]
    user = {spot.frame.file for spot in spots if spot is not None and spot.user}
    assert user
    assert all("/examples/" in file for file in user)
    deepest = max(len(chain) for chain in table.chains)
    assert deepest >= 4


@pytest.mark.slow
def test_every_wild_report_reads(shared: Path) -> None:
    seen = 0
    for path in sorted((shared / "reports" / "wild").rglob("*.ncu-rep")):
        for launch in open_evidence(path).launches[:4]:
            table, problems = read_instructions(launch)
            assert table is not None or problems
            if table is not None:
                seen += 1
                decoded = read_listing(table).decoded
                held = (table.words != 0).any(axis=1)
                assert (decoded["name"][held] != "").all()
                assert np.isfinite(table.metrics.get(SAMPLES, np.zeros(1))).all()
    assert seen > 20
