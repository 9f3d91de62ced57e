"""Where warps split: the branch or comparison after which some lanes no longer work.

Lanes are lost in two ways: a branch that only some lanes take (the rows behind it run with fewer
active threads), and a predicate that switches lanes off in instructions that all lanes issue.
Both are charged to the line of the decision, not to the lines that suffer from it.
"""

from __future__ import annotations

import numpy as np

from gpuadvisor.evidence import InstructionTable
from gpuadvisor.facts.code import Code
from gpuadvisor.facts.grouping import NOWHERE, Floats, Integers, Places
from gpuadvisor.facts.instructions import Measured
from gpuadvisor.sass.listing import read_listing

MEET = 0.97
"""Lanes count as together again when so large a part of those before the branch is active."""

_BSYNC, _WARPSYNC = 0x141, 0x148
_MEMORY = ("ld_global", "st_global", "ld_shared", "st_shared", "ld_local", "st_local")
_WORK = ("ld_global", "st_global", "ld_shared", "st_shared", "ld_local", "st_local",
         "fp32", "fp16", "fp64", "mufu", "tensor")  # fmt: skip


Losses = dict[int, list[tuple[int, float, bool]]]
"""By deciding row: (affected row, lanes lost 0..1, whether by a predicate)."""


def split_columns(
    table: InstructionTable, measured: Measured, code: Code, places: Places
) -> dict[str, Floats]:
    """Columns by the place that decides: `split_idle` (lanes lost, as a share of all issued
    instruction slots), `split_work` and `split_time` (share of instructions and of samples that
    run with lanes lost), `split_active` (lanes at work in them, 0..1), `split_predicated` (share
    of the loss that predicates make), `split_line` (the line of the same file that loses most).
    Zeros, ones and NaN elsewhere."""
    inst = measured.metrics.get("inst")
    total = float(np.nansum(inst)) if inst is not None else 0.0
    blank = {
        "split_idle": np.zeros(len(places)),
        "split_work": np.zeros(len(places)),
        "split_time": np.zeros(len(places)),
        "split_active": np.ones(len(places)),
        "split_predicated": np.zeros(len(places)),
        "split_line": np.full(len(places), np.nan),
    }
    if inst is None or total <= 0:
        return blank
    weight = np.nan_to_num(inst)
    threads = measured.metrics.get("thread_inst", measured.metrics.get("thread_inst_on"))
    if threads is None:
        return blank
    with np.errstate(all="ignore"):
        lanes = np.where(weight > 0, np.nan_to_num(threads) / np.maximum(weight, 1) / 32, 1.0)
    lanes = np.minimum(lanes, 1.0)
    if not code.decoded:
        return _without_code(blank, places, weight, lanes, measured)
    loss: Losses = {}
    _branch_losses(table, code, weight, lanes, loss)
    _predicate_losses(table, measured, code, weight, lanes, loss)
    return _sums(blank, places, weight, lanes, measured, loss)


def _branch_losses(
    table: InstructionTable,
    code: Code,
    weight: Floats,
    lanes: Floats,
    loss: Losses,
) -> None:
    """Lanes that each conditional branch costs the rows behind it, innermost branch last."""
    listing = read_listing(table)
    decoded, target = listing.decoded, listing.flow.target
    opcode = decoded["opcode"]
    name = decoded["name"]
    splits = (name == "BRA") | (name == "EXIT")
    branches = np.flatnonzero(splits & (decoded["predicate"] >= 0) & (weight > 0))
    count = len(weight)
    low = lanes < MEET
    regions: list[tuple[int, int, int, float]] = []
    for row in branches.tolist():
        goal = int(target[row])
        if 0 <= goal <= row:
            # a loop: lanes leave it one by one
            before = float(lanes[goal - 1]) if goal > 0 else 1.0
            regions.append((goal, row, row, before))
            continue
        here = float(lanes[row])
        end = row + 1
        while end < count and opcode[end] != _BSYNC:
            # code that never ran says nothing about where lanes meet again
            if weight[end] > 0 and lanes[end] >= MEET * here:
                break
            end += 1
        if end > row + 1:
            regions.append((row + 1, end - 1, row, here))
    if not regions or not low.any():
        return
    # outer regions first, so that the reference of a row is its innermost one
    regions.sort(key=lambda region: (region[0] - region[1], region[0]))
    reference = np.ones(count)
    charged = np.full(count, -1)
    for start, end, branch, before in regions:
        rows = slice(start, end + 1)
        if charged[start] >= 0:
            gap = reference[start] - before
            if gap > 0.01:
                _charge(loss, int(charged[start]), range(start, end + 1), gap, weight)
        reference[rows] = before
        charged[rows] = branch
    sync = (opcode == _BSYNC) | (opcode == _WARPSYNC)
    lost = np.maximum(reference - lanes, 0.0)
    for row in np.flatnonzero((charged >= 0) & (lost > 0.01) & ~sync & (weight > 0)).tolist():
        loss.setdefault(int(charged[row]), []).append((row, float(lost[row]), False))


def _charge(
    loss: Losses,
    branch: int,
    rows: range,
    gap: float,
    weight: Floats,
) -> None:
    loss.setdefault(branch, []).extend((row, gap, False) for row in rows if weight[row] > 0)


def _predicate_losses(
    table: InstructionTable,
    measured: Measured,
    code: Code,
    weight: Floats,
    lanes: Floats,
    loss: Losses,
) -> None:
    """Lanes that a predicate switches off in instructions that do work, charged to the
    comparison that set it. Integer instructions are left out: compilers predicate steps of
    divisions and address arithmetic, which says nothing about how the program splits."""
    on = measured.metrics.get("thread_inst_on")
    if on is None or "thread_inst" not in measured.metrics:
        return
    assert code.table is not None
    predicate = code.table["predicate"]
    work = np.zeros(len(weight), bool)
    for name in _WORK:
        work |= code.masks[name]
    with np.errstate(all="ignore"):
        active = np.nan_to_num(on) / np.maximum(weight, 1) / 32
    rows = np.flatnonzero(work & (predicate >= 0) & (weight > 0) & (lanes - active > 0.05))
    if not len(rows):
        return
    memory = np.zeros(len(weight), bool)
    for name in _MEMORY:
        memory |= code.masks[name]
    setters = _setters(table, code)
    by_source: dict[int, list[int]] = {}
    for row in rows.tolist():
        found = setters.get(int(predicate[row]), [])
        before = [one for one in found if one < row]
        by_source.setdefault(before[-1] if before else row, []).append(row)
    for source, charged in by_source.items():
        # a predicate that no lane passes, or that only scales a float, splits nothing: range
        # checks of math functions look like that
        if not any(memory[row] and active[row] > 0.02 for row in charged):
            continue
        for row in charged:
            loss.setdefault(source, []).append((row, float(lanes[row] - active[row]), True))


def _setters(table: InstructionTable, code: Code) -> dict[int, list[int]]:
    """Rows that set each predicate, in order."""
    from gpuadvisor.sass.fields import bits

    assert code.table is not None
    names = code.table["name"]
    sets = np.flatnonzero(np.isin(names, ("ISETP", "FSETP", "DSETP", "HSETP2", "PLOP3", "R2P")))
    dest = bits(table.words, 81, 3)
    other = bits(table.words, 84, 3)
    found: dict[int, list[int]] = {}
    for row in sets.tolist():
        for register in {int(dest[row]), int(other[row])} - {7}:
            found.setdefault(register, []).append(row)
    return found


def _sums(
    blank: dict[str, Floats],
    places: Places,
    weight: Floats,
    lanes: Floats,
    measured: Measured,
    loss: Losses,
) -> dict[str, Floats]:
    total, samples = float(weight.sum()), float(measured.samples.sum())
    lowest = lanes
    on = measured.metrics.get("thread_inst_on")
    if on is not None:
        lowest = np.minimum(lanes, np.nan_to_num(on) / np.maximum(weight, 1) / 32)
    by_place: dict[int, dict[int, float]] = {}
    predicated: dict[int, float] = {}
    for decision, rows in loss.items():
        place = int(places.of[decision])
        if place == NOWHERE:
            continue
        kept = by_place.setdefault(place, {})
        for row, lost, by_predicate in rows:
            if by_predicate:
                predicated[place] = predicated.get(place, 0.0) + weight[row] * lost
            # losses of nested decisions on one place never add up to more than was lost
            kept[row] = min(kept.get(row, 0.0) + lost, 1.0 - lowest[row])
    for place, kept in by_place.items():
        rows_ = np.fromiter(kept, np.int64, len(kept))
        lost_ = np.fromiter(kept.values(), np.float64, len(kept))
        issued = float(weight[rows_].sum())
        idle = float((weight[rows_] * lost_).sum())
        blank["split_idle"][place] = idle / total
        blank["split_work"][place] = issued / total
        blank["split_active"][place] = 1 - idle / issued if issued else 1.0
        blank["split_predicated"][place] = predicated.get(place, 0.0) / idle if idle else 0.0
        blank["split_line"][place] = _worst_line(places, place, rows_, weight[rows_] * lost_)
        if samples > 0:
            blank["split_time"][place] = float(measured.samples[rows_].sum()) / samples
    return blank


def _worst_line(places: Places, place: int, rows: Integers, lost: Floats) -> float:
    """The line, in the file of a place, at which the rows lose most lanes; NaN for none."""
    target = places.of[rows]
    file = places.files[place]
    sums: dict[int, float] = {}
    for index, amount in zip(target.tolist(), lost.tolist(), strict=True):
        if index != NOWHERE and places.files[index] == file:
            sums[places.lines[index]] = sums.get(places.lines[index], 0.0) + amount
    return float(max(sums, key=lambda line: (sums[line], -line))) if sums else float("nan")


def _without_code(
    blank: dict[str, Floats], places: Places, weight: Floats, lanes: Floats, measured: Measured
) -> dict[str, Floats]:
    """Without code each place is charged with its own lanes."""
    low = lanes < MEET
    total, samples = float(weight.sum()), float(measured.samples.sum())
    issued = places.sum(np.where(low, weight, 0.0))
    idle = places.sum(np.where(low, weight * (1 - lanes), 0.0))
    with np.errstate(all="ignore"):
        blank["split_idle"] = idle / total
        blank["split_work"] = issued / total
        blank["split_active"] = np.where(issued > 0, 1 - idle / np.maximum(issued, 1), 1.0)
    if samples > 0:
        blank["split_time"] = places.sum(np.where(low, measured.samples, 0.0)) / samples
    return blank
