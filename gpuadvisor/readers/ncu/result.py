"""One result of a report: its small fields decoded, its metrics found but not decoded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuadvisor.evidence.report import Scope
from gpuadvisor.readers.ncu import limits
from gpuadvisor.readers.ncu.container import Entry
from gpuadvisor.readers.ncu.messages import decode
from gpuadvisor.readers.ncu.store import Store
from gpuadvisor.readers.ncu.wire import BYTES, Damaged, varint

Offsets = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True)
class _Layout:
    head: str
    metrics: int
    rules: int
    skip: frozenset[int]
    """Large fields nobody reads here: section texts, call stacks."""


LAYOUTS: dict[Scope, _Layout] = {
    "kernel": _Layout("KernelHead", 13, 19, frozenset((17, 18, 28, 32))),
    "range": _Layout("RangeHead", 4, 20, frozenset((7,))),
    "cmdlist": _Layout("CmdlistHead", 4, 21, frozenset((7,))),
    "graph": _Layout("GraphHead", 4, 22, frozenset((7,))),
}


@dataclass(frozen=True)
class Result:
    """Where the parts of a result lie; offsets count from the start of its message.

    metric_starts, metric_ends: int64[m]; rules: (start, end) of each; head: the decoded small
    fields, or None where they are damaged; damage: why the walk stopped early, "" when it did not.
    """

    scope: Scope
    entry: Entry
    head: Any
    metric_starts: Offsets
    metric_ends: Offsets
    rules: tuple[tuple[int, int], ...]
    damage: str


def read_result(store: Store, scope: Scope, entry: Entry) -> Result:
    """Walks the top level of the message once. Damage inside it loses only what is behind."""
    layout = LAYOUTS[scope]
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
        decoded = decode(layout.head, head)
    except ValueError:
        damage = damage or f"its description at byte {entry.offset:,} is unreadable"
    return Result(
        scope,
        entry,
        decoded,
        np.array(starts, np.int64),
        np.array(ends, np.int64),
        tuple(rules),
        damage,
    )


def _walk(
    data: bytearray,
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
    at = 0
    budget = limits.fields_in(size)
    while at < size:
        budget -= 1
        if budget < 0:
            raise Damaged("it has more fields than a report can hold", at)
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
        elif number not in layout.skip:
            head += data[begin:at]


def _field(data: bytearray, at: int, size: int) -> tuple[int, int, int]:
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
