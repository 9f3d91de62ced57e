"""Facts of a line's conditions and arithmetic for rules on sources."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from gpuadvisor.source.call_names import SLOW_FUNCTIONS
from gpuadvisor.source.records import Division, Guard, Loop, MathCall
from gpuadvisor.source.row_accesses import Spans
from gpuadvisor.source.row_context import MEMORY, RowContext

LONG_LOOP = 32
"""From so many trips on a loop is worth dealing out to threads."""
_FEW = re.compile(r"/\s*(?:32|warpSize|WARP\w*)\b|>>\s*5\b|[wW]arps?\b|WARPS\b|num_?[wW]arps")
"""Bounds of loops over the warps of a block: 32 trips at most."""
_CHEAP = frozenset({"sqrtf"})


def guard_hints(
    context: RowContext, guards: Sequence[Guard], hints: dict[str, Any], spans: Spans
) -> None:
    """Conditions that split warps, and those behind which few threads do serial work."""
    for guard in guards:
        if guard.splits and guard.split_share is not None and "split_text" not in hints:
            hints["split_text"] = guard.text
            hints["split_share"] = guard.split_share
            hints["split_threads"] = guard.threads
            hints["split_loops"] = guard.loops and not _only_short(context, guard)
            hints["split_leaves"] = guard.leaves
            spans["split"] = (guard.start, guard.end)
        _serial(context, guard, hints, spans)


def _only_short(context: RowContext, guard: Guard) -> bool:
    """Whether the loops behind a condition are written there and all short."""
    loops = context.loops_in(guard.body_start, guard.body_end)
    return bool(loops) and not any(_is_long(one, 8) for one in loops)


def _is_long(loop: Loop, trips: int) -> bool:
    if loop.scales or _FEW.search(loop.condition):
        return False
    return loop.trips is None or loop.trips >= trips


def _serial(context: RowContext, guard: Guard, hints: dict[str, Any], spans: Spans) -> None:
    threads = guard.threads
    if threads is None or threads > 32 or "serial_text" in hints:
        return
    if threads > 1 and b"shfl" in context.data:
        return
    loops = [
        one
        for one in context.loops_in(guard.body_start, guard.body_end)
        if _is_long(one, LONG_LOOP) and not one.spread
    ]
    if not loops:
        return
    wide = [extent for extent in context.block if extent is not None]
    total = 1
    for extent in wide:
        total *= extent
    if len(wide) == 3 and total <= 32:
        return
    trips = [one.trips for one in loops]
    waits = not guard.leaves and any(one.start >= guard.body_end for one in context.main.barriers)
    if waits:
        hints["serial_text"], hints["serial_threads"] = guard.text, threads
        hints["serial_trips"] = None if None in trips else max(t for t in trips if t is not None)
        spans["serial"] = (guard.start, guard.end)
    elif threads == 1 and (guard.split_share == 0 or "blockIdx" in guard.text):
        body = (guard.body_start, guard.body_end)
        if any(body[0] <= a.start < body[1] and a.space in MEMORY for a in context.accesses()):
            hints["lone"] = guard.text
            spans["lone"] = (guard.start, guard.end)


def math_hints(
    context: RowContext, calls: Sequence[MathCall], hints: dict[str, Any], spans: Spans
) -> None:
    """Slow functions in innermost loops."""
    for one in calls:
        if one.exponent is not None:
            spans.setdefault("power", (one.start, one.end))
        if one.name not in SLOW_FUNCTIONS or one.name in _CHEAP:
            continue
        spans.setdefault("math", (one.start, one.end))
        loops = context.loops_at(one.start)
        streams = bool(loops) and any(
            loops[-1].start <= access.start < loops[-1].end
            and access.space in MEMORY
            and access.stride.kind != "uniform"
            for access in context.accesses()
        )
        if one.serial_depth and one.leaf and not streams:
            hints["math_serial"] = True
            spans["math"] = (one.start, one.end)


def division_hints(
    context: RowContext, divisions: Sequence[Division], hints: dict[str, Any], spans: Spans
) -> None:
    """Run-time divisions by lanes that differ."""
    found = [one for one in divisions if is_costly(one)]
    if not found:
        return
    worst = max(found, key=lambda one: one.serial_depth)
    hints["divisions_varying"] = len({(one.start, one.end) for one in found})
    hints["division_serial"] = worst.serial_depth
    hints["divisors"] = len(
        {
            one.divisor
            for view in context.facts.views
            for one in view.divisions
            if is_costly(one) and not one.serial_depth
        }
    )
    spans["division"] = (worst.start, worst.end)


def is_costly(one: Division) -> bool:
    """Whether a division is by a run-time value, of numbers that differ between lanes."""
    return one.constant is None and not one.fixed and one.varying
