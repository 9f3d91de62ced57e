"""Launches, their devices, programs, rules and ranges."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gpuadvisor.evidence import ProfileReport
from gpuadvisor.readers import open_evidence
from tests.readers.ncu.writer import Report, blob, device, double, number, session

Open = Callable[[bytes], ProfileReport]


def test_a_real_report(transpose: ProfileReport) -> None:
    names = [launch.name for launch in transpose.launches]
    assert names == ["transpose_naive", "transpose_tiled", "transpose_padded"]
    naive = transpose.launches[0]
    assert (naive.scope, naive.index, naive.mangled) == ("kernel", 0, "_Z15transpose_naivePKfPfii")
    assert (naive.grid, naive.block) == ((256, 128, 1), (32, 32, 1))
    assert naive.clocks_locked is False
    assert [device.name for device in transpose.devices] == ["NVIDIA H200"]
    assert naive.device == transpose.devices[0]
    assert transpose.devices[0].cc == (9, 0)
    assert transpose.devices[0].attributes["multiprocessor_count"] == 132
    assert transpose.format_version == 7
    assert list(transpose.problems) == []


def test_the_session(transpose: ProfileReport) -> None:
    session = transpose.session
    assert session.tool_version == "2025.3.1.0"
    assert session.cuda_version == "13.0"
    assert "--import-source yes" in session.command_line
    assert session.process_name.endswith("transpose")
    assert session.created_unix_s == 1796096371


def test_the_program_comes_once_and_is_shared(transpose: ProfileReport) -> None:
    program = transpose.launches[0].program
    assert program is not None
    assert all(launch.program is program for launch in transpose.launches)
    assert program.cubin.startswith(b"\x7fELF")
    assert program.sm == 90
    assert "transpose_naive" in next(iter(program.sources.values()))
    assert set(program.functions) == {launch.mangled for launch in transpose.launches}
    naive = transpose.launches[0]
    base = int(naive.instances["inst_executed"].keys.min())
    assert program.functions[naive.mangled] == base


def test_the_vendors_rules(transpose: ProfileReport) -> None:
    rules = {rule.identifier: rule for rule in transpose.launches[0].vendor_rules}
    slots = rules["IssueSlotUtilization"]
    assert slots.section == "SchedulerStats"
    assert slots.speedup_kind == "local"
    assert slots.speedup_pct is not None
    assert 0 < slots.speedup_pct < 100
    assert "every scheduler" in slots.messages[0].lower()
    marked = [marker for rule in rules.values() for marker in rule.markers]
    assert any(file.endswith("transpose.cu") and line > 0 for file, line, _ in marked)


def test_a_range(data: Path) -> None:
    report = open_evidence(data / "range.ncu-repz")
    (launch,) = report.launches
    assert (launch.scope, launch.name) == ("range", "range")
    assert (launch.grid, launch.block) == ((0, 0, 0), (0, 0, 0))
    assert launch.metrics["gpu__time_duration.sum"] == 116382400.0
    assert launch.program is None
    assert not any(found.by_address for found in launch.instances.values())


def test_a_graph(data: Path) -> None:
    report = open_evidence(data / "graph.ncu-repz")
    scopes = [launch.scope for launch in report.launches]
    assert scopes == ["kernel", "kernel", "kernel", "kernel", "graph"]
    assert report.launches[0].name == "distribution_elementwise_grid_stride_kernel"
    assert "gpu__time_duration.sum" in report.launches[4].metrics


def test_a_command_list(opened: Open) -> None:
    report = Report()
    info = blob(1, number(1, 8) + number(2, 4) + number(3, 1)) + blob(2, number(1, 64))
    report.block([blob(18, "list of one") + blob(20, info)], header=number(8, 1))
    (launch,) = opened(report.to_bytes()).launches
    assert (launch.scope, launch.name, launch.grid) == ("cmdlist", "list of one", (8, 4, 1))


def test_each_launch_has_its_own_device(opened: Open) -> None:
    report = Report()
    report.block(
        header=session(
            device(0, "first", {"compute_capability_major": 8, "compute_capability_minor": 6}),
            device(1, "second", {"compute_capability_major": 9, "compute_capability_minor": 0}),
        )
    )
    report.kernel(report.metric("launch__device_id", 1), name="on_second")
    report.kernel(report.metric("device__attribute_device_index", 0), name="on_first")
    read = opened(report.to_bytes())
    assert [(d.name, d.cc) for d in read.devices] == [("first", (8, 6)), ("second", (9, 0))]
    assert [launch.device and launch.device.name for launch in read.launches] == ["second", "first"]


def test_a_device_known_from_metrics_alone(opened: Open) -> None:
    report = Report()
    report.kernel(
        report.metric("device__attribute_device_index", 2),
        report.metric("device__attribute_display_name", "old"),
        report.metric("device__attribute_compute_capability_major", 7.0),
        report.metric("device__attribute_compute_capability_minor", 0.0),
    )
    read = opened(report.to_bytes())
    assert [(d.id, d.name, d.cc) for d in read.devices] == [(2, "old", (7, 0))]
    assert read.launches[0].device == read.devices[0]


def test_no_word_on_the_device(opened: Open) -> None:
    report = Report()
    report.kernel(report.metric("sm__cycles_elapsed.max", 5))
    read = opened(report.to_bytes())
    assert read.devices == ()
    assert read.launches[0].device is None


def test_a_program_repeated_without_bytes_keeps_the_first(opened: Open) -> None:
    def relocations(symbol: str, address: int) -> bytes:
        return blob(9, blob(1, blob(1, symbol) + number(2, address)))

    files = blob(8, blob(1, blob(1, "a.cu") + blob(2, "text of a")))
    report = Report()
    reference = number(1, 77)
    report.block(
        [
            reference + blob(3, ".version") + blob(4, b"code") + number(6, 8 << 16 | 6) + files
            + relocations("f", 4096)
        ],
        sources=1,
    )  # fmt: skip
    report.kernel(blob(15, reference), name="f")
    report.block([reference + blob(4, b"") + relocations("g", 8192)], sources=1)
    report.kernel(blob(15, reference), name="g")
    report.kernel(blob(15, number(1, 78)), name="unknown")
    first, second, unknown = (launch.program for launch in opened(report.to_bytes()).launches)
    assert first is second
    assert first is not None
    assert (first.cubin, first.ptx, first.sm) == (b"code", ".version", 86)
    assert first.sources == {"a.cu": "text of a"}
    assert first.functions == {"f": 4096, "g": 8192}
    assert unknown is None


def test_ranges_of_the_launching_thread(opened: Open) -> None:
    domains = blob(1, number(1, 0) + blob(2, "<default domain>"))
    domains += blob(1, number(1, 3) + blob(2, "loader"))

    def pushed(domain: int, *names: str) -> bytes:
        return number(1, domain) + b"".join(blob(3, blob(1, name)) for name in names)

    threads = blob(2, number(1, 5) + blob(2, pushed(0, "outer", "inner")) + blob(2, pushed(3, "x")))
    threads += blob(2, number(1, 6) + blob(2, pushed(0, "of another thread")))
    report = Report()
    report.kernel(number(1, 5), blob(21, domains + threads))
    assert opened(report.to_bytes()).launches[0].nvtx == ("outer", "inner", "loader@x")


@pytest.mark.parametrize(("executed", "locked"), [(0, False), (1, True)])
def test_clock_control(opened: Open, executed: int, locked: bool) -> None:
    report = Report()
    report.kernel(blob(25, number(1, 1) + number(2, executed)))
    report.kernel()
    launches = opened(report.to_bytes()).launches
    assert [launch.clocks_locked for launch in launches] == [locked, None]


def test_rules_that_said_nothing_are_left_out(opened: Open) -> None:
    item = blob(1, blob(1, "Do better") + number(2, 4)) + blob(10, number(1, 2) + double(2, 12.5))
    said = blob(1, "Rule") + blob(2, "A rule") + blob(3, blob(1, item)) + blob(4, "Section")
    on_line = number(1, 1) + number(2, 9) + blob(4, "here") + blob(6, "a.cu")
    on_instruction = number(1, 0) + number(3, 4096) + blob(4, "there")
    report = Report()
    report.kernel(
        blob(19, said + blob(5, on_line) + blob(5, on_instruction)),
        blob(19, blob(1, "Silent") + blob(2, "Said nothing")),
    )
    (rule,) = opened(report.to_bytes()).launches[0].vendor_rules
    assert (rule.identifier, rule.messages) == ("Rule", ("Do better",))
    assert (rule.speedup_kind, rule.speedup_pct) == ("global", 12.5)
    assert rule.markers == (("a.cu", 9, "here"), ("", 0, "there"))


def test_a_report_without_results_says_so(opened: Open) -> None:
    report = Report()
    report.block(header=session(number(2, 1_700_000_000)))
    read = opened(report.to_bytes())
    assert read.launches == ()
    assert "no kernel was profiled" in read.problems[0].message
    assert read.session.created_unix_s == 1_700_000_000
