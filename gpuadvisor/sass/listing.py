"""Everything known about a listing's code, made once for equal code."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from gpuadvisor.evidence import InstructionTable, Table
from gpuadvisor.sass.decode import decode
from gpuadvisor.sass.dependence import dependence
from gpuadvisor.sass.fields import Words
from gpuadvisor.sass.flow import Flow, Rows, read_flow
from gpuadvisor.sass.producers import drains, producers


@dataclass(frozen=True)
class Listing:
    """The code of an instruction table. Each part is worked out when it is first asked for."""

    words: Words
    offset: np.ndarray[tuple[int], np.dtype[np.uint64]]
    function: Rows
    sm: int

    @cached_property
    def decoded(self) -> Table:
        """What each instruction is: see `decode`."""
        return decode(self.words, self.sm)

    @cached_property
    def flow(self) -> Flow:
        """Branch targets, blocks and loops."""
        return read_flow(self.decoded, self.words, self.offset, self.function, self.sm)

    @cached_property
    def producers(self) -> Table:
        """Who waits for whom: see `producers`."""
        return producers(self.decoded, self.words, self.flow)

    @cached_property
    def drains(self) -> Table:
        """Stores behind each EXIT: see `drains`."""
        return drains(self.decoded, self.flow)

    @cached_property
    def dependence(self) -> Table:
        """Where addresses come from: see `dependence`."""
        return dependence(self.decoded, self.flow, self.function)


def read_listing(table: InstructionTable) -> Listing:
    """The code of a table; tables of equal code share one listing."""
    base = table.address[:1]
    offset = (table.address - base).astype(np.uint64) if len(base) else table.address
    return _listing(
        table.words.tobytes(), offset.tobytes(), table.function.astype(np.int32).tobytes(), table.sm
    )


@lru_cache(maxsize=64)
def _listing(words: bytes, offset: bytes, function: bytes, sm: int) -> Listing:
    return Listing(
        np.frombuffer(words, np.uint64).reshape(-1, 2),
        np.frombuffer(offset, np.uint64),
        np.frombuffer(function, np.int32),
        sm,
    )
