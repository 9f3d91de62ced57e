"""Texts with fields: how numbers are written, what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gpuadvisor.evidence import Table
from gpuadvisor.rules.columns import View
from gpuadvisor.rules.evaluation import Scope
from gpuadvisor.rules.expressions import ExpressionError
from gpuadvisor.rules.templates import format_number, parse_template

NUMBERS = [
    (1234567.0, "", "1,234,567"),
    (1234567.8, "", "1,234,568"),
    (0.123456, "", "0.123"),
    (12.3456, "", "12.3"),
    (99.96, "", "100"),
    (0.0, "", "0"),
    (-2.5, "", "-2.5"),
    (2.0, "", "2"),
    (1.26, ".1f", "1.3"),
    (1234.5, ",.1f", "1,234.5"),
    (0.056, "%", "6 %"),
    (0.056, ".1%", "5.6 %"),
    (4.0, "d", "4"),
    (12345.6, "d", "12,346"),
    (12345.6, ",", "12,346"),
    (1_230_000.0, "si", "1.23 M"),
    (999.0, "si", "999"),
    (999_600.0, "si", "1 M"),
    (4.8e9, "bytes", "4.8 GB"),
    (12.0, "bytes", "12 B"),
    (1500.0, "duration", "1.5 us"),
    (2.5e6, "duration", "2.5 ms"),
    (40.0, "duration", "40 ns"),
    (1.857, "x", "1.86x"),
    (math.nan, "", "not measured"),
    (math.nan, "bytes", "not measured"),
    (math.inf, "d", "not measured"),
]


@pytest.mark.parametrize(("value", "form", "text"), NUMBERS)
def test_numbers(value: float, form: str, text: str) -> None:
    assert format_number(value, form) == text


def filled(text: str) -> list[str]:
    table = Table(
        {
            "n": np.array([1.0, 25000.0]),
            "kind": np.array(["load", "store"]),
            "hot": np.array([True, False]),
        }
    )
    return parse_template(text).fill(Scope(View(table), {}, {}))


def test_fields_are_filled_for_each_row() -> None:
    assert filled("a {kind} of {n * 2:si} sector{'s' if n != 1 else ''}, {hot}") == [
        "a load of 2 sector, yes",
        "a store of 50 k sectors, no",
    ]
    assert filled("plain {{braces}}") == ["plain {braces}", "plain {braces}"]
    assert filled("{'a:b}' if hot else kind}") == ["a:b}", "store"]
    assert filled("{nowhere:.1f}") == ["not measured", "not measured"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{n", "without its"),
        ("n}", "single"),
        ("{n {kind}}", "without its"),
        ("{}", "missing"),
        ("{n:1000000000d}", "no number format"),
        ("{n:>9999999}", "no number format"),
        ("{n!r}", "not an expression"),
        ("{n.__class__}", "attribute access"),
        ("{__import__('os')}", "no function"),
    ],
)
def test_refused(text: str, reason: str) -> None:
    with pytest.raises(ExpressionError, match=reason):
        parse_template(text)
