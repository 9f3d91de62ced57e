"""One result of a report: its small fields decoded, its metrics found but not decoded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuadvisor.evidence.report import Scope
from gpuadvisor.readers.ncu import limits
from gpuadvisor.readers.ncu.container import Entry
from gpuadvisor.readers.ncu.messages import decode, field_numbers
from gpuadvisor.readers.ncu.store import Store
from gpuadvisor.readers.ncu.wire import BYTES, Damaged, varint

Offsets = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True)
class _Layout:
    head: str
    metrics: int
    rules: int


_LAYOUTS: dict[Scope, _Layout] = {
    "kernel": _Layout("KernelHead", 13, 19),
    "range": _Layout("RangeHead", 4, 20),
    "cmdlist": _Layout("CmdlistHead", 4, 21),
    "graph": _Layout("GraphHead", 4, 22),
}


@dataclass(frozen=True)
class Result:
    """Where the parts of a result lie; offsets count from the start of its message.

    metric_starts, metric_ends: int64[m]; rules: (start, end) of each.
    """

    entry: Entry
    metric_starts: Offsets
    metric_ends: Offsets
    rules: tuple[tuple[int, int], ...]


def read_result(store: Store, scope: Scope, entry: Entry) -> tuple[Result, Any, str]:
    """Walks the top level of the message once.

    Also returns its decoded small fields (None where they are damaged) and why the walk stopped
    early ("" when it did not): damage loses only what is behind it.
    """
    layout = _LAYOUTS[scope]
    if entry.size > limits.RESULT_BYTES:
        raise Damaged(f"it claims {entry.size:,} bytes")
    data = store.chunk(entry.offset, entry.size).data
    starts: list[int] = []
    ends: list[int] = []
    rules: list[tuple[int, int]] = []
    head = bytearray()
    damage = ""
    try:
        _walk(data, entry.size, layout, starts, ends, rules, head)
    except Damaged as error:
        damage = f"{error.reason} at byte {entry.offset + error.at:,}"
    decoded = None
    try:
        decoded = decode(layout.head, bytes(head))
    except ValueError:
        damage = damage or f"its description at byte {entry.offset:,} is unreadable"
    result = Result(entry, np.array(starts, np.int64), np.array(ends, np.int64), tuple(rules))
    return result, decoded, damage


def _walk(
    data: bytes,
    size: int,
    layout: _Layout,
    starts: list[int],
    ends: list[int],
    rules: list[tuple[int, int]],
    head: bytearray,
) -> None:
    """Sorts the fields of a result. Most of its fields are metrics of under 16 KB, so their
    lengths are read in place and everything else by the general reader."""
    metric_key = layout.metrics << 3 | BYTES
    wanted = field_numbers(layout.head)
    at = 0
    budget = limits.METRICS
    while at < size:
        budget -= 1
        if budget < 0:
            raise Damaged(f"it claims more than {limits.METRICS:,} metrics", at)
        begin = at
        key = data[at]
        if key == metric_key and at + 3 < size:
            length = data[at + 1]
            at += 2
            if length >= 0x80:
                high = data[at]
                if high < 0x80:
                    length = length & 0x7F | high << 7
                    at += 1
                else:
                    length, at = varint(data, at - 1, size)
            end = at + length
            if end > size:
                raise Damaged("a metric runs past the end of its result", begin)
            starts.append(at)
            ends.append(end)
            at = end
            continue
        at, number, content = _field(data, at, size)
        if number == layout.rules:
            rules.append((content, at))
        elif number in wanted:
            if len(head) + at - begin > limits.HEAD_BYTES:
                raise Damaged("its description is too large", begin)
            head += data[begin:at]


def _field(data: bytes, at: int, size: int) -> tuple[int, int, int]:
    """(end, number, content start) of the field at `at`."""
    key, content = varint(data, at, size)
    wire = key & 7
    if wire == 0:
        _, end = varint(data, content, size)
    elif wire == BYTES:
        length, content = varint(data, content, size)
        end = content + length
    elif wire == 1:
        end = content + 8
    elif wire == 5:
        end = content + 4
    else:
        raise Damaged(f"wire type {wire} does not exist", at)
    if end > size:
        raise Damaged("a field runs past the end of its result", at)
    return end, key >> 3, content
