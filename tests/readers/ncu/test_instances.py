"""Instance lists: decoded in bulk, in every layout, absent when damaged."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuadvisor.evidence import Instances, ProfileReport
from gpuadvisor.readers.ncu.instances import DamagedMetric
from tests.readers.ncu.writer import Report, blob, instance, number, single

Open = Callable[[bytes], ProfileReport]
BASE = 0x7FBDC17A0000


def _read(opened: Open, entries: list[bytes], category: int = 0) -> Instances:
    report = Report()
    report.kernel(
        report.metric("before", 1, [instance(0, 1)]),
        report.metric("a", 5, entries, category),
        report.metric("after", 1, [instance(0, 1)]),
    )
    read = opened(report.to_bytes())
    instances = read.launches[0].instances
    assert instances["before"].values.tolist() == instances["after"].values.tolist() == [1]
    assert list(read.problems) == []
    return instances["a"]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1)), min_size=1),
)
def test_integers_of_any_size(opened: Open, pairs: list[tuple[int, int]]) -> None:
    found = _read(opened, [instance(key, value) for key, value in pairs])
    assert found.keys.tolist() == [key for key, _ in pairs]
    assert found.values.tolist() == [value for _, value in pairs]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.floats(width=64), min_size=1))
def test_floats_of_any_bits(opened: Open, values: list[float]) -> None:
    found = _read(opened, [instance(BASE + 16 * n, value) for n, value in enumerate(values)])
    assert found.by_address
    np.testing.assert_array_equal(found.values, np.array(values))


def test_differences_of_counts_may_be_negative(opened: Open) -> None:
    found = _read(opened, [instance(BASE, 3), instance(BASE + 16, 5)])
    assert (found.values - found.values[::-1]).tolist() == [-2, 2]


def test_what_is_an_address(opened: Open) -> None:
    assert _read(opened, [instance(BASE, 1)]).by_address
    assert not _read(opened, [instance(n, 1) for n in range(300)]).by_address
    times = [instance(1796096760821916128 + n, 0.5) for n in range(9)]
    assert not _read(opened, times, category=1).by_address


def test_text(opened: Open) -> None:
    found = _read(opened, [instance("FFMA", 3.0), instance("BRA", 4.0)])
    assert found.keys.tolist() == ["FFMA", "BRA"]
    assert not found.by_address
    found = _read(opened, [instance(0, "PreferNone"), instance(1, "x" * 500)])
    assert found.values.tolist() == ["PreferNone", "x" * 500]
    found = _read(opened, [instance("x" * 500, 1), instance("y", 2)])
    assert found.keys.tolist() == ["x" * 500, "y"]


def test_places_stand_in_for_keys(opened: Open) -> None:
    found = _read(opened, [instance(None, value) for value in (5, 6, 7)])
    assert found.keys.tolist() == [0, 1, 2]
    assert not found.by_address


def test_mixed_layouts(opened: Open) -> None:
    found = _read(opened, [instance(BASE, 5), instance(BASE + 16, 2.5)])
    assert found.values.tolist() == [5.0, 2.5]
    entry = blob(3, blob(1, number(4, 7)) + blob(2, single(2, 0.25)))
    found = _read(opened, [entry, entry])
    assert (found.keys.tolist(), found.values.tolist()) == ([7, 7], [0.25, 0.25])


def test_values_that_look_like_an_instance(opened: Open) -> None:
    look = struct.unpack("<d", bytes.fromhex("1a100a0228000000"))[0]
    values = [look, 1.0, look, look] * 8
    found = _read(opened, [instance(BASE + 16 * n, value) for n, value in enumerate(values)])
    assert found.values.tolist() == values


def test_metrics_over_the_same_instructions_share_their_keys(transpose: ProfileReport) -> None:
    instances = transpose.launches[0].instances
    assert instances["inst_executed"].keys is instances["thread_inst_executed"].keys
    assert instances["inst_executed"] is instances["inst_executed"]


def test_real_kinds(transpose: ProfileReport) -> None:
    instances = transpose.launches[0].instances
    opcodes = instances["sass__inst_executed_per_opcode"]
    assert "STG" in opcodes.keys.tolist()
    assert not instances["launch__occupancy_per_register_count"].by_address
    samples = instances["smsp__pcsamp_sample_count"]
    assert samples.values.sum() == transpose.launches[0].metrics["smsp__pcsamp_sample_count"]
    assert samples.values.dtype == np.int64
    assert (np.diff(samples.keys.astype(np.int64)) == 16).all()
    assert math.isclose(
        float(opcodes.values.sum()),
        float(transpose.launches[0].metrics["sass__inst_executed_per_opcode"]),
    )


def _damaged(opened: Open) -> tuple[ProfileReport, Mapping[str, Instances]]:
    report = Report()
    good = [instance(BASE + 16 * n, n) for n in range(50)]
    bad = [*good[:20], b"\x1a\x0d\x0a\x08\x28\x80", *good[20:]]
    report.kernel(
        report.metric("good", 1, good),
        report.metric("bad", 2, bad),
        report.metric("empty", 3, [blob(3, b"")]),
    )
    read = opened(report.to_bytes())
    return read, read.launches[0].instances


def test_a_damaged_list_is_absent_and_said(opened: Open) -> None:
    read, instances = _damaged(opened)
    assert list(instances) == ["good", "bad", "empty"]
    assert list(read.problems) == []
    assert "bad" not in instances
    assert instances.get("bad") is None
    with pytest.raises(KeyError):
        instances["bad"]
    assert [name for name, _ in instances.items()] == ["good"]
    assert [len(found.values) for found in instances.values()] == [50]
    assert list(instances) == ["good"]
    messages = [problem.message for problem in read.problems]
    assert len(messages) == 2
    assert all(message.startswith("kernel result 1 (kernel): inst") for message in messages)
    assert read.launches[0].metrics["bad"] == 2


def test_indexing_a_damaged_list_is_a_key_error(opened: Open) -> None:
    _, instances = _damaged(opened)
    with pytest.raises(DamagedMetric):
        instances["bad"]
