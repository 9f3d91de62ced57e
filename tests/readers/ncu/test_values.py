"""Values are those that ncu itself prints for the same report."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest

from gpuadvisor.evidence import ProfileReport

_PREFIXES = {"n": 1e9, "u": 1e6, "m": 1e3, "K": 1e-3, "M": 1e-6, "G": 1e-9, "T": 1e-12}
# ncu scales times (kept in ns) and sizes and rates (kept in units) to what reads well
_SCALED = {"us": 1e-3, "Ghz": 1e-9, "sector/ns": 1e-9, "sector/us": 1e-6, "%/Kbyte": 1e-3} | {
    f"{prefix}byte{per}": _PREFIXES[prefix]
    for prefix in "KMGT"
    for per in ("", "/s", "/cycle", "/block")
}


def _number(cell: str) -> float | None:
    try:
        return float(cell.replace(",", ""))
    except ValueError:
        return None


@pytest.fixture(scope="module")
def raw(data: Path) -> list[list[str]]:
    with (data / "transpose.raw.csv").open(newline="") as file:
        return list(csv.reader(file))


def test_every_single_value_is_the_one_ncu_prints(
    transpose: ProfileReport, raw: list[list[str]]
) -> None:
    names, units = raw[0], raw[1]
    first = names.index("CC") + 1
    compared = 0
    for launch, row in zip(transpose.launches, raw[2:], strict=True):
        for name, unit, cell in list(zip(names, units, row, strict=True))[first:]:
            if cell == "no data":
                assert name not in launch.metrics
                continue
            value = launch.metrics[name]
            printed = _number(cell)
            compared += 1
            if isinstance(value, str):
                assert value == cell, name
                continue
            assert printed is not None, name
            if math.isnan(value):
                assert math.isnan(printed), name
                continue
            # some metrics of a scaled unit are printed as they are
            candidates = (value, value * _SCALED.get(unit, 1))
            assert any(abs(printed - each) <= 0.00501 for each in candidates), (name, unit, value)
    assert compared > 4000


def test_identity_is_the_one_ncu_prints(transpose: ProfileReport, raw: list[list[str]]) -> None:
    columns = {name: index for index, name in enumerate(raw[0])}
    for launch, row in zip(transpose.launches, raw[2:], strict=True):
        assert launch.demangled == row[columns["Kernel Name"]]
        assert str(launch.grid) == row[columns["Grid Size"]]
        assert str(launch.block) == row[columns["Block Size"]]
        assert str(launch.stream_id) == row[columns["Stream"]]
        assert str(launch.context_id) == row[columns["Context"]]
        assert launch.device is not None
        assert str(launch.device.id) == row[columns["Device"]]
        assert ".".join(map(str, launch.device.cc)) == row[columns["CC"]]


_STALLS = {
    "barrier": "barrier", "branch_resolving": "branch_resolving", "dispatch_stall": "dispatch",
    "drain": "drain", "imc_miss": "imc", "lg_throttle": "lg", "long_scoreboard": "long_sb",
    "math_pipe_throttle": "math", "membar": "membar", "mio_throttle": "mio", "misc": "misc",
    "no_instructions": "no_inst", "not_selected": "not_selected", "selected": "selected",
    "short_scoreboard": "short_sb", "tex_throttle": "tex", "wait": "wait",
}  # fmt: skip
_COLUMNS = {
    "smsp__pcsamp_sample_count": "# Samples",
    "inst_executed": "Instructions Executed",
    "thread_inst_executed": "Thread Instructions Executed",
    "thread_inst_executed_true": "Predicated-On Thread Instructions Executed",
    "derived__avg_thread_executed": "Avg. Threads Executed",
    "memory_l1_tag_requests_global": "L1 Tag Requests Global",
    "memory_l2_theoretical_sectors_global": "L2 Theoretical Sectors Global",
    "memory_l2_theoretical_sectors_global_ideal": "L2 Theoretical Sectors Global Ideal",
    "derived__memory_l2_theoretical_sectors_global_excessive": (
        "L2 Theoretical Sectors Global Excessive"
    ),
    "memory_l1_wavefronts_shared": "L1 Wavefronts Shared",
    "memory_l1_wavefronts_shared_ideal": "L1 Wavefronts Shared Ideal",
    **{
        f"smsp__pcsamp_warps_issue_stalled_{ours}": f"stall_{text}"
        for ours, text in _STALLS.items()
    },
    **{
        f"smsp__pcsamp_warps_issue_stalled_{ours}_not_issued": f"stall_{text} (Not Issued)"
        for ours, text in _STALLS.items()
    },
}


def test_every_value_an_instruction_is_the_one_ncu_prints(
    transpose: ProfileReport, data: Path
) -> None:
    tables: dict[str, tuple[list[str], list[list[str]]]] = {}
    kernel = ""
    with (data / "transpose.source_sass.csv").open(newline="") as file:
        for row in csv.reader(file):
            if row[:1] == ["Kernel Name"]:
                kernel = row[1]
            elif row[:1] == ["Address"]:
                tables.setdefault(kernel, (row, []))
            elif row:
                tables[kernel][1].append(row)
    compared = 0
    for launch in transpose.launches:
        header, rows = tables[launch.demangled]
        for name, column in _COLUMNS.items():
            if column not in header:
                continue
            found = launch.instances[name]
            assert found.by_address
            ours = dict(zip(found.keys.tolist(), found.values.tolist(), strict=True))
            for row in rows:
                printed = _number(row[header.index(column)])
                # ncu prints 0 or - where the list leaves an instruction out
                assert ours.get(int(row[0], 16), 0) == (printed or 0), (name, row[0])
                compared += 1
    assert compared > 4000
