"""Instruction tables of real reports: every measured instruction, its code and its line."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gpuadvisor.evidence import NO_CHAIN, Instances, Launch, ProfileReport
from gpuadvisor.readers import open_evidence
from gpuadvisor.readers.aligned import AlignedMetrics
from gpuadvisor.readers.lines import instruction_table, read_instructions
from gpuadvisor.sass import read_listing

SAMPLES = "smsp__pcsamp_sample_count"


def _kernel(report: ProfileReport, name: str) -> Launch:
    return next(launch for launch in report.launches if launch.name == name)


@pytest.fixture(scope="module")
def printed(data: Path) -> dict[str, list[dict[str, str]]]:
    """What ncu prints per instruction, by kernel."""
    kernels: dict[str, list[dict[str, str]]] = {}
    header: list[str] = []
    with (data / "transpose.source_sass.csv").open(newline="") as file:
        for cells in csv.reader(file):
            if cells and cells[0] == "Kernel Name":
                rows = kernels[cells[1].split("(")[0]] = []  # printed twice, the same
            elif cells and cells[0] == "Address":
                header = cells
            elif cells and cells[0].startswith("0x"):
                rows.append(dict(zip(header, cells, strict=True)))
    return kernels


def test_instructions_agree_with_what_the_profiler_prints(
    transpose: ProfileReport, printed: dict[str, list[dict[str, str]]]
) -> None:
    assert len(printed) == 3
    for name, rows in printed.items():
        table = instruction_table(_kernel(transpose, name))
        assert table is not None
        names = read_listing(table).decoded["name"].tolist()
        place = {address: row for row, address in enumerate(table.address.tolist())}
        for cells in rows:
            row = place.pop(int(cells["Address"], 16), None)
            if row is None:  # what fills the function up
                assert cells["# Samples"] == cells["Instructions Executed"] == "0"
                continue
            words = cells["Source"].split()
            mnemonic = next(word for word in words if not word.startswith("@"))
            assert names[row] == mnemonic.rstrip(";").split(".")[0]
            assert table.metrics[SAMPLES][row] == float(cells["# Samples"])
            executed = table.metrics["inst_executed"][row]
            if not np.isnan(executed):
                assert executed == float(cells["Instructions Executed"])
        assert place == {}


def test_warps_that_drain_are_seen_behind_the_exit(transpose: ProfileReport) -> None:
    table = instruction_table(_kernel(transpose, "transpose_naive"))
    assert table is not None
    samples = table.metrics[SAMPLES]
    hottest = int(samples.argmax())
    names = read_listing(table).decoded["name"]
    assert names[hottest - 1] == "EXIT"
    assert samples[hottest] > samples.sum() / 2
    assert np.isnan(table.metrics["inst_executed"][hottest])
    (store,) = np.flatnonzero(names == "STG").tolist()
    drains = read_listing(table).drains
    assert drains["store"][drains["exit"] == hottest].tolist() == [store]
    assert table.chains[table.chain[store]][0].line == 22


def test_all_samples_have_a_row(samples: Path) -> None:
    for name in ("reduce/reduce.ncu-rep", "particles/particles.ncu-rep"):
        for launch in open_evidence(samples / name).launches:
            table = instruction_table(launch)
            assert table is not None
            measured = launch.instances[SAMPLES].values.sum()
            assert table.metrics[SAMPLES].sum() == measured
            assert NO_CHAIN not in table.chain
            assert (np.diff(table.address.astype(np.int64)) == 16).all()


def test_an_inlined_atomic_names_its_caller(samples: Path) -> None:
    report = open_evidence(samples / "reduce" / "reduce.ncu-rep")
    table = instruction_table(_kernel(report, "reduce_atomic"))
    assert table is not None
    (row,) = np.flatnonzero(read_listing(table).decoded["name"] == "RED").tolist()
    inner, outer = table.chains[table.chain[row]]
    assert inner.file.endswith("/include/sm_20_atomic_functions.hpp")
    assert "/../" not in inner.file
    assert (outer.file.rsplit("/", 1)[-1], outer.line) == ("reduce.cu", 23)


def test_metrics_keep_missing_apart_from_zero(transpose: ProfileReport) -> None:
    table = instruction_table(_kernel(transpose, "transpose_tiled"))
    assert table is not None
    sectors = table.metrics["memory_l2_theoretical_sectors_global"]
    memory = np.flatnonzero(~np.isnan(sectors))
    names = read_listing(table).decoded["name"]
    assert set(names[memory].tolist()) == {"LDG", "STG"}
    assert not np.isnan(table.metrics[SAMPLES]).any()
    assert "launch__grid_size" not in table.metrics
    with pytest.raises(KeyError):
        table.metrics["no_such_metric"]
    listed = list(table.metrics)
    assert len(listed) == len(table.metrics) == len(set(listed))
    assert {SAMPLES, "inst_executed"} <= set(listed)


def test_nothing_measured_is_no_table_but_a_reason(data: Path) -> None:
    report = open_evidence(data / "transpose_two_metrics.ncu-repz")
    launch = replace(report.launches[0], instances={})
    table, problems = read_instructions(launch)
    assert table is None
    assert "per instruction" in problems[0].message
    assert "ncu" in problems[0].hint
    whole, _ = read_instructions(launch, measured_only=False)
    assert whole is not None
    assert list(whole.metrics) == []
    assert read_listing(whole).decoded["name"].tolist().count("EXIT") >= 1


@pytest.mark.parametrize("name", ["range.ncu-repz", "graph.ncu-repz"])
def test_ranges_and_graphs_have_no_instructions(data: Path, name: str) -> None:
    launch = open_evidence(data / name).launches[0]
    table, problems = read_instructions(launch)
    assert table is None
    assert problems[0].hint


def test_a_report_without_code_still_has_its_rows(transpose: ProfileReport) -> None:
    launch = replace(_kernel(transpose, "transpose_naive"), program=None)
    table, problems = read_instructions(launch)
    assert table is not None
    assert problems
    assert not table.words.any()
    assert set(table.chain.tolist()) == {NO_CHAIN}
    assert table.metrics[SAMPLES].sum() > 0


def test_samples_alone_still_give_every_instruction(transpose: ProfileReport) -> None:
    launch = _kernel(transpose, "transpose_naive")
    whole = instruction_table(launch)
    found = launch.instances[SAMPLES]
    few = Instances(found.keys[5:9], found.values[5:9])
    table = instruction_table(replace(launch, instances={SAMPLES: few}))
    assert whole is not None
    assert table is not None
    assert table.address.tolist() == whole.address.tolist()
    assert table.metrics[SAMPLES].sum() == few.values.sum()
    assert (table.words == whole.words).all()


def _numbered(count: int) -> Instances:
    return Instances(np.arange(count, dtype=np.uint64) * 16 + 4096, np.arange(count))


@pytest.mark.parametrize("order", [lambda keys: keys, lambda keys: keys[::-1]])
def test_values_follow_their_address(order: Callable[[np.ndarray], np.ndarray]) -> None:
    found = _numbered(6)
    shuffled = Instances(order(found.keys), order(found.values))
    metrics = AlignedMetrics({"inst_executed": shuffled}, found.keys[1:4])
    assert metrics["inst_executed"].tolist() == [1.0, 2.0, 3.0]


def test_a_list_over_other_addresses_is_no_metric_of_the_table() -> None:
    found = _numbered(4)
    metrics = AlignedMetrics({"x": found}, found.keys + np.uint64(1 << 20))
    assert "x" not in metrics
    assert dict(metrics) == {}
