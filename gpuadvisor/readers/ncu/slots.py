"""Finds the metrics in a result's message: whose they are, their value, where instances lie."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from gpuadvisor.evidence import Scalar
from gpuadvisor.readers.ncu import limits, varints
from gpuadvisor.readers.ncu.messages import text
from gpuadvisor.readers.ncu.result import Result
from gpuadvisor.readers.ncu.store import Chunk
from gpuadvisor.readers.ncu.varints import I64
from gpuadvisor.readers.ncu.wire import BYTES, VARINT, Damaged, fields, varint

# keys (field number and wire type) of ProfileMetricResult and of MetricValue, one byte each
_NAME, _VALUE, LIST = 0x08, 0x12, 0x1A
TEXT, F32, F64, U32, U64 = 0x0A, 0x15, 0x19, 0x20, 0x28


@dataclass(frozen=True)
class Slots:
    """The metrics of a result by name.

    values: single values, of those that have one; lists: where in the message the instances are,
    of those that have any. The end of a list's region may hold other small fields of the metric.
    """

    values: dict[str, Scalar]
    lists: dict[str, tuple[int, int]]


def find_slots(
    chunk: Chunk, result: Result, strings: list[str], damaged: Callable[[str], None]
) -> Slots:
    """Looks at all metrics of a result at once: 08 name, 12 length value, then 1a instances; one
    of the last two may be absent.

    What does not look like that is read on its own; `damaged` is told what is lost.
    """
    found = Slots({}, {})
    starts, ends, u8 = result.metric_starts, result.metric_ends, chunk.u8
    if not len(starts):
        return found
    words = chunk.u64[starts + 1]
    # the index of a name takes one to three bytes; the first without the mark is its last
    name_length = 1 + ((words & 0x80) != 0) + ((words & 0x8080) == 0x8080)
    names = varints.join(words & varints.MASK[name_length], 3)
    at = starts + 1 + name_length
    valued = u8[at] == _VALUE
    size = np.where(valued, u8[at + 1], 0).astype(np.int64)
    value_at = at + 2 * valued
    behind = value_at + size
    regular = (
        (u8[starts] == _NAME)
        & ((words & 0x808080) != 0x808080)
        & (valued | (u8[at] == LIST))
        & (size < 0x80)
        & (behind <= ends)
    )
    listed = (behind < ends) & (u8[np.minimum(behind, chunk.size)] == LIST)
    values = _scalars(chunk, value_at, np.where(regular, size, 0))
    list_at = np.where(listed, behind, ends)
    columns = (regular, names, values, value_at, behind, list_at, starts, ends)
    for plain, name, value, first, last, list_start, start, end in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        try:
            if not plain:
                name, first, last, list_start = _irregular(chunk.data, start, end)
            if value is None and last > first:
                value = scalar_at(chunk.data, first, last)
            known = strings[name]
        except Damaged as error:
            damaged(f"a metric is lost: {error.reason}")
            continue
        except IndexError:
            damaged("a metric is lost: its name is not in the file")
            continue
        # of a name that comes twice the last counts
        if value is not None:
            found.values[known] = value
        if list_start < end:
            found.lists[known] = list_start, end
    return found


def _scalars(chunk: Chunk, at: I64, size: I64) -> np.ndarray[Any, np.dtype[np.object_]]:
    """object[n]: the numbers in the MetricValues at `at`, None for all else."""
    found = np.full(len(at), None, object)
    key = chunk.u8[at]
    doubles = np.flatnonzero((key == F64) & (size == 9))
    found[doubles] = chunk.u64[at[doubles] + 1].view(np.float64)
    integers = np.flatnonzero(
        ((key == U64) | (key == U32)) & (size > 1) & (size <= 1 + varints.LONGEST)
    )
    decoded, valid = varints.decode(chunk.u64, at[integers] + 1, size[integers] - 1)
    found[integers[valid]] = decoded[valid]
    return found


def scalar_at(data: bytes, start: int, end: int) -> Scalar:
    """The value of the MetricValue in data[start:end]; integers are exact, text is decoded."""
    key = data[start] if start < end else 0
    if key in (U32, U64):
        value, at = varint(data, start + 1, end)
        if at == end:
            return value
    elif key == F64 and end - start == 9:
        return float(struct.unpack_from("<d", data, start + 1)[0])
    elif key == F32 and end - start == 5:
        return float(struct.unpack_from("<f", data, start + 1)[0])
    elif key == TEXT:
        length, at = varint(data, start + 1, end)
        if at + length == end and length <= limits.TEXT_BYTES:
            return text(data[at:end])
    raise Damaged("its value is unreadable", start)


def _irregular(data: bytes, start: int, end: int) -> tuple[int, int, int, int]:
    """(name index, value start, value end, where instances start) of a metric in any layout;
    instances start at `end` when there are none."""
    name_index = -1
    first = last = behind = start
    list_start = end
    found = fields(data, start, end)
    for number, wire, integer, content, content_end in islice(found, limits.IRREGULAR_ENTRIES):
        if number == 1 and wire == VARINT:
            name_index = integer
        elif number == 2 and wire == BYTES:
            first, last = content, content_end
        elif number == 3 and wire == BYTES and list_start == end:
            list_start = behind
        behind = content_end
        if list_start < end and last > start and name_index >= 0:
            break
    if name_index < 0:
        raise Damaged("it has no name", start)
    return name_index, first, last, list_start
