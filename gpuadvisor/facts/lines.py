"""The line table: one row for each source place of each kernel, canonical columns.

A kernel without line information gets one row with an empty file and line 0, so that what can be
said of it as a whole is still said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuadvisor.evidence import NO_CHAIN, InstructionTable, Table
from gpuadvisor.facts.code import Code
from gpuadvisor.facts.grouping import NOWHERE, Floats, Integers, Places, group_places
from gpuadvisor.facts.guarded import guarded_parts
from gpuadvisor.facts.instructions import Measured

StatementEnds = Callable[[str, int], tuple[int, int]]
"""(file, line) to the first and last line of the statement there."""

PLAIN = (
    "inst",
    "thread_inst",
    "thread_inst_on",
    "sectors_global",
    "sectors_global_ideal",
    "sectors_local",
    "wavefronts_shared",
    "wavefronts_shared_ideal",
    "spill",
)


@dataclass(frozen=True)
class KernelLines:
    """The lines of one kernel: its places, their columns (one value a place) and the waits that
    were led back: {(waiting place, place waited for): samples}."""

    places: Places
    columns: Mapping[str, np.ndarray[Any, Any]]
    led_back: Mapping[tuple[int, int], float]
    measured: Measured


def _places(
    table: InstructionTable,
    place_of: Callable[[Any], tuple[str, int, bool, tuple[tuple[str, int], ...]] | None],
    statement: StatementEnds | None,
) -> Places:
    keys: list[tuple[str, int, int, bool] | None] = []
    related: list[tuple[tuple[str, int], ...]] = []
    for chain in table.chains:
        found = place_of(chain)
        if found is None:
            keys.append(None)
            related.append(())
            continue
        file, line, user, others = found
        start, end = statement(file, line) if statement else (line, line)
        keys.append((file, start, end, user))
        related.append(others)
    of = table.chain.astype(np.int64)
    if not (table.chain != NO_CHAIN).any() or not any(keys):
        keys, related = [("", 0, 0, True)], [()]
        of = np.zeros(len(table), np.int64)
    return group_places(keys, related, of)


def kernel_lines(
    table: InstructionTable,
    measured: Measured,
    code: Code | None,
    place_of: Callable[[Any], tuple[str, int, bool, tuple[tuple[str, int], ...]] | None],
    statement: StatementEnds | None = None,
) -> KernelLines:
    """The places of a kernel with their sums. `place_of` picks the place of a chain of frames
    as (file, line, is user code, other positions), None where the line table knows nothing."""
    places = _places(table, place_of, statement)
    columns: dict[str, np.ndarray[Any, Any]] = {}
    for name in PLAIN:
        if name in measured.metrics:
            columns[name] = places.sum_or_nan(measured.metrics[name])
    if measured.sampled:
        columns["samples"] = places.sum(measured.samples)
        for reason, values in measured.stalls.items():
            columns[f"samples_{reason}"] = places.sum(values)
    led_back: dict[tuple[int, int], float] = {}
    if code is not None:
        columns.update(_work(places, measured, code))
        columns.update(_waits(places, measured, code, led_back))
        columns.update(guarded_parts(places, measured, code))
    return KernelLines(places, columns, led_back, measured)


def _work(places: Places, measured: Measured, code: Code) -> dict[str, Floats]:
    """How often each kind of work is executed on each place (warp-level instructions)."""
    inst = measured.metrics.get("inst")
    if inst is None:
        return {}
    weight = np.nan_to_num(inst)
    columns = {name: places.sum(np.where(mask, weight, 0.0)) for name, mask in code.masks.items()}
    columns["requests_global"] = columns["ld_global"] + columns["st_global"] + columns["at_global"]
    columns["local_requests"] = columns["ld_local"] + columns["st_local"]
    columns["memory_requests"] = columns["requests_global"] + columns["local_requests"]
    columns["atom_global"] = columns["at_global"]
    columns["atom_shared"] = columns["at_shared"]
    if "spill" not in measured.metrics and code.decoded:
        columns["spill"] = columns["stack_access"]
    used = code.masks["ld_global"] | code.masks["st_global"]
    width = np.where(used & (weight > 0), code.access_bytes, np.nan)
    columns["access_bytes_min"] = places.smallest(width)
    columns["access_bytes_max"] = places.largest(width)
    columns |= _worst_access(places, measured, code, weight)
    columns |= _gathers(places, measured, code)
    for kind in ("ld", "st"):
        for space, moved, ideal in (
            ("global", "sectors_global", "sectors_global_ideal"),
            ("shared", "wavefronts_shared", "wavefronts_shared_ideal"),
        ):
            if moved not in measured.metrics or ideal not in measured.metrics:
                continue
            mask = code.masks[f"{kind}_{space}"]
            have = np.where(mask, np.nan_to_num(measured.metrics[moved]), 0.0)
            need = np.where(mask, np.nan_to_num(measured.metrics[ideal]), 0.0)
            stem = kind if space == "global" else f"{kind}_shared"
            columns[f"{stem}_wasted"] = places.sum(have - need)
            with np.errstate(all="ignore"):
                columns[f"{stem}_ratio"] = places.sum(have) / places.sum(need)
            if space == "shared":
                with np.errstate(all="ignore"):
                    ways = np.where(mask & (weight > 0), have / need, np.nan)
                found = columns.get("shared_ways")
                worst = places.largest(ways)
                columns["shared_ways"] = worst if found is None else np.fmax(found, worst)
    return columns


def _worst_access(
    places: Places, measured: Measured, code: Code, weight: Floats
) -> dict[str, Floats]:
    """Of the global access with the most wasted sectors on each place: sectors a request, how
    many would do, and their ratio (NaN where nothing accesses global memory)."""
    moved = measured.metrics.get("sectors_global")
    ideal = measured.metrics.get("sectors_global_ideal")
    if moved is None or ideal is None:
        return {}
    used = code.masks["ld_global"] | code.masks["st_global"] | code.masks["at_global"]
    rows = np.flatnonzero(used & (weight > 0) & (places.of != NOWHERE) & (ideal > 0))
    worst = {
        name: np.full(len(places), np.nan)
        for name in ("worst_per_request", "worst_per_request_ideal", "worst_ratio")
    }
    # ascending by waste, so that the last one written to a place is its worst
    order = rows[np.argsort((moved - ideal)[rows], kind="stable")]
    target = places.of[order]
    worst["worst_per_request"][target] = moved[order] / weight[order]
    worst["worst_per_request_ideal"][target] = ideal[order] / weight[order]
    worst["worst_ratio"][target] = moved[order] / ideal[order]
    return worst


def _gathers(places: Places, measured: Measured, code: Code) -> dict[str, Floats]:
    """`gather_wasted_share`: of the wasted sectors of a place, the share of accesses whose
    address was computed from another load."""
    moved = measured.metrics.get("sectors_global")
    ideal = measured.metrics.get("sectors_global_ideal")
    if moved is None or ideal is None or not code.decoded:
        return {}
    wasted = np.nan_to_num(moved - ideal)
    loaded = (code.address_from_load >= 0) & ~code.self_dependent
    with np.errstate(all="ignore"):
        share = places.sum(np.where(loaded, wasted, 0.0)) / places.sum(wasted)
    return {"gather_wasted_share": np.nan_to_num(share)}


def _waits(
    places: Places, measured: Measured, code: Code, led_back: dict[tuple[int, int], float]
) -> dict[str, Floats]:
    """Samples by the place that causes them: a wait on a scoreboard belongs to the instruction
    that sets it, a drain to the stores before it, a barrier wait to the barrier. As shares of
    the kernel's samples, for all instructions of a place and for some kinds of them."""
    total = float(measured.samples.sum())
    if not measured.sampled:
        return {}
    own = measured.samples.copy()
    caused = np.zeros(len(own))
    by_reason: dict[str, Floats] = {}
    for reason, consumers, producers, share in code.edges:
        stall = measured.stalls.get(reason)
        if stall is None or not len(consumers):
            continue
        amount = stall[consumers] * share
        own -= np.bincount(consumers, amount, len(own))
        by_reason[reason] = np.bincount(producers, amount, len(own)).astype(np.float64)
        caused += by_reason[reason]
        _note_led_back(places, consumers, producers, amount, led_back)
    cost = caused + np.maximum(own, 0.0)
    nothing = np.zeros(len(own))
    masks = code.masks
    kinds = {
        "global": masks["ld_global"] | masks["st_global"],
        "shared": masks["ld_shared"] | masks["st_shared"],
        "atomic": masks["at_global"],
        "local": masks["ld_local"] | masks["st_local"],
        "spill": masks["stack_access"],
        "constant": masks["constant_indexed"],
        "shared_atomic": masks["at_shared"],
    }
    columns = {f"{kind}_waits_share": np.where(mask, cost, 0.0) for kind, mask in kinds.items()}
    columns |= {
        "waits_share": cost,
        "waits_long_share": by_reason.get("long_scoreboard", nothing),
        "waits_barrier_share": by_reason.get("barrier", nothing),
        "chain_waits_share": np.where(code.self_dependent, caused, 0.0),
    }
    scale = 1.0 / total if total > 0 else np.nan
    return {name: places.sum(values) * scale for name, values in columns.items()}


def _note_led_back(
    places: Places,
    consumers: Integers,
    producers: Integers,
    amount: Floats,
    led_back: dict[tuple[int, int], float],
) -> None:
    """Add the samples that moved from one place to another."""
    source, target = places.of[consumers], places.of[producers]
    moved = (source != NOWHERE) & (target != NOWHERE) & (source != target) & (amount > 0)
    pairs, inverse = np.unique(
        np.stack([source[moved], target[moved]]), axis=1, return_inverse=True
    )
    sums = np.bincount(inverse.ravel(), amount[moved])
    for (start, end), total in zip(pairs.T.tolist(), sums.tolist(), strict=True):
        led_back[start, end] = led_back.get((start, end), 0.0) + total


def line_table(kernels: Sequence[tuple[str, KernelLines]]) -> Table:
    """The tables of several kernels as one. Columns: `kernel`, `file`, `line`, `end_line`,
    `user`, and the union of all numeric columns (NaN where a kernel lacks one)."""
    names = sorted({name for _, lines in kernels for name in lines.columns})
    text = {
        "kernel": np.array([k for k, lines in kernels for _ in range(len(lines.places))], np.str_),
        "file": np.array([f for _, lines in kernels for f in lines.places.files], np.str_),
    }
    columns: dict[str, np.ndarray[Any, Any]] = dict(text)
    columns["line"] = np.array([n for _, lines in kernels for n in lines.places.lines], np.int64)
    columns["end_line"] = np.array([n for _, lines in kernels for n in lines.places.ends], np.int64)
    columns["not_library"] = np.array([u for _, lines in kernels for u in lines.places.user], bool)
    for name in names:
        given = next(lines.columns[name] for _, lines in kernels if name in lines.columns)
        if given.dtype.kind == "U":
            columns[name] = np.concatenate(
                [
                    lines.columns.get(name, np.full(len(lines.places), "", np.str_))
                    for _, lines in kernels
                ]
            )
            continue
        parts = [
            np.asarray(lines.columns.get(name, np.full(len(lines.places), np.nan)), np.float64)
            for _, lines in kernels
        ]
        columns[name] = np.concatenate(parts) if parts else np.zeros(0)
    if "inst" in columns:
        with np.errstate(all="ignore"):
            inst = columns["inst"]
            if "thread_inst" in columns:
                columns["threads_per_instruction"] = columns["thread_inst"] / inst
    return Table(columns)
