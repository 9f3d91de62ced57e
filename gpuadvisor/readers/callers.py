"""Lines for code that has none of its own: subroutines that the compiler linked in.

Division, square roots and other slow paths are calls into code without a line table. Their
instructions belong to the line that calls them; among several callers, to the one that executes
most.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuadvisor.evidence import NO_CHAIN
from gpuadvisor.sass.fields import bits
from gpuadvisor.sass.flow import CALL, goals

_MAX_NESTING = 4

Ints = np.ndarray[Any, np.dtype[np.int32]]


def with_callers(
    chain: Ints,
    function: Ints,
    offset: np.ndarray[Any, np.dtype[np.int64]],
    words: np.ndarray[Any, np.dtype[np.uint64]],
    address: np.ndarray[Any, np.dtype[np.uint64]],
    executed: np.ndarray[Any, np.dtype[np.float64]] | None,
    sm: int,
) -> Ints:
    """`chain` with the caller's chain for every function that has no line at all."""
    lined = np.unique(function[chain != NO_CHAIN])
    bare = np.setdiff1d(np.unique(function), lined)
    calls = np.flatnonzero(bits(words, 0, 9) == CALL)
    if not len(bare) or not len(calls) or not len(lined):
        return chain
    goal = goals(words[calls], address[calls], sm)
    starts = offset == 0
    entries = dict(zip(address[starts].tolist(), function[starts].tolist(), strict=True))
    callee = np.array([entries.get(one, -1) for one in goal.tolist()])
    weight = np.zeros(len(calls)) if executed is None else np.nan_to_num(executed[calls])
    chain = chain.copy()
    for _ in range(_MAX_NESTING):
        changed = False
        for one in bare.tolist():
            candidates = np.flatnonzero((callee == one) & (chain[calls] != NO_CHAIN))
            rows = function == one
            if not len(candidates) or (chain[rows] != NO_CHAIN).any():
                continue
            best = candidates[np.argmax(weight[candidates])]
            chain[rows] = chain[calls[best]]
            changed = True
        if not changed:
            break
    return chain
