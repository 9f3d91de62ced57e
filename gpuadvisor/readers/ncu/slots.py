"""Finds the metrics in a result's message: whose they are, where value and instances lie."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gpuadvisor.readers.ncu import varints
from gpuadvisor.readers.ncu.result import Result
from gpuadvisor.readers.ncu.store import Chunk
from gpuadvisor.readers.ncu.wire import BYTES, VARINT, Damaged, fields

# keys (field number and wire type) of ProfileMetricResult, one byte each
_NAME, _VALUE, LIST = 0x08, 0x12, 0x1A


@dataclass(frozen=True)
class Slots:
    """Offsets in a result's message, by metric name.

    values: where the bytes of its MetricValue are; lists: where its instances are, for those that
    have any. The end of a list region may hold other small fields of the metric.
    """

    values: dict[str, tuple[int, int]]
    lists: dict[str, tuple[int, int]]


def find_slots(
    chunk: Chunk, result: Result, strings: list[str], damaged: Callable[[str], None]
) -> Slots:
    """Looks at the head of every metric at once: 08 name, 12 length value, then 1a instances."""
    starts, ends, u8 = result.metric_starts, result.metric_ends, chunk.u8
    values: dict[str, tuple[int, int]] = {}
    lists: dict[str, tuple[int, int]] = {}
    if not len(starts):
        return Slots(values, lists)
    encoded = chunk.u64[starts + 1]
    # the index of a name takes one to three bytes; the first without the mark is its last
    length = 1 + ((encoded & 0x80) != 0) + ((encoded & 0x8080) == 0x8080)
    index = varints.join(encoded & varints.MASK[length], 3)
    value_at = starts + 1 + length
    size = u8[value_at + 1].astype(np.int64)
    behind = value_at + 2 + size
    regular = (
        (u8[starts] == _NAME)
        & ((encoded & 0x808080) != 0x808080)
        & (u8[value_at] == _VALUE)
        & (size < 0x80)
        & (behind <= ends)
    )
    listed = u8[np.minimum(behind, chunk.size)] == LIST
    known = len(strings)
    columns = (regular, index, value_at + 2, behind, listed, starts, ends)
    for plain, name, first, last, has_list, start, end in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        if not plain:
            try:
                name, first, last, has_list = _irregular(chunk.data, start, end)
            except Damaged as error:
                damaged(f"a metric is lost: {error.reason}")
                continue
        if name >= known:
            damaged("a metric is lost: its name is not in the file")
            continue
        # of a name that comes twice the last value counts
        if last > first:
            values[strings[name]] = first, last
        if has_list and last < end:
            lists[strings[name]] = last, end
    return Slots(values, lists)


def _irregular(data: bytearray, start: int, end: int) -> tuple[int, int, int, bool]:
    """(name index, value start, value end = where instances start, whether there are any)."""
    name_index = -1
    value = (start, start)
    for number, wire, integer, content, content_end in fields(data, start, end):
        if number == 1 and wire == VARINT:
            name_index = integer
            value = (content_end, content_end)
        elif number == 2 and wire == BYTES:
            value = (content, content_end)
        elif number == 3 and wire == BYTES:
            break
    if name_index < 0:
        raise Damaged("it has no name", start)
    at = value[1]
    return name_index, *value, at < end and data[at] == LIST
