"""Waits for asynchronous copies to shared memory: which copies a DEPBAR waits for.

Copies (LDGSTS) are closed into groups by LDGDEPBAR, which takes a scoreboard; DEPBAR.LE waits
until at most so many groups of that scoreboard are open.
"""

from __future__ import annotations

import numpy as np

from gpuadvisor.evidence import Table
from gpuadvisor.sass.fields import Words, bits
from gpuadvisor.sass.flow import Flow

DEPBAR = 0x11A
_CLOSE, _COPY = 0x1AF, 0x1AE
_MAX_GROUPS = 8
_MAX_COPIES = 32


def copy_waits(decoded: Table, words: Words, flow: Flow) -> list[tuple[int, int, int]]:
    """(row of the wait, row of a copy, scoreboard) of every DEPBAR that waits for copies."""
    code = decoded["opcode"]
    waits = np.flatnonzero(code == DEPBAR)
    if not len(waits) or not (code == _COPY).any():
        return []
    board, allowed = bits(words, 44, 3), bits(words, 38, 6)
    found: list[tuple[int, int, int]] = []
    for row in waits.tolist():
        groups = min(int(allowed[row]), _MAX_GROUPS)
        found += [(row, copy, int(board[row])) for copy in _awaited(row, groups, decoded, flow)]
    return found


def _awaited(row: int, allowed: int, decoded: Table, flow: Flow) -> list[int]:
    """The copies of the oldest group that may not stay open, walking back from `row`."""
    code = decoded["opcode"]
    block = int(flow.block[row])
    todo = [(block, row, 0)]
    seen: set[tuple[int, int]] = set()
    found: list[int] = []
    while todo and len(found) < _MAX_COPIES:
        block, end, closed = todo.pop()
        for at in range(end - 1, int(flow.starts[block]) - 1, -1):
            if code[at] == _CLOSE:
                closed += 1
                if closed > allowed + 1:
                    break
            elif code[at] == _COPY and closed == allowed + 1 and at not in found:
                found.append(at)
        if closed > allowed + 1:
            continue
        for before in flow.predecessors[block]:
            if (before, closed) not in seen:
                seen.add((before, closed))
                rows = flow.rows_of(before)
                todo.append((before, rows.stop, closed))
    return found
