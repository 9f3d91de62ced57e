"""The estimate models that rules name. Each takes the columns of the tables, the row and inputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gpuadvisor.estimates.resources import (
    DOMINANT,
    PRACTICAL_PEAK,
    Value,
    floor,
    relieve,
    speedup,
    utilisation,
)
from gpuadvisor.evidence.findings import Estimate

IDLE = 0.15
"""Below this utilisation of every resource a kernel waits for something no counter shows."""

Columns = Mapping[str, np.ndarray[Any, np.dtype[Any]]]
Inputs = Mapping[str, float]
Model = Callable[[Columns, int, Inputs], "Estimate | None"]


def _kernel(columns: Columns, row: int) -> Value:
    """The kernel's numbers, whether the row is a kernel's or a line's."""

    def value(name: str) -> float:
        for key in (f"kernel_{name}", name):
            column = columns.get(key)
            if column is not None and column.dtype.kind in "fiub":
                return float(column[row])
        return math.nan

    return value


def _share(inputs: Inputs, name: str, otherwise: float = math.nan) -> float:
    value = inputs.get(name, math.nan)
    return min(max(float(value), 0.0), 1.0) if math.isfinite(value) else otherwise


def memory_traffic(columns: Columns, row: int, inputs: Inputs) -> Estimate | None:
    """Fewer sectors. `sectors`: share of the kernel's L2 sectors that go away; `removed`: share
    of warp time that waits on them; `tags`: share of the L2 lookups that remains beside that;
    `useful_bytes`: upper bound of the bytes that remain, which
    bounds what is left of the DRAM traffic."""
    kernel = _kernel(columns, row)
    gone = _share(inputs, "sectors", 0.0)
    scale = {
        "l2": 1 - gone,
        "l2_sectors": 1 - gone,
        # coalesced, the four sectors of a line are one lookup instead of up to four
        "l2_tags": (1 - gone) * _share(inputs, "tags", 1.0),
        "l1": 1 - _share(inputs, "l1_sectors", gone),
        "lsu": 1 - _share(inputs, "requests", 0.0),
    }
    scale["issue"] = 1 - _share(inputs, "instructions", 0.0)
    useful, dram = inputs.get("useful_bytes", math.nan), kernel("dram_bytes")
    if math.isfinite(useful) and dram > 0:
        scale["dram"] = min(1.0, useful / dram)
    basis = f"{100 * gone:.0f} % of the L2 sectors go"
    gone_time = _share(inputs, "removed")
    return relieve(kernel, scale, gone_time, basis, l2_parts=True, dominant=DOMINANT)


def shared_wavefronts(columns: Columns, row: int, inputs: Inputs) -> Estimate | None:
    """Fewer shared-memory wavefronts. `wavefronts`: share of all L1 wavefronts that go away;
    `requests`: share of the load and store instructions that go with them."""
    gone = _share(inputs, "wavefronts", 0.0)
    basis = f"{100 * gone:.0f} % of the L1 wavefronts go"
    scale = {"l1": 1 - gone, "lsu": 1 - _share(inputs, "requests", 0.0)}
    return relieve(_kernel(columns, row), scale, _share(inputs, "removed"), basis)


def instructions(columns: Columns, row: int, inputs: Inputs) -> Estimate | None:
    """Fewer or cheaper instructions. `issue`, `fp64`, `xu`, `alu`, `fma`, `lsu`, `l1`: share of
    each resource's work that goes away; `removed`: share of warp time spent on it, of which
    `certain` (half) goes in any case."""
    scale = {
        name: 1 - _share(inputs, name, 0.0)
        for name in ("issue", "fp64", "xu", "alu", "fma", "lsu", "fp16", "l1")
    }
    gone, sure = _share(inputs, "removed"), _share(inputs, "certain", 0.5)
    basis = "the instructions at fault go"
    return relieve(_kernel(columns, row), scale, gone, basis, half=sure)


def atomics(columns: Columns, row: int, inputs: Inputs) -> Estimate | None:
    """One atomic a block instead of one a thread.

    When most of the time goes to the atomics and nothing else is busy, all stalls are the queue
    in front of them: only the floor of the other resources remains, and the low end takes a
    32nd of that, since how well the reduction itself will run is not known."""
    kernel = _kernel(columns, row)
    gone = _share(inputs, "removed")
    used = utilisation(kernel)
    if not used or not math.isfinite(gone):
        return None
    limit = floor(used, {"l2": 1 / 32, "l1": 1 / 32, "blocks": 1 / 32})
    queue = gone >= 0.3 and max(used.values()) < IDLE
    best = max(limit.time, 1e-4 if queue else 1.0 - gone)
    least = max(best, 1.0 - gone * (1 - 1 / 4))
    if queue:
        least = min(least, 32 * best)
    basis = (
        f"the atomics of a block fold into one; {limit.limit or 'latency'} is the next limit, and "
        "how well the reduction itself runs is not known"
    )
    return speedup(1 / least, 1 / max(best, 1e-4), basis)


def occupancy(columns: Columns, row: int, inputs: Inputs) -> Estimate | None:
    """More resident warps hide more latency: time falls at best with the ratio of resident
    warps, never below what the resources allow; the low end assumes no gain, since occupancy
    alone often gives none (more warps share the same caches)."""
    now, after = inputs.get("now", math.nan), inputs.get("after", math.nan)
    used = utilisation(_kernel(columns, row))
    if not used or not (now > 0 and after > now):
        return None
    waiting = _share(inputs, "waiting", 1.0)
    blocks = 1 - _share(inputs, "blocks", 0.0)
    best = max(floor(used, {"blocks": blocks}).time, 1 - waiting * (1 - now / after))
    lanes_used = _share(inputs, "lanes", 1.0)
    best *= lanes_used
    least = 1 - (1 - best) * _share(inputs, "certain", 0.25)
    basis = (
        f"{after / now:.1f} times the resident warps for the {100 * waiting:.0f} % of the time "
        "spent waiting"
    )
    return speedup(1 / least, 1 / best, basis)


def fill_gpu(columns: Columns, row: int, inputs: Inputs) -> Estimate | None:
    """Blocks for every SM. `used`: share of the SMs that have a block; the work is taken to
    split over all of them, and further over the free warp slots at the high end."""
    used_sms, slots = _share(inputs, "used"), _share(inputs, "slots")
    used = utilisation(_kernel(columns, row))
    if not used or not used_sms > 0:
        return None
    limit = floor(used, {})
    best = max(limit.time, min(used_sms, slots if slots > 0 else used_sms))
    least = max(best, used_sms, 1 - (1 - used_sms) * 0.75)
    basis = f"work for all SMs instead of {100 * used_sms:.0f} % of them, if it can be split"
    return speedup(1 / least, 1 / max(best, 1e-4), basis)


def balance(columns: Columns, row: int, inputs: Inputs) -> Estimate | None:
    """The same work in blocks of equal length. `balance`: average over busiest SM cycles;
    `filled`: resident warps over those that were launched, which falls while the last blocks
    run. Even work needs at best the time in which all warps were there, at worst half of what the
    SMs stood still comes back."""
    used = utilisation(_kernel(columns, row))
    even, filled = _share(inputs, "balance"), _share(inputs, "filled", 1.0)
    if not used or not even > 0:
        return None
    best = max(floor(used, {}).time, even * filled)
    least = max(best, 1 - (1 - even) / 2)
    return speedup(1 / least, 1 / best, f"all SMs busy instead of {100 * even:.0f} % of the time")


LAUNCH_NS = 5_000.0
"""A kernel that does little takes about so long from start to end."""


def spread(columns: Columns, row: int, inputs: Inputs) -> Estimate | None:
    """The work of one thread for all of them: 32 lanes of one warp at the low end (or what the
    launch leaves), every lane of the device or the time of a launch at the high end."""
    kernel = _kernel(columns, row)
    duration, sms = kernel("duration_ns"), kernel("sm_count")
    if not duration > 0:
        return None
    high = min(duration / LAUNCH_NS, 32 * sms if sms > 0 else math.inf)
    basis = "one lane's work for all lanes; how far it splits is not known"
    return speedup(min(32.0, high), high, basis)


def tail(columns: Columns, row: int, inputs: Inputs) -> Estimate | None:
    """The last wave filled. With w waves the time is ceil(w) of a wave's; balanced it is w.

    The blocks of a tail have an SM for themselves and may run faster than in a full wave, so
    `balance` (average over busiest SM activity, when it was measured) times `filled` (warps
    resident while an SM was active, of those possible) bounds the gain, too."""
    waves = inputs.get("waves", math.nan)
    if not waves > 0:
        return None
    whole = math.ceil(waves - 1e-9)
    high = whole / waves
    balance = inputs.get("balance", math.nan)
    if 0 < balance < 1:
        high = min(high, 1 / (balance * max(_share(inputs, "filled", 1.0), 0.1)))
    used = utilisation(_kernel(columns, row))
    if used:
        # a resource that is busy on average over wave and tail leaves no more than the rest
        high = min(high, 1 / max(max(used.values()), 1e-3))
    return speedup(1 + (high - 1) / 4, high, f"{waves:.2f} waves take the time of {whole}")


def lanes(columns: Columns, row: int, inputs: Inputs) -> Estimate | None:
    """All 32 lanes at work. `active`: active lanes (0..1 of 32) of the code at fault; `issue`:
    its share of the issue slots; `removed`: its share of warp time."""
    active, part = _share(inputs, "active"), _share(inputs, "issue", 0.0)
    if not math.isfinite(active):
        return None
    idle = 1 - active
    pipes = ("issue", "alu", "fma", "lsu", "l1", "xu", "fp64", "fp16")
    scale = dict.fromkeys(pipes, 1 - part * idle)
    gone = _share(inputs, "removed", part) * idle
    basis = f"the code at fault runs with {100 * active:.0f} % of its lanes"
    return relieve(_kernel(columns, row), scale, gone, basis)


def tensor(columns: Columns, row: int, inputs: Inputs) -> Estimate | None:
    """The multiply-adds on tensor cores: FMA, conversion and load instructions of the loop go.
    Tiles through matrix fragments also cut L1 traffic, at best to the L2 traffic that remains."""
    kernel = _kernel(columns, row)
    gone = _share(inputs, "issue", 0.0)
    scale = dict.fromkeys(("issue", "fma", "alu", "fp16", "lsu", "l1"), 1 - gone * 0.95)
    used = utilisation(kernel)
    if not used:
        return None
    limit = floor(used, scale)
    best = max(limit.time, 1 / 16, used.get("l2", 0.0) / PRACTICAL_PEAK)
    least = max(best, 1 - gone * 0.6)
    next_ = limit.limit or "latency"
    basis = f"{100 * gone:.0f} % of the issue slots go to the loop; {next_} is the next limit"
    return speedup(1 / least, 1 / best, basis)


def wider(columns: Columns, row: int, inputs: Inputs) -> Estimate | None:
    """Accesses of `width` bytes a lane made 16 wide: so many fewer requests, address
    calculations and (one element a thread) blocks; the bytes stay."""
    part = max(_share(inputs, "width", 1.0), 1 / 16)
    scale = dict.fromkeys(("issue", "alu", "fma", "lsu", "l1", "blocks"), part)
    removed = _share(inputs, "removed")
    kernel = _kernel(columns, row)
    return relieve(kernel, scale, removed, "16 bytes a lane", half=0.4, l2_parts=True)


def headroom(columns: Columns, row: int, inputs: Inputs) -> Estimate | None:
    """Latency hidden better: `removed` (share of warp time) down to the nearest roof."""
    return relieve(
        _kernel(columns, row),
        {},
        _share(inputs, "removed"),
        "latency hidden",
        half=_share(inputs, "certain", 0.25),
        l2_parts=True,
    )


MODELS: Mapping[str, Model] = {
    "memory-traffic": memory_traffic,
    "shared-wavefronts": shared_wavefronts,
    "instructions": instructions,
    "atomics": atomics,
    "occupancy": occupancy,
    "fill-gpu": fill_gpu,
    "balance": balance,
    "spread": spread,
    "tail": tail,
    "lanes": lanes,
    "tensor": tensor,
    "wider": wider,
    "headroom": headroom,
}
