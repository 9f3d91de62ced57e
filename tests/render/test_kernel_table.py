"""The kernel table."""

from __future__ import annotations

import pytest

from gpuadvisor.render.kernel_table import bar, kernel_table
from gpuadvisor.render.layout import plain
from tests.render.conftest import kernel


@pytest.mark.parametrize(
    ("percentage", "drawn"),
    [(0.0, "      "), (50.0, "███   "), (100.0, "██████"), (120.0, "██████"), (None, "      ")],
)
def test_bar(percentage: float | None, drawn: str) -> None:
    assert bar(percentage) == drawn


def test_columns_nobody_measured_are_left_out() -> None:
    kernels = [kernel("a", occupancy_limiter=None), kernel("b", occupancy_limiter=None)]
    heading, *rows = [plain(s) for s in kernel_table(kernels, {"a#0": "a", "b#0": "b"}, bars=False)]
    assert "limited by" not in heading
    assert "launches" not in heading
    assert len(rows) == 2


def test_bars_only_when_asked_for() -> None:
    kernels = [kernel("a")]
    with_bars = "\n".join(plain(s) for s in kernel_table(kernels, {"a#0": "a"}, bars=True))
    assert "█████▌   91 %" in with_bars
    without = "\n".join(plain(s) for s in kernel_table(kernels, {"a#0": "a"}, bars=False))
    assert without.isascii()


def test_columns_stand_below_their_headings() -> None:
    kernels = [kernel("a"), kernel("日本語", launches=3, duration_ns=1e6)]
    names = {"a#0": "a", "日本語#0": "日本語"}
    heading, first, _ = [plain(s) for s in kernel_table(kernels, names, bars=False)]
    assert heading.index("verdict") == first.index("memory")
    assert heading.index("occupancy") == first.index("95 of")
