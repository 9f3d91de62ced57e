"""Which pointer parameters a kernel only reads without saying so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpuadvisor.source.layout import CType
from gpuadvisor.source.records import Access, FunctionRecords, Loop

if TYPE_CHECKING:
    from gpuadvisor.source.outline import RawFunction

_BYTES = frozenset({"char", "unsigned char", "signed char", "uint8_t", "int8_t"})


@dataclass(frozen=True)
class ReadOnly:
    """Names of parameters that are only read: `mutable` without const, `aliased` const but in a
    loop with a store that may hit the same memory as far as the compiler knows."""

    mutable: tuple[str, ...] = ()
    aliased: tuple[str, ...] = ()


def read_only_parameters(function: RawFunction, records: FunctionRecords, text: bytes) -> ReadOnly:
    """See `ReadOnly`. Nothing is claimed of a pointer that goes where it is not followed."""
    if b"asm" in text or b"[&" in text or b"[=" in text:
        return ReadOnly()
    groups = list(_all(records))
    escaped = {name for one in groups for name in one.escapes}
    stored: dict[str, list[Access]] = {}
    loaded: dict[str, list[Access]] = {}
    for one in groups:
        for access in one.accesses:
            kept = loaded if access.kind == "load" else stored
            kept.setdefault(access.base, []).append(access)
    types = {one.name: one.type for one in function.parameters}
    mutable, aliased = [], []
    for name, ctype in types.items():
        if ctype.pointers != 1 or ctype.volatile or ctype.reference:
            continue
        if name not in loaded or name in stored or name in escaped:
            continue
        if not ctype.const:
            mutable.append(name)
        elif not ctype.restrict and _aliased(name, types, records, stored):
            aliased.append(name)
    return ReadOnly(tuple(mutable), tuple(aliased))


def _all(records: FunctionRecords) -> Iterator[FunctionRecords]:
    yield records
    for contexts in records.inlined.values():
        for one in contexts:
            yield from _all(one)


def _aliased(
    name: str, types: dict[str, CType], records: FunctionRecords, stored: dict[str, list[Access]]
) -> bool:
    """Whether a load of `name` shares an innermost loop with a store of the same element type
    through another pointer that may overlap."""
    writers = {
        other
        for other in stored
        if other in types and types[other].pointers == 1 and not types[other].restrict
    }
    for load in records.accesses:
        if load.base != name or load.kind != "load":
            continue
        loop = _innermost(load, records.loops)
        if loop is None:
            continue
        for store in records.accesses:
            if store.base not in writers or store.kind == "load":
                continue
            inside = loop.start <= store.start < loop.end
            if inside and (store.element == load.element or store.element in _BYTES):
                return True
    return False


def _innermost(access: Access, loops: list[Loop]) -> Loop | None:
    around = [one for one in loops if one.body_start <= access.start < one.end]
    return max(around, key=lambda one: one.start, default=None)
