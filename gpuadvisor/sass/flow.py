"""Control flow of a listing: branch targets, basic blocks, loops.

Offsets of branches count from the next instruction, in units of four bytes; from sm_90 on their
low eight bits stand apart. Indirect branches have no known target.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuadvisor.evidence import Table
from gpuadvisor.sass.fields import Bits, Words, bits, signed

CALL, EXIT = 0x144, 0x14D
_BSYNC, _BSSY, _BRA, _BRX, _RET, _BRXU = 0x141, 0x145, 0x147, 0x149, 0x150, 0x158
_IMMEDIATE_FORM = 4
_ALWAYS = 7

Rows = np.ndarray[Any, np.dtype[np.int32]]


@dataclass(frozen=True)
class Flow:
    """How control moves between the n rows of a listing.

    target: int32[n], row that a branch, call or reconvergence set-up names, -1 for none.
    block: int32[n], basic block of each row; blocks are numbered in address order.
    starts: int32[k], first row of each block (block ends where the next starts).
    predecessors, successors: blocks by block.
    loops: int32[m, 2], first and last row of each loop (a branch back to an earlier row).
    loop: int32[n], the innermost loop of each row, -1 for none.
    """

    target: Rows
    block: Rows
    starts: Rows
    predecessors: tuple[tuple[int, ...], ...]
    successors: tuple[tuple[int, ...], ...]
    loops: Rows
    loop: Rows

    def rows_of(self, block: int) -> range:
        """The rows of a block."""
        end = self.starts[block + 1] if block + 1 < len(self.starts) else len(self.block)
        return range(int(self.starts[block]), int(end))


def read_flow(
    decoded: Table,
    words: Words,
    address: np.ndarray[Any, np.dtype[np.uint64]],
    function: Rows,
    sm: int,
) -> Flow:
    """The control flow of decoded instructions; `function` tells functions apart."""
    count = len(decoded)
    code = decoded["opcode"].astype(np.int64)
    target = _targets(words, address, sm)
    always = (decoded["predicate"] < 0) & (bits(words, 87, 3) == _ALWAYS)
    plain_bra = (code == _BRA) & (bits(words, 9, 3) == _IMMEDIATE_FORM)
    plain_bra &= (bits(words, 32, 2) == 0) & always
    falls_not = plain_bra | ((code == EXIT) & always)
    falls_not |= ((code == _RET) | (code == _BRX) | (code == _BRXU)) & (decoded["predicate"] < 0)
    changes = np.flatnonzero(np.diff(function)) if count else np.zeros(0, np.int64)
    falls_not[changes] = True
    jumps = _jumps(code, words, target)
    ends = falls_not | (jumps >= 0)
    leader = np.zeros(count, bool)
    leader[:1] = True
    leader[jumps[jumps >= 0]] = True
    leader[np.flatnonzero(ends[:-1]) + 1] = True
    starts = np.flatnonzero(leader).astype(np.int32)
    block = (np.cumsum(leader) - 1).astype(np.int32)
    successors = _edges(starts, block, jumps, falls_not)
    predecessors: list[list[int]] = [[] for _ in starts]
    for source, following in enumerate(successors):
        for one in following:
            predecessors[one].append(source)
    loops, loop = _loops(jumps, function)
    return Flow(
        target,
        block,
        starts,
        tuple(tuple(p) for p in predecessors),
        successors,
        loops,
        loop,
    )


def goals(
    words: Words, address: np.ndarray[Any, np.dtype[np.uint64]], sm: int
) -> np.ndarray[Any, np.dtype[np.int64]]:
    """int64[n]: the address that a branch, call or reconvergence set-up names, -1 for none."""
    code = bits(words, 0, 9)
    high = signed(bits(words, 34, 48), 48)
    offset = high * 4
    if sm >= 90:
        offset = (high * 256 + bits(words, 16, 8)) * 4
    offset = np.where(code == _BSSY, signed(bits(words, 32, 32), 32), offset)
    branch = (code == _BRA) | (code == _BSSY)
    branch |= (code == CALL) & (bits(words, 9, 3) == _IMMEDIATE_FORM)
    return np.where(branch, address.astype(np.int64) + 16 + offset, -1)


def _targets(words: Words, address: np.ndarray[Any, np.dtype[np.uint64]], sm: int) -> Rows:
    goal = goals(words, address, sm)
    places = address.astype(np.int64)
    if not len(places):
        return np.zeros(0, np.int32)
    at = np.minimum(np.searchsorted(places, goal), len(places) - 1)
    return np.where((goal >= 0) & (places[at] == goal), at, -1).astype(np.int32)


def _jumps(code: Bits, words: Words, target: Rows) -> Rows:
    """Row each instruction may jump to: branches, and BSYNC to where its BSSY said."""
    jumps = np.where(code == _BRA, target, -1).astype(np.int32)
    meeting: dict[int, int] = {}
    barrier = bits(words, 16, 4)
    for row in np.flatnonzero((code == _BSSY) | (code == _BSYNC)).tolist():
        if code[row] == _BSSY:
            meeting[int(barrier[row])] = int(target[row])
        else:
            jumps[row] = meeting.get(int(barrier[row]), -1)
    return jumps


def _edges(
    starts: Rows, block: Rows, jumps: Rows, falls_not: np.ndarray[Any, np.dtype[np.bool_]]
) -> tuple[tuple[int, ...], ...]:
    found = []
    last = len(block) - 1
    for number in range(len(starts)):
        end = int(starts[number + 1]) - 1 if number + 1 < len(starts) else last
        following = []
        if jumps[end] >= 0:
            following.append(int(block[jumps[end]]))
        if not falls_not[end] and end < last:
            following.append(number + 1)
        found.append(tuple(dict.fromkeys(following)))
    return tuple(found)


def _loops(jumps: Rows, function: Rows) -> tuple[Rows, Rows]:
    rows = np.arange(len(jumps))
    back = (jumps >= 0) & (jumps < rows)
    back &= function[np.maximum(jumps, 0)] == function
    spans: dict[int, int] = {}
    for row in np.flatnonzero(back).tolist():
        first = int(jumps[row])
        spans[first] = max(spans.get(first, row), row)
    ordered = sorted(spans.items(), key=lambda span: (span[0] - span[1], span[0]))
    loop = np.full(len(jumps), -1, np.int32)
    for number, (first, final) in enumerate(ordered):  # longest first, so the innermost stays
        loop[first : final + 1] = number
    return np.array(ordered, np.int32).reshape(-1, 2), loop
