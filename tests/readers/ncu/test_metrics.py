"""Single values: exact, absent when absent, found in whatever layout the format allows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import pytest

from gpuadvisor.evidence import ProfileReport, Scalar
from tests.readers.ncu.writer import Report, blob, double, instance, number, single

Open = Callable[[bytes], ProfileReport]


def _metrics(opened: Open, report: Report, *metrics: bytes) -> Mapping[str, Scalar]:
    report.kernel(*metrics)
    return opened(report.to_bytes()).launches[0].metrics


@pytest.mark.parametrize(
    "value",
    [0, 1, 127, 128, 2**53 + 1, 2**63, 2**64 - 1, 0.0, -1.5, 1e300, math.inf, -math.inf, "", "text",
     "x" * 130, "Grüße", "x" * 20_000],
)  # fmt: skip
def test_values_are_exact(opened: Open, value: Scalar) -> None:
    report = Report()
    found = _metrics(opened, report, report.metric("a", value), report.metric("b", 7))
    assert found["a"] == value
    assert type(found["a"]) is type(value)
    assert found["b"] == 7


def test_nan_stays_nan(opened: Open) -> None:
    report = Report()
    found = _metrics(opened, report, report.metric("a", math.nan))
    assert math.isnan(float(found["a"]))


def test_older_types(opened: Open) -> None:
    report = Report()
    metrics = report.metric("a", single(2, 0.5)), report.metric("b", number(4, 12))
    assert dict(_metrics(opened, report, *metrics)) == {"a": 0.5, "b": 12}


def test_absent_is_absent(opened: Open) -> None:
    report = Report()
    metrics = (
        report.metric("no value", None),
        report.metric("empty value", b""),
        report.metric("instances only", None, [instance(4096 << 20, 3)]),
        report.metric("there", 0),
    )
    found = _metrics(opened, report, *metrics)
    assert list(found) == ["there"]
    assert len(found) == 1
    assert "no value" not in found
    assert found.get("empty value") is None
    with pytest.raises(KeyError):
        found["instances only"]


def test_the_last_of_two_counts(opened: Open) -> None:
    report = Report()
    metrics = report.metric("a", 1), report.metric("a", 2)
    assert dict(_metrics(opened, report, *metrics)) == {"a": 2}


def test_names_of_all_blocks_are_one_table(opened: Open) -> None:
    report = Report()
    for index in range(3):
        report.kernel(*(report.metric(f"metric {n}", n) for n in range(200 * (index + 1))))
    for index, launch in enumerate(opened(report.to_bytes()).launches):
        assert dict(launch.metrics) == {f"metric {n}": n for n in range(200 * (index + 1))}


def test_names_whose_index_takes_three_bytes(opened: Open) -> None:
    report = Report(names=[f"unused {n}" for n in range(20_000)])
    assert dict(_metrics(opened, report, report.metric("late", 9))) == {"late": 9}


def test_fields_in_another_order(opened: Open) -> None:
    value, entries = blob(2, double(3, 2.5)), instance(0, 7) + instance(1, 8)
    for content in (
        number(4, 0) + value + number(1, 0) + entries,
        entries + value + number(4, 0) + number(1, 0),
    ):
        report = Report(names=["a"])
        report.kernel(blob(13, content))
        launch = opened(report.to_bytes()).launches[0]
        assert dict(launch.metrics) == {"a": 2.5}
        assert launch.instances["a"].values.tolist() == [7, 8]


def test_damaged_values_are_absent_and_said(opened: Open) -> None:
    report = Report()
    report.kernel(
        report.metric("cut", b"\x19\x00\x00"),
        report.metric("type", b"\x7f\x00"),
        report.metric("endless", b"\x28\xff\xff\xff"),
        report.metric("fine", 1),
        blob(13, number(1, 4000) + blob(2, number(5, 1))),
    )
    read = opened(report.to_bytes())
    assert dict(read.launches[0].metrics) == {"fine": 1}
    said = [problem.message for problem in read.problems]
    assert any("value is unreadable" in message for message in said)
    assert any("name is not in the file" in message for message in said)
    assert all("kernel result 1 (kernel)" in message for message in said)
