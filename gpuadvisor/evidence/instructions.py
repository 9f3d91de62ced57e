"""The instructions of one launch with their place in the source and their measurements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

NO_CHAIN = -1


@dataclass(frozen=True)
class Frame:
    """A source position. `function` is the (possibly inlined) function the line belongs to,
    mangled or plain, empty when the line program does not say."""

    file: str
    line: int
    function: str = ""


@dataclass(frozen=True)
class InstructionTable:
    """One row an instruction, in address order, n rows.

    address: uint64[n], absolute, as the report's per-instruction metrics correlate.
    function: int32[n], index into `functions` (mangled names; the kernel itself is one of them).
    offset: int64[n], bytes from the start of that function.
    words: uint64[n, 2], the 128-bit encoding (low, high); zeros where the cubin is not there.
    chain: int32[n], index into `chains`, NO_CHAIN where the line program says nothing.
    chains: innermost frame first, then the call sites it was inlined at, outermost last.
    metrics: float64[n] by the report's own metric name, decoded on access.
    sm: architecture of the code (90 for sm_90), 0 when it is not known.
    """

    address: np.ndarray[Any, np.dtype[np.uint64]]
    function: np.ndarray[Any, np.dtype[np.int32]]
    offset: np.ndarray[Any, np.dtype[np.int64]]
    words: np.ndarray[Any, np.dtype[np.uint64]]
    chain: np.ndarray[Any, np.dtype[np.int32]]
    functions: tuple[str, ...]
    chains: tuple[tuple[Frame, ...], ...]
    metrics: Mapping[str, np.ndarray[Any, np.dtype[np.float64]]]
    sm: int = 0

    def __len__(self) -> int:
        return len(self.address)
