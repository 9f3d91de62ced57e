"""Damaged reports give what is whole, say what is lost, and never anything else."""

from __future__ import annotations

import os
import random
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuadvisor.evidence import ProfileReport, UnreadableInput
from gpuadvisor.readers import open_evidence
from tests.readers.ncu.writer import Report, blob, device, instance, number, session

Open = Callable[[bytes], ProfileReport]


def use(report: ProfileReport) -> None:
    """Looks at everything there is."""
    for launch in report.launches:
        assert launch.name
        assert all(launch.metrics[name] is not None for name in launch.metrics)
        for name in list(launch.instances):
            found = launch.instances.get(name)
            assert (name in launch.instances) == (found is not None)
            if found is not None:
                assert len(found.keys) == len(found.values) > 0
        assert all(rule.identifier is not None for rule in launch.vendor_rules)
        if launch.program is not None:
            program = launch.program
            assert program.cubin is not None
            assert program.sources is not None
            assert program.functions is not None
            assert isinstance(program.ptx, str)
    assert all(problem.message for problem in report.problems)


def try_to_use(opened: Open, content: bytes) -> ProfileReport | None:
    try:
        report = opened(content)
    except UnreadableInput:
        return None
    use(report)
    return report


def test_truncation_anywhere(opened: Open, transpose_bytes: bytes) -> None:
    size = len(transpose_bytes)
    whole: list[int] = []
    for place in [*range(24), *(24 + (size - 24) * n // 176 for n in range(176))]:
        report = try_to_use(opened, transpose_bytes[:place])
        assert report is None or report.problems
        whole.append(len(report.launches) if report else 0)
    # what is whole before the cut is there
    assert sorted(whole) == whole
    assert set(whole) == {0, 1, 2}


def test_a_cut_names_what_is_lost(opened: Open, transpose_bytes: bytes) -> None:
    report = opened(transpose_bytes[: len(transpose_bytes) * 8 // 10])
    assert [launch.name for launch in report.launches] == ["transpose_naive", "transpose_tiled"]
    messages = " ".join(problem.message for problem in report.problems)
    assert "the file is cut off" in messages
    assert "1 kernel result from byte" in messages
    assert all(problem.hint for problem in report.problems)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_flipped_bytes(opened: Open, small_bytes: bytes, seed: int) -> None:
    generator = random.Random(seed)
    usable = 0
    for _ in range(500):
        content = bytearray(small_bytes)
        for _ in range(generator.choice((1, 1, 1, 4, 40))):
            content[generator.randrange(len(content))] = generator.randrange(256)
        usable += try_to_use(opened, bytes(content)) is not None
    # damage of a byte rarely costs the whole report
    assert usable > 350


def test_flipped_bytes_of_a_full_report(opened: Open, transpose_bytes: bytes) -> None:
    generator = random.Random(7)
    for _ in range(40):
        content = bytearray(transpose_bytes)
        for _ in range(generator.choice((1, 30, 300))):
            content[generator.randrange(4096, len(content))] = generator.randrange(256)
        try_to_use(opened, bytes(content))


def test_noise_behind_the_header(opened: Open, small_bytes: bytes) -> None:
    generator = random.Random(3)
    for size in (1, 3, 4, 5, 100, 5000):
        assert try_to_use(opened, small_bytes[:10] + generator.randbytes(size)) is None


def test_a_damaged_result_costs_no_other(opened: Open) -> None:
    report = Report()
    report.kernel(report.metric("a", 1), name="first")
    bad = blob(6, "broken") + report.metric("a", 2) + b"\x6a\xff\xff\x7f" + report.metric("a", 3)
    report.block([bad], results=1)
    report.block([b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"], results=1)
    report.block([blob(9, b"nameless")], results=1)
    report.kernel(report.metric("a", 4), name="last")
    read = opened(report.to_bytes())
    assert [launch.name for launch in read.launches] == ["first", "broken", "last"]
    assert [launch.metrics.get("a") for launch in read.launches] == [1, 2, 4]
    messages = [problem.message for problem in read.problems]
    assert "kernel result 2 (broken) is incomplete" in messages[0]
    assert "kernel result 3 at byte" in messages[1]
    assert "kernel result 4 at byte" in messages[2]
    assert "names no kernel" in messages[2]


def test_a_payload_of_fewer_entries_than_announced(opened: Open) -> None:
    report = Report()
    report.block([blob(6, "one"), blob(6, "two")], results=5)
    report.kernel(name="three")
    read = opened(report.to_bytes())
    assert [launch.name for launch in read.launches] == ["one", "two", "three"]
    assert "3 kernel results from byte" in read.problems[0].message


def test_names_behind_a_damaged_header_are_not_guessed(opened: Open) -> None:
    report = Report()
    report.kernel(report.metric("a", 1), name="first")
    report.blocks.append(struct.pack("<I", 4) + b"\xff\xff\xff\xff")
    report.kernel(report.metric("b", 2), name="second")
    read = opened(report.to_bytes())
    assert [launch.name for launch in read.launches] == ["first"]
    assert "a block header is damaged" in read.problems[0].message


def test_damaged_parts_beside_the_results(opened: Open) -> None:
    report = Report()
    report.block(header=blob(3, b"\x0a\xff"))
    reference = number(1, 5)
    report.block([reference + blob(8, b"\xff\xff") + blob(9, b"\x0a\x7f")], sources=1)
    report.block([b"\x0a\x7f"], sources=1)
    report.kernel(blob(15, reference), blob(19, b"\x0a\x7f"), blob(21, b"\x0a\x7f"))
    read = opened(report.to_bytes())
    use(read)
    (launch,) = read.launches
    assert launch.program is not None
    assert (launch.program.sources, launch.program.functions) == ({}, {})
    assert (launch.nvtx, list(launch.vendor_rules)) == ((), [])
    messages = "\n".join(problem.message for problem in read.problems)
    for part in ("session", "program", "NVTX", "embedded source", "functions", "own rules"):
        assert part in messages


def test_many_problems_are_counted(opened: Open) -> None:
    report = Report()
    for _ in range(80):
        report.block([blob(9, b"")], results=1)
    report.kernel()
    problems = opened(report.to_bytes()).problems
    assert len(problems) == 51
    assert problems[-1].message == "30 more problems of this file are not listed"


def test_a_cut_compressed_report(data: Path, tmp_path: Path) -> None:
    packed = (data / "transpose.ncu-repz").read_bytes()
    path = tmp_path / "cut.ncu-repz"
    path.write_bytes(packed[: len(packed) * 9 // 10])
    report = open_evidence(path)
    use(report)
    assert 1 <= len(report.launches) < 3
    assert any("cut off" in problem.message for problem in report.problems)


def test_a_file_that_changes_while_it_is_read(opened: Open, tmp_path: Path) -> None:
    report = Report()
    report.block(header=session(device(0, "GPU", {})))
    for _ in range(2):
        report.kernel(report.metric("a", 1, [instance(0, 1)]), blob(19, blob(1, "Rule")))
    content = report.to_bytes()
    read = opened(content)
    path = tmp_path / "a.ncu-rep"
    path.write_bytes(content[: len(content) // 2])
    assert dict(read.launches[0].metrics) == {}
    assert dict(read.launches[0].instances) == {}
    assert list(read.launches[0].vendor_rules) == []
    assert read.sha256 == ""
    assert any("changed while it was being read" in each.message for each in read.problems)
    os.remove(path)
    use(read)
