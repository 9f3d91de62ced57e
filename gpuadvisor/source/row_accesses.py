"""Facts of a line's memory accesses for rules on sources."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from gpuadvisor.source.fact_choice import badness, pick_access
from gpuadvisor.source.function_facts import is_vector
from gpuadvisor.source.layout import is_half
from gpuadvisor.source.records import Access, Accumulation, FunctionRecords, SharedCopy
from gpuadvisor.source.row_context import MEMORY, RowContext

Spans = dict[str, tuple[int, int]]
COVERED_GAP = 64
"""Up to so many bytes between lanes L1 keeps what is fetched until the others want it."""
COVERED_SHARE = 0.75
_SMALL = frozenset({"char", "signed char", "unsigned char", "int8_t", "uint8_t"})


def access_hints(
    context: RowContext, accesses: Sequence[Access], hints: dict[str, Any], spans: Spans
) -> None:
    """Adds to `hints` what HintFacts says of accesses, to `spans` where they stand."""
    memory = [one for one in accesses if one.space in MEMORY and one.kind != "atomic"]
    picked: list[tuple[float, str]] = []
    for kind in ("load", "store"):
        chosen = pick_access([one for one in memory if one.kind == kind])
        if chosen is not None:
            spans[kind] = (chosen.start, chosen.end)
            hints[f"{kind}_covered"] = _covered(context, chosen)
            picked.append((0 if hints[f"{kind}_covered"] else badness(chosen), kind))
            if kind == "load" and chosen.shift:
                hints["shifted_only"] = all(
                    one.shift for one in context.accesses() if one.base == chosen.base
                )
    if picked:
        hints["worst"] = max(picked)[1]
        spans["access"] = spans[hints["worst"]]
    if memory:
        hints["narrow_alone"] = all(
            one.bytes in (1, 2) and one.stride.kind == "linear" and one.stride.elements == 1
            for one in memory
        )
    structs = [one for one in memory if one.struct and not is_vector(one)]
    if structs:
        _struct(context, structs[0], hints, spans)
    gathers = [one for one in memory if one.index_array]
    if gathers:
        spans["gather"] = (gathers[0].start, gathers[0].end)
        loops = context.loops_at(gathers[0].start)
        hints["in_run"] = any("[" in one.condition for one in loops)
    for one in accesses:
        if one.misaligned:
            hints["misaligned"] = True
            hints["vector_bytes"] = one.bytes
            hints["vector_text"] = context.text(one.start, one.end)
            spans["vector"] = (one.start, one.end)
            break
    _shared(context, accesses, hints, spans)


def _covered(context: RowContext, access: Access) -> bool:
    """Whether this and other accesses to the same array use most of what it fetches."""
    gap = abs(access.stride.bytes) if access.stride.bytes else 0
    width = access.bytes or 0
    if access.stride.kind != "linear" or not gap or gap > COVERED_GAP or not width:
        return False
    if access.filled or gap <= width:
        return True
    touched: set[int] = set()
    for one in context.accesses():
        same = one.base == access.base and one.kind == access.kind
        if same and one.stride.bytes == access.stride.bytes and one.lead is not None:
            touched.update((one.lead + at) % gap for at in range(one.bytes or 0))
    return len(touched) >= COVERED_SHARE * gap


def _struct(context: RowContext, access: Access, hints: dict[str, Any], spans: Spans) -> None:
    spans["member"] = (access.start, access.end)
    size = access.struct_bytes
    if not size:
        return
    if not access.member:
        hints["struct_used"] = 1.0
        hints["struct_piece"] = _piece(access)
        return
    if any(access.base in view.escapes for view in context.facts.views):
        return  # a method of the struct may read the rest of it
    members: dict[str, int] = {}
    for one in context.accesses():
        if one.base == access.base and one.struct == access.struct and one.kind == access.kind:
            if not one.member:
                hints["struct_used"] = 1.0
                return
            members[one.member] = one.bytes or 0
    hints["struct_used"] = min(sum(members.values()) / size, 1.0)
    hints["struct_piece"] = access.bytes


def _piece(access: Access) -> int | None:
    """Bytes that one instruction moves of a struct that is accessed whole: its alignment."""
    ideal, size = access.stride.ideal, access.struct_bytes
    if ideal is None or not size:
        return None
    return ideal  # a full warp of w bytes a lane needs w sectors of 32 bytes


def _shared(
    context: RowContext, accesses: Sequence[Access], hints: dict[str, Any], spans: Spans
) -> None:
    shared = [one for one in accesses if one.space == "shared"]
    if not shared:
        return
    worst = max(shared, key=lambda one: one.bank_ways or 0)
    for one in shared:
        loops = context.loops_at(one.start)
        if one.stride.kind == "symbolic" and any(
            loop.scales and re.search(rf"\b{re.escape(loop.variable)}\b", one.stride.text)
            for loop in loops
            if loop.variable
        ):
            hints["shared_scaled"] = True
            worst = one
            break
    spans["shared"] = (worst.start, worst.end)
    hints["shared_repeats"] = any(not one.spread for one in context.loops_at(worst.start))


def copy_hints(
    context: RowContext, copies: Sequence[SharedCopy], hints: dict[str, Any], spans: Spans
) -> None:
    """A copy by way of registers in a loop with a barrier."""
    for copy in copies:
        barriers = context.main.barriers
        for loop in reversed(context.loops_at(copy.start)):
            if not any(loop.start <= one.start < loop.end for one in barriers):
                continue
            inside = [c for c in context.main.copies if loop.start <= c.start < loop.end]
            hints["copy_array"], hints["copy_source"] = copy.target, copy.source
            hints["copy_bytes"] = copy.bytes
            hints["copy_trips"] = _work_trips(context.main, loop.start, loop.end, inside)
            spans["copy"] = (copy.start, copy.end)
            return


def _work_trips(
    records: FunctionRecords, start: int, end: int, copies: Sequence[SharedCopy]
) -> float | None:
    """Trips of the longest nest of loops in a range that holds no copy, for each copy."""
    most = 0.0
    inner = [one for one in records.loops if start < one.start and one.end <= end]
    for leaf in inner:
        if not leaf.leaf or any(leaf.start <= one.start < leaf.end for one in copies):
            continue
        trips = 1.0
        for around in inner:
            if around.start <= leaf.start and leaf.end <= around.end:
                if around.trips is None:
                    return None
                trips *= around.trips
        most = max(most, trips)
    return most / max(len(copies), 1)


def sum_hints(
    context: RowContext, sums: Sequence[Accumulation], hints: dict[str, Any], spans: Spans
) -> None:
    """Chains of dependent operations, and products of low precision."""
    for one in sums:
        inside = [
            access
            for access in context.accesses()
            if one.loop_start <= access.start < one.loop_end and access.kind == "load"
        ]
        if one.chains == 1 and one.type in ("float", "double"):
            main = context.main
            hints["chain"] = one.variable
            hints["chain_loads"] = sum(access.space in MEMORY for access in inside)
            hints["chain_spread"], hints["chain_product"] = one.spread, one.product
            hints["chain_alone"] = (
                len(main.loops) == 1 and not main.barriers and b"shfl" not in context.data
            )
            spans["sum"] = (one.start, one.end)
        if one.product and not one.spread and b"mma" not in context.data:
            found = _low_precision(inside)
            if found:
                hints["product"] = found
                spans["product"] = (one.start, one.end)


def _low_precision(loads: Sequence[Access]) -> str:
    """`A and B` when one of two low-precision operands is shared by the lanes of a warp and the
    other is not, as in a matrix product."""
    shared: list[str] = []
    apart: list[str] = []
    for one in loads:
        if one.space in (*MEMORY, "shared") and (is_half(one.element) or one.element in _SMALL):
            if one.stride.kind == "uniform":
                shared.append(one.base)
            elif one.stride.kind in ("linear", "symbolic", "irregular"):
                apart.append(one.base)
    for left in shared:
        for right in apart:
            if left != right:
                return f"{left} and {right}"
    return ""
