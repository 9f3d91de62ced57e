"""Where load addresses come from: gathers (an index that was loaded) and pointer chains.

Definitions are looked up in address order within a function, and around the innermost loop when
the register was last written further down in it; a predicated write lets the one before it
through. Index arithmetic is followed for a few steps.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

import numpy as np

from gpuadvisor.evidence import Table
from gpuadvisor.sass.flow import Flow
from gpuadvisor.sass.opcodes import Kind, Space

_MAX_STEPS = 12
_MAX_VISITED = 32
_ARITHMETIC = (Kind.INT, Kind.MOVE, Kind.SHUFFLE, Kind.CONVERT, Kind.FP32)
_ADDRESSED = (Kind.LOAD, Kind.STORE, Kind.ATOMIC, Kind.REDUCTION, Kind.ASYNC_COPY)
_SOURCES = ("source_a", "source_b", "source_c")
_COUNTS = ("count_a", "count_b", "count_c")
_DATA_SPACES = (Space.GLOBAL, Space.SHARED, Space.GENERIC)


class _Definitions:
    """Who wrote a register last, by row."""

    def __init__(self, decoded: Table, flow: Flow, function: np.ndarray[Any, Any]) -> None:
        self.flow = flow
        self.function = function.tolist()
        self.predicated = (decoded["predicate"] >= 0).tolist()
        self.loop = flow.loop.tolist()
        self.loops = flow.loops.tolist()
        self.writers: dict[int, list[int]] = {}
        rows = np.flatnonzero(decoded["dest"] >= 0)
        for row, dest, count in zip(
            rows.tolist(),
            decoded["dest"][rows].tolist(),
            decoded["dest_count"][rows].tolist(),
            strict=True,
        ):
            for register in range(dest, dest + count):
                self.writers.setdefault(register, []).append(row)

    def before(self, register: int, row: int) -> list[int]:
        """Rows whose value of `register` can be in it at `row`."""
        writers = self.writers.get(register)
        if not writers:
            return []
        found = []
        at = bisect_left(writers, row) - 1
        settled = -1
        while at >= 0 and self.function[writers[at]] == self.function[row]:
            found.append(writers[at])
            settled = writers[at]
            if not self.predicated[settled]:
                break
            at -= 1
            settled = -1
        number = self.loop[row]
        if number >= 0:
            first, last = self.loops[number]
            if settled < first:
                end = bisect_left(writers, last + 1) - 1
                if end >= 0 and writers[end] >= row:
                    found.insert(0, writers[end])  # what most iterations see
        return found


def dependence(decoded: Table, flow: Flow, function: np.ndarray[Any, Any]) -> Table:
    """One row an instruction.

    address_from_load: int32, row of the load whose value the address of this memory access is
    computed from, -1 for none. self_dependent: bool, whether following such loads from a load
    leads back to it (a pointer chain in a loop). chain_length: int16, how many loads stand in a
    row behind the address without a loop closing (0 for an address that is not loaded).
    """
    count = len(decoded)
    kind, space = decoded["kind"].tolist(), decoded["space"]
    definitions = _Definitions(decoded, flow, function)
    sources = [decoded[name].tolist() for name in _SOURCES]
    counts = [decoded[name].tolist() for name in _COUNTS]
    data = (np.isin(decoded["kind"], (Kind.LOAD, Kind.ATOMIC)) & np.isin(space, _DATA_SPACES)) | (
        decoded["kind"] == Kind.TEXTURE
    )
    is_data = data.tolist()
    origin = np.full(count, -1, np.int32)
    addressed = np.isin(decoded["kind"], _ADDRESSED) & (decoded["source_a"] >= 0)
    addressed &= np.isin(space, _DATA_SPACES)
    for row in np.flatnonzero(addressed).tolist():
        origin[row] = _trace(row, definitions, sources, counts, kind, is_data)
    chained, length = _follow(origin)
    return Table({"address_from_load": origin, "self_dependent": chained, "chain_length": length})


def _trace(
    row: int,
    definitions: _Definitions,
    sources: list[list[int]],
    counts: list[list[int]],
    kind: list[int],
    is_data: list[bool],
) -> int:
    """The nearest load that the address of `row` depends on, -1 for none."""
    start = sources[0][row]
    level = [(row, start + i) for i in range(counts[0][row])]
    seen: set[int] = set()
    for _ in range(_MAX_STEPS):
        following: list[tuple[int, int]] = []
        for place, register in level:
            for writer in definitions.before(register, place):
                if is_data[writer]:
                    return writer
                if writer in seen or kind[writer] not in _ARITHMETIC:
                    continue
                seen.add(writer)
                for first, width in zip(sources, counts, strict=True):
                    if first[writer] >= 0:
                        following += [(writer, first[writer] + i) for i in range(width[writer])]
        if not following or len(seen) > _MAX_VISITED:
            return -1
        level = following
    return -1


def _follow(
    origin: np.ndarray[Any, np.dtype[np.int32]],
) -> tuple[np.ndarray[Any, np.dtype[np.bool_]], np.ndarray[Any, np.dtype[np.int16]]]:
    links = origin.tolist()
    chained = np.zeros(len(links), bool)
    length = np.zeros(len(links), np.int16)
    for row in np.flatnonzero(origin >= 0).tolist():
        at, steps = links[row], 0
        seen = set()
        while at >= 0 and at not in seen:
            seen.add(at)
            steps += 1
            if at == row:
                chained[row] = True
                break
            at = links[at]
        length[row] = steps
    return chained, length
