"""Numbers as people write them: three digits that matter, a unit, and a dash for "not measured"."""

from __future__ import annotations

import math

MISSING = "-"


def number(value: float | str | None) -> str:
    """A count or ratio: `4,194,304`, `12.5`, `0.034`; text stays as it is."""
    if isinstance(value, str):
        return value
    if value is None or not math.isfinite(value):
        return MISSING
    if abs(value) >= 100 or value == int(value):
        return f"{value:,.0f}"
    if abs(value) >= 0.001:
        return f"{value:.3g}"
    return f"{value:.2e}"


def percent(value: float | None) -> str:
    """A percentage without a decimal, but with one under 10: `54 %`, `3.1 %`."""
    if value is None or not math.isfinite(value):
        return MISSING
    if 0 < value < 0.05:
        return "<0.1 %"
    return f"{value:.0f} %" if abs(value) >= 9.95 or value == int(value) else f"{value:.1f} %"


def duration(nanoseconds: float | None) -> str:
    """A time in the unit that leaves one to three digits before the point: `490 us`, `14.7 ms`."""
    if nanoseconds is None or not math.isfinite(nanoseconds):
        return MISSING
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        # 0.9995 of a unit is written as one of it, so that 999,960 ns is "1 ms", not "1000 us".
        if abs(nanoseconds) >= size * 0.9995:
            return f"{_three_digits(nanoseconds / size)} {unit}"
    return f"{nanoseconds:.0f} ns"


def quantity(value: float | str | None, unit: str = "") -> str:
    """A number with its unit; times and percentages in their own form."""
    if not isinstance(value, (int, float)):
        return number(value)
    if unit in ("ns", "nsecond"):
        return duration(value)
    if unit in ("%", "pct"):
        return percent(value)
    # A ratio is a bare number, "ratio of all lanes" a number "of all lanes".
    unit = unit.removeprefix("ratio").strip()
    return f"{number(value)} {unit}" if unit else number(value)


def times(factor: float) -> str:
    """A factor with the digits an estimate bears: `1.04`, `1.9`, `13`, `770`."""
    if factor < 1.095:
        return f"{factor:.2f}".rstrip("0").rstrip(".")
    if factor < 9.95:
        return f"{factor:.1f}".rstrip("0").rstrip(".")
    return f"{round(factor, 1 - math.floor(math.log10(factor))):,.0f}"


def plural(count: int, noun: str) -> str:
    """`1 launch`, `3 launches`, `2 kernels`."""
    ending = "es" if noun.endswith(("s", "ch", "sh", "x")) else "s"
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}{ending}"


def _three_digits(value: float) -> str:
    decimals = 0 if abs(value) >= 99.95 else 1 if abs(value) >= 9.995 else 2
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
