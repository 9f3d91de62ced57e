"""Launches folded into kernels, and the kernel table: one row a kernel, canonical columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpuadvisor.evidence import Launch, Table
from gpuadvisor.facts.metrics import Catalogue, number

LIMITERS = ("warps", "blocks", "registers", "shared")
UNLIMITED = 1 << 20


@dataclass(frozen=True)
class Kernel:
    """Launches with equal mangled name, grid and block. `launch` is the one whose duration is
    the (lower) median; its metrics stand for the kernel."""

    id: str
    input: str
    launches: tuple[Launch, ...]
    launch: Launch


def fold_launches(launches: Sequence[Launch], path: str, catalogue: Catalogue) -> list[Kernel]:
    """Kernels in the order of their first launch; ids are given by the caller's position later."""
    groups: dict[tuple[object, ...], list[Launch]] = {}
    for launch in launches:
        device = launch.device.id if launch.device else None
        key = (launch.scope, launch.mangled or launch.demangled, launch.grid, launch.block, device)
        groups.setdefault(key, []).append(launch)
    duration = catalogue.kernel["duration_ns"]
    kernels = []
    for group in groups.values():
        timed = [
            (value, item.index, item)
            for item in group
            if (value := duration.read(item.metrics)) is not None and math.isfinite(value)
        ]
        timed.sort(key=lambda entry: entry[:2])
        middle = timed[(len(timed) - 1) // 2][2] if timed else group[0]
        kernels.append(Kernel("", path, tuple(group), middle))
    return kernels


def _stall_shares(launch: Launch, catalogue: Catalogue) -> dict[str, float]:
    """Share of each stall reason (0..1): from samples when there are any, else from the
    per-issue ratios, which measure the same without a place in the source."""
    for source in ("samples", "ratio"):
        shares: dict[str, float] = {}
        for reason in catalogue.stalls:
            if source == "samples":
                names = catalogue.stall_names(reason)
            else:
                names = [catalogue.stall_ratio.format(name=s) for s in catalogue.stalls[reason]]
            values = [v for n in names if (v := number(launch.metrics.get(n))) is not None]
            if values and math.isfinite(max(values)):
                shares[reason] = max(values)
        total = sum(shares.values())
        if total > 0:
            return {reason: value / total for reason, value in shares.items()}
    return {}


def _limiter(row: dict[str, float]) -> str:
    """The resource that allows the fewest resident blocks; of equals the first of LIMITERS (a
    launch without shared memory still reports a limit for it)."""
    limits = {name: row.get(f"occupancy_limit_{name}", math.nan) for name in LIMITERS}
    known = {name: value for name, value in limits.items() if value == value and value < UNLIMITED}
    if not known:
        return ""
    least = min(known.values())
    return next(name for name in LIMITERS if known.get(name) == least)


def kernel_table(kernels: Sequence[Kernel], catalogue: Catalogue) -> Table:
    """One row a kernel. Columns: `kernel` (id), `name`, `demangled`, `scope`, `limiter` (text),
    launch shape, compute capability as `cc` (10 * major + minor), every canonical kernel metric
    (NaN when absent), and `stall_<reason>` shares (0..1, NaN when never measured)."""
    rows: list[dict[str, float]] = []
    text: dict[str, list[str]] = {
        name: [] for name in ("kernel", "name", "demangled", "scope", "limiter")
    }
    for kernel in kernels:
        launch = kernel.launch
        row = {
            name: value
            for name, metric in catalogue.kernel.items()
            if (value := metric.read(launch.metrics)) is not None
        }
        for reason, share in _stall_shares(launch, catalogue).items():
            row[f"stall_{reason}"] = share
        if launch.device:
            for name, attribute in (
                ("sm_count", "multiprocessor_count"),
                ("warps_max_per_sm", "max_warps_per_multiprocessor"),
                ("l2_bytes", "l2_cache_size"),
            ):
                value = number(launch.device.attributes.get(attribute))
                if value is not None:
                    row.setdefault(name, value)
            if launch.device.cc != (0, 0):
                row["cc"] = 10.0 * launch.device.cc[0] + launch.device.cc[1]
        row["launches"] = float(len(kernel.launches))
        if launch.scope == "kernel":
            row["block_threads"] = float(math.prod(launch.block))
            row["grid_blocks"] = float(math.prod(launch.grid))
            row["warps_per_block"] = math.ceil(row["block_threads"] / 32)
        rows.append(row)
        text["kernel"].append(kernel.id)
        text["name"].append(launch.name)
        text["demangled"].append(launch.demangled)
        text["scope"].append(launch.scope)
        text["limiter"].append(_limiter(row))
    names = [
        *catalogue.kernel,
        *(f"stall_{reason}" for reason in catalogue.stalls),
        "l2_bytes",
        "cc",
        "launches",
        "block_threads",
        "grid_blocks",
        "warps_per_block",
    ]
    columns = {name: np.array(values, dtype=np.str_) for name, values in text.items()}
    for name in names:
        columns[name] = np.array([row.get(name, math.nan) for row in rows], dtype=np.float64)
    return Table(columns | _derived(columns))


def _derived(columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Columns that follow from others: resident blocks and warps, tail, DRAM bytes, FLOP rates."""
    with np.errstate(all="ignore"):
        limits = np.vstack([columns[f"occupancy_limit_{name}"] for name in LIMITERS])
        limits = np.where(np.isnan(limits), np.inf, limits)
        blocks = limits.min(axis=0)
        blocks = np.where(np.isinf(blocks), np.nan, blocks)
        warps_max = columns["warps_max_per_sm"]
        grid, sms = columns["grid_blocks"], columns["sm_count"]
        slots = blocks * sms
        waves = np.where(np.isnan(slots), columns["waves"], grid / slots)
        flops = columns["fadd_per_cycle"] + columns["fmul_per_cycle"] + columns["ffma2_per_cycle"]
        return {
            "blocks_per_sm": blocks,
            "blocks_per_sm_warps": columns["occupancy_limit_warps"],
            "resident_warps": blocks * columns["warps_per_block"],
            "resident_pct": 100 * blocks * columns["warps_per_block"] / warps_max,
            "waves_exact": waves,
            "sm_used_pct": 100 * np.minimum(grid, sms) / sms,
            "dram_bytes": columns["dram_read_bytes"] + columns["dram_write_bytes"],
            "flops_fp32_per_s": flops * columns["sm_hz"],
        }
