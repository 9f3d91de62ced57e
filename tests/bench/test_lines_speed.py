"""Line tables of a report with many launches of the same programs cost little."""

from __future__ import annotations

import lzma
import time
from pathlib import Path

import pytest

from gpuadvisor.readers import open_evidence
from gpuadvisor.readers.cubin.image import Cubin
from gpuadvisor.readers.lines import instruction_table
from gpuadvisor.sass import read_listing


@pytest.mark.bench
def test_tables_of_many_launches(shared: Path, tmp_path: Path) -> None:
    packed = shared / "reports" / "h200" / "scale" / "big160.ncu-rep.xz"
    path = tmp_path / "big160.ncu-rep"
    with lzma.open(packed) as source, path.open("wb") as target:
        while block := source.read(1 << 22):
            target.write(block)
    report = open_evidence(path)
    for launch in report.launches:
        for name in ("inst_executed", "smsp__pcsamp_sample_count"):
            assert len(launch.instances[name].keys)

    start = time.perf_counter()
    tables = [instruction_table(launch) for launch in report.launches]
    spent = time.perf_counter() - start
    rows = sum(len(table) for table in tables if table is not None)
    table = tables[-1]
    assert table is not None

    program = report.launches[0].program
    assert program is not None
    start = time.perf_counter()
    cubin = Cubin(program.cubin)
    cubin.lines(cubin.code[report.launches[0].mangled].section)
    once = time.perf_counter() - start

    start = time.perf_counter()
    listing = read_listing(table)
    assert len(listing.decoded) == len(table)
    decoding = time.perf_counter() - start
    print(
        f"\n{len(report.launches)} launches, {rows} rows: tables {spent * 1e3:.0f} ms, "
        f"one line program {once * 1e3:.1f} ms, decoding one kernel {decoding * 1e3:.1f} ms"
    )
    assert spent < 0.5 * once * len(report.launches)
    assert decoding < spent
