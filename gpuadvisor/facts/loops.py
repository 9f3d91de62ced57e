"""What loops do: multiply-add loops, divisions and math functions, per place."""

from __future__ import annotations

import numpy as np

from gpuadvisor.evidence import InstructionTable, Table
from gpuadvisor.facts.code import Bools, Code
from gpuadvisor.facts.grouping import NOWHERE, Floats, Places
from gpuadvisor.facts.instructions import Measured

DIVISION_COST = 20.0
"""Instructions of a 32-bit division by a run-time value, seen between 15 (unsigned) and 25."""

REACH = 48
"""How many instructions back the conversion before a reciprocal is looked for."""

ACCURATE_COST = 7.0
"""A place that executes so many instructions for each special function calls the accurate
version; a fast intrinsic needs two or three."""


def loop_columns(
    table: InstructionTable, measured: Measured, code: Code, places: Places
) -> dict[str, Floats]:
    """Columns by place: `int_divisions` and `int_division_inst`, `math_calls` and `math_inst`,
    `mac_loop` (1 where the kernel's main multiply-add loop accumulates), `mac_work` (the loop's
    share of the instructions), `mac_loads_global` and `mac_loads_shared` (loads of the loop for
    each multiply-add), `self_dependent` and `self_dependent_share`."""
    inst = measured.metrics.get("inst")
    if inst is None or not code.decoded:
        return {}
    weight = np.nan_to_num(inst)
    count = {"transcendental": places.sum(np.where(code.masks["transcendental"], weight, 0.0))}
    memory = np.zeros(len(table), bool)
    for name, mask in code.masks.items():
        if name.startswith(("ld_", "st_", "at_")):
            memory |= mask
    all_inst = places.sum(weight)
    other = all_inst - places.sum(np.where(memory, weight, 0.0))
    divisions = places.sum(np.where(_integer_reciprocals(code), weight, 0.0))
    with np.errstate(all="ignore"):
        accurate = other / count["transcendental"] >= ACCURATE_COST
    dependent = places.sum(np.where(code.self_dependent, weight, 0.0))
    loads = places.sum(np.where(code.masks["ld_global"], weight, 0.0))
    columns = {
        "double_back": np.full(len(places), _double_round_trips(weight, code)),
        "int_divisions": divisions,
        "int_division_inst": np.minimum(divisions * DIVISION_COST, other),
        "other_inst": other,
        "line_runs": np.nan_to_num(places.largest(weight)),
        "line_length": other / np.maximum(places.largest(weight), 1.0),
        "math_calls": np.where(accurate, count["transcendental"], 0.0),
        "math_inst": np.where(accurate, other, 0.0),
        "self_dependent": dependent,
        "self_dependent_share": np.where(loads > 0, dependent / np.maximum(loads, 1), 0.0),
    }
    return columns | _multiply_add(weight, code, places)


def _double_round_trips(weight: Floats, code: Code) -> float:
    """How often results of double arithmetic are turned back into float, for each time the most
    frequent FP64 instruction runs: near 1 where every step goes through double by accident,
    near 0 where a double accumulates and is rounded once, and 0 without FP64."""
    fp64 = np.where(code.masks["fp64"], weight, 0.0).max(initial=0.0)
    back = np.where(code.masks["convert_to_f32"], weight, 0.0).max(initial=0.0)
    return float(back / fp64) if fp64 > 0 else 0.0


def _integer_reciprocals(code: Code) -> Bools:
    """Rows that take the reciprocal of a converted integer: the heart of a division by a
    run-time value. The reciprocal of a float (a float division) is not one."""
    assert code.table is not None
    dest, source = code.table["dest"], code.table["source_b"]
    found = np.zeros(len(dest), bool)
    for row in np.flatnonzero(code.masks["reciprocal"]).tolist():
        for before in range(row - 1, max(row - REACH, -1), -1):
            if dest[before] == source[row]:
                found[row] = bool(code.masks["int_to_float"][before])
                break
    return found


def _multiply_add(weight: Floats, code: Code, places: Places) -> dict[str, Floats]:
    """The innermost loops that load and accumulate with fused multiply-adds."""
    assert code.table is not None
    decoded = code.table
    loop = np.zeros(len(places))
    share = np.zeros(len(places))
    widened = np.zeros(len(places))
    bytes_ = np.zeros(len(places))
    loads_for_each = {space: np.zeros(len(places)) for space in ("global", "shared")}
    floats = (code.masks["fp32"] | code.masks["fp16"]) & (decoded["dest"] >= 0)
    # products of two registers: address arithmetic multiplies by constants
    whole = np.isin(decoded["name"], ("IMAD", "IDP")) & (decoded["dest"] >= 0)
    whole &= (decoded["source_a"] >= 0) & (decoded["source_b"] >= 0)
    total = weight.sum()
    spans = {
        (int(s), int(e)) for s, e in zip(code.loop_start, code.loop_end, strict=True) if s >= 0
    }
    best = (0.0, -1, -1)
    for start, end in sorted(spans):
        rows = slice(start, end + 1)
        inner = (code.loop_start[rows] == start) & (code.loop_end[rows] == end)
        work = float(weight[rows][inner].sum())
        loads = (code.masks["ld_global"] | code.masks["ld_shared"])[rows] & inner
        narrow = loads & (code.access_bytes[rows] == 1)
        adds = _accumulating(decoded, floats, rows) & inner
        if not adds.any() and narrow.sum() >= 2:
            adds = _accumulating(decoded, whole, rows) & inner
        if loads.sum() >= 2 and adds.any() and work > best[0]:
            best = (work, start, end)
    work, start, end = best
    if start >= 0 and total > 0:
        rows = slice(start, end + 1)
        adding = np.zeros(len(weight), bool)
        adding[rows] = _accumulating(decoded, floats, rows)
        if not adding.any():
            adding[rows] = _accumulating(decoded, whole, rows)
        mine = np.unique(places.of[adding])
        mine = mine[mine != NOWHERE]
        halves = float(
            np.where(code.masks["widen_half"] | code.masks["fp16"], weight, 0.0)[rows].sum()
        )
        adds = float(weight[adding].sum())
        loop[mine] = 1.0
        loaded = code.masks["ld_global"][rows] | code.masks["ld_shared"][rows]
        narrow = loaded & (code.access_bytes[rows] == 1)
        # integer sums over values loaded byte by byte
        whole_adds = whole & adding
        if narrow.sum() >= 2 and whole_adds.any():
            bytes_[mine] = float(weight[whole_adds].sum()) / max(float(weight[adding].sum()), 1.0)
        share[mine] = work / total
        widened[mine] = halves / max(adds, 1.0)
        for space, each in loads_for_each.items():
            loaded = code.masks[f"ld_{space}"][rows]
            each[mine] = float(weight[rows][loaded].sum()) / max(adds, 1.0)
    return {
        "mac_loop": loop,
        "mac_work": share,
        "mac_half": widened,
        "mac_bytes": bytes_,
        "mac_loads_global": loads_for_each["global"],
        "mac_loads_shared": loads_for_each["shared"],
    }


def _accumulating(decoded: Table, arithmetic: Bools, rows: slice) -> Bools:
    """Multiply-adds of the rows whose addend is the sum of another one of them (of themselves
    in a loop that is not unrolled)."""
    inside = arithmetic[rows]
    sums = decoded["dest"][rows][inside]
    added = decoded["source_c"][rows]
    return np.asarray(inside & (added >= 0) & np.isin(added, sums))
