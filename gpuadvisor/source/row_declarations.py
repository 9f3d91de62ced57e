"""Facts of declarations for rules on sources: per-thread arrays, launch bounds, parameters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpuadvisor.source.outline import RawFunction
from gpuadvisor.source.parameter_facts import read_only_parameters
from gpuadvisor.source.records import Access, ArrayDecl, FunctionRecords
from gpuadvisor.source.row_accesses import Spans
from gpuadvisor.source.row_context import RowContext

REGISTERS = 65536
"""32-bit registers of a multiprocessor, of all architectures since Kepler."""
MOST_REGISTERS = 255
Declared = tuple[int, dict[str, Any], Spans]
"""(offset of the line, hints, spans)."""


def array_rows(context: RowContext) -> Iterator[Declared]:
    """Arrays of the thread that a run-time subscript keeps out of registers."""
    arrays = [one for one in context.facts.own.arrays if one.space == "local"]
    if not arrays:
        return
    for array in arrays:
        access = next(
            (
                one
                for one in context.accesses()
                if one.subscript == "runtime" and _declared_as(one, arrays) is array
            ),
            None,
        )
        if access is not None:
            hints = {
                "array": array.name,
                "array_bytes": array.bytes,
                "array_subscript": context.text(access.start, access.end),
            }
            spans = {"array": (array.start, array.end), "subscript": (access.start, access.end)}
            yield array.start, hints, spans


def _declared_as(access: Access, arrays: list[ArrayDecl]) -> ArrayDecl | None:
    """The declaration that an access of a per-thread array means: the last of its name above."""
    above = [one for one in arrays if one.name == access.base and one.start < access.start]
    return max(above, key=lambda one: one.start, default=None)


def bound_row(
    function: RawFunction, context: RowContext, bounds: tuple[int | None, ...]
) -> Declared | None:
    """The registers that launch bounds leave, and those that arrays ask for."""
    if not bounds:
        return None
    threads, blocks = (*bounds[:2], 1)[:2]
    if threads is None or blocks is None or threads <= 0 or blocks <= 0:
        return None
    warps = -(-threads // 32) * blocks
    limit = min(REGISTERS // (warps * 32) // 8 * 8, MOST_REGISTERS)
    names: dict[str, int] = {}
    for records in _all(context.main):
        for array in records.arrays:
            if array.space == "local" and array.bytes and _in_registers(array, records):
                names[array.name] = max(names.get(array.name, 0), array.bytes // 4)
    nodes = function.launch_bounds
    start, end = nodes[0].start - function.start, nodes[-1].end - function.start
    hints = {
        "bound_registers": limit,
        "array_registers": sum(names.values()),
        "array_names": ", ".join(names),
    }
    return start, hints, {"bounds": (start, end)}


def _in_registers(array: ArrayDecl, records: FunctionRecords) -> bool:
    uses = [one for one in records.accesses if one.base == array.name and one.space == "local"]
    return bool(uses) and all(one.subscript in ("constant", "loop") for one in uses)


def _all(records: FunctionRecords) -> Iterator[FunctionRecords]:
    yield records
    for contexts in records.inlined.values():
        for one in contexts[:1]:
            yield from _all(one)


def parameter_row(function: RawFunction, context: RowContext) -> Declared | None:
    """Pointers that the kernel only reads without saying so."""
    found = read_only_parameters(function, context.facts.own, context.data)
    if not found.mutable and not found.aliased:
        return None
    names = (*found.mutable, *found.aliased)
    places = [one for one in function.parameters if one.name in names]
    start, end = places[0].start - function.start, places[0].end - function.start
    hints = {
        "mutable": ", ".join(found.mutable),
        "aliased": ", ".join(found.aliased),
        "parameters": len(names),
    }
    return start, hints, {"parameter": (start, end)}
