"""The resources of a kernel, how busy each is, and the time that remains when some are relieved."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gpuadvisor.evidence.findings import Estimate

PRACTICAL_PEAK = 0.92
"""The share of a peak that well-made kernels reach (DRAM copies on an H200: 0.90 to 0.93)."""

SATURATED = {"l2": 0.55, "dram": 0.55}
SATURATED_OTHER = 0.70
"""From here on a resource queues: waiting for it is paid by every access, not only by the one at
fault. Bursts fill L2 and DRAM earlier than their average shows."""

DOMINANT = 0.4
"""When warps spend so much of their time on the accesses at fault, the rest of their waiting is
mostly for the same queues."""

Value = Callable[[str], float]
"""Looks up a number by column name; NaN when it was not measured."""

RESOURCES: Mapping[str, tuple[str, str]] = {
    "dram": ("dram_pct", "DRAM bandwidth"),
    "l2": ("l2_pct", "L2 throughput"),
    "l1": ("l1_elapsed_pct", "L1 throughput"),
    "issue": ("issue_elapsed_pct", "issue slots"),
    "fma": ("pipe_fma_pct", "the FMA pipe"),
    "alu": ("pipe_alu_pct", "the integer pipe"),
    "fp64": ("pipe_fp64_pct", "the FP64 pipe"),
    "fp16": ("pipe_fp16_pct", "the FP16 pipe"),
    "xu": ("pipe_xu_pct", "the special-function pipe"),
    "lsu": ("pipe_lsu_pct", "the load/store pipe"),
    "tensor": ("pipe_tensor_pct", "the tensor cores"),
    "blocks": ("block_rate_pct", "the rate at which blocks start"),
}


PARTS: Mapping[str, tuple[str, str]] = {
    "l2_sectors": ("l2_sectors_pct", "L2 throughput"),
    "l2_tags": ("l2_tags_pct", "L2 tag lookups"),
}
"""What the L2 throughput is made of as far as a kernel's accesses decide it; what else is in it
(fills from DRAM) goes with the DRAM bytes."""


PEAKS = {"l2_sectors": 0.55}
"""Streaming kernels at the roof of DRAM use 35 to 50 % of the L2's sector peak, none more."""


@dataclass(frozen=True)
class Floor:
    """The least time that the resources allow (1 = now) and the one that sets it."""

    time: float
    limit: str


def utilisation(kernel: Value) -> dict[str, float]:
    """Share of the duration each measured resource is busy, 0..1; unmeasured ones are left out."""
    used = {}
    for name, (column, _) in RESOURCES.items():
        value = kernel(column)
        if math.isfinite(value):
            used[name] = min(max(value, 0.0), 100.0) / 100
    return used


def with_l2_parts(kernel: Value, used: Mapping[str, float]) -> dict[str, float]:
    """The utilisation with the L2's parts in place of its throughput, if both were measured."""
    parts = {name: kernel(column) for name, (column, _) in PARTS.items()}
    if not all(math.isfinite(value) for value in parts.values()):
        return dict(used)
    rest = {name: share for name, share in used.items() if name != "l2"}
    return rest | {name: min(max(value, 0.0), 100.0) / 100 for name, value in parts.items()}


def floor(used: Mapping[str, float], scale: Mapping[str, float]) -> Floor:
    """The floor of the module's formula. Resources not in `scale` stay as busy as they are."""
    best = Floor(0.0, "")
    for name, share in used.items():
        peak = PEAKS.get(name, PRACTICAL_PEAK)
        time = share * scale.get(name, 1.0) / max(peak, share)
        if time > best.time:
            best = Floor(time, (RESOURCES.get(name) or PARTS[name])[1])
    return best


def relieve(
    kernel: Value,
    scale: Mapping[str, float],
    removed: float,
    basis: str,
    half: float = 0.5,
    l2_parts: bool = False,
    dominant: float = math.inf,
) -> Estimate | None:
    """Estimate of a fix that scales resources and takes `removed` (0..1) of the warps' time away.

    `l2_parts`: take the L2's parts in place of its throughput (a scale then has both of them).
    `dominant`: from this share of the time on, the floor alone bounds the gain. None when no
    resource of the kernel was measured: then nothing bounds the gain.
    """
    used = utilisation(kernel)
    if not used or not math.isfinite(removed):
        return None
    limit = floor(with_l2_parts(kernel, used) if l2_parts else used, scale)
    saturated = any(
        used.get(r, 0.0) >= SATURATED.get(r, SATURATED_OTHER) and s < 0.95 for r, s in scale.items()
    )
    gone = min(max(removed, 0.0), 1.0)
    free = saturated or gone >= dominant
    best = limit.time if free else max(limit.time, 1.0 - gone)
    best = min(max(best, 1e-4), 1.0)
    least = min(max(best, 1.0 - half * gone), 1.0)
    what = f"{basis}; {limit.limit} is the next limit" if limit.limit else basis
    return speedup(1.0 / least, 1.0 / best, what)


def speedup(low: float, high: float, basis: str) -> Estimate:
    """An estimate with ordered ends of at least 1, rounded to what it is worth."""
    low, high = max(1.0, low), max(1.0, high)
    low = min(low, high)
    digits = 2 if high < 10 else 1 if high < 100 else 0
    return Estimate((round(low, digits), round(high, digits)), basis)
