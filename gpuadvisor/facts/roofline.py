"""The roofline: what each kernel did for each byte of DRAM traffic, and the device's peaks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from gpuadvisor.evidence import Table
from gpuadvisor.evidence.findings import RooflinePoint

_FP32 = ("fadd_per_cycle", "fmul_per_cycle", "ffma2_per_cycle")
_FP64 = ("dadd_per_cycle", "dmul_per_cycle", "dfma2_per_cycle")
_MIN_DRAM_PCT = 1.0
"""Under this share of the peak, the peak that rate and share imply is mostly rounding."""


def roofline(kernels: Table) -> tuple[tuple[RooflinePoint, ...], dict[str, float]]:
    """One point a row of the kernel table, and the peaks by name (`..._flops_per_s`,
    `dram_bytes_per_s`), the highest of all kernels. Work of the tensor cores is not counted by
    the profiler's floating-point counters and so not here."""
    rows = list(kernels.rows())
    points = tuple(
        RooflinePoint(row["kernel"], _flops_per_s(row), _known(row.get("dram_bytes_per_s")))
        for row in rows
    )
    peaks: dict[str, float] = {}
    for row in rows:
        hz = _known(row.get("sm_hz"))
        for name, column in (("fp32", "ffma2_peak_per_cycle"), ("fp64", "dfma2_peak_per_cycle")):
            per_cycle = _known(row.get(column))
            if per_cycle is not None and hz is not None:
                key = f"{name}_flops_per_s"
                peaks[key] = max(peaks.get(key, 0.0), per_cycle * hz)
    bandwidth = _dram_peak(rows)
    if bandwidth is not None:
        peaks["dram_bytes_per_s"] = bandwidth
    return points, peaks


def _flops_per_s(row: Mapping[str, Any]) -> float | None:
    """FP32 and FP64 operations a second; None when neither was counted."""
    hz = _known(row.get("sm_hz"))
    groups = []
    for names in (_FP32, _FP64):
        values = [_known(row.get(name)) for name in names]
        numbers = [value for value in values if value is not None]
        if len(numbers) == len(names):
            groups.append(sum(numbers))
    return sum(groups) * hz if groups and hz is not None else None


def _dram_peak(rows: list[dict[str, Any]]) -> float | None:
    """The peak bandwidth as reported, else what the busiest kernel's rate and share imply."""
    reported = [v for row in rows if (v := _known(row.get("dram_peak_bytes_per_s"))) is not None]
    if reported:
        return max(reported)
    implied = [
        (share, rate * 100 / share)
        for row in rows
        if (share := _known(row.get("dram_pct"))) is not None
        and (rate := _known(row.get("dram_bytes_per_s"))) is not None
        and share >= _MIN_DRAM_PCT
    ]
    return max(implied)[1] if implied else None


def _known(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else None
