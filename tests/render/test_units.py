"""Numbers as people write them."""

from __future__ import annotations

import math

import pytest

from gpuadvisor.render import units


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (4194304, "4,194,304"),
        (12.54, "12.5"),
        (0.03412, "0.0341"),
        (1e-7, "1.00e-07"),
        (0, "0"),
        (1.0, "1"),
        (None, "-"),
        (math.nan, "-"),
        (math.inf, "-"),
        ("registers", "registers"),
    ],
)
def test_number(value: float | str | None, shown: str) -> None:
    assert units.number(value) == shown


@pytest.mark.parametrize(
    ("nanoseconds", "shown"),
    [
        (0, "0 ns"),
        (850, "850 ns"),
        (999.96, "1 us"),
        (19_232, "19.2 us"),
        (490_272, "490 us"),
        (999_960, "1 ms"),
        (14_732_000, "14.7 ms"),
        (2_500_000_000, "2.5 s"),
        (None, "-"),
        (math.nan, "-"),
    ],
)
def test_duration(nanoseconds: float | None, shown: str) -> None:
    assert units.duration(nanoseconds) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (54.3, "54 %"),
        (3.14, "3.1 %"),
        (9.96, "10 %"),
        (100, "100 %"),
        (0, "0 %"),
        (0.03, "<0.1 %"),
        (None, "-"),
    ],
)
def test_percent(value: float | None, shown: str) -> None:
    assert units.percent(value) == shown


@pytest.mark.parametrize(
    ("factor", "shown"),
    [(1.0, "1"), (1.04, "1.04"), (1.86, "1.9"), (9.96, "10"), (13.4, "13"), (767, "770")],
)
def test_times_has_no_digit_that_an_estimate_does_not_bear(factor: float, shown: str) -> None:
    assert units.times(factor) == shown


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (490_272, "ns", "490 us"),
        (88.9, "%", "89 %"),
        (32, "sector", "32 sector"),
        ("registers", "%", "registers"),
        (None, "byte", "-"),
    ],
)
def test_quantity(value: float | str | None, unit: str, shown: str) -> None:
    assert units.quantity(value, unit) == shown


def test_plural() -> None:
    assert units.plural(1, "launch") == "1 launch"
    assert units.plural(1200, "launch") == "1,200 launches"
    assert units.plural(2, "kernel") == "2 kernels"
