"""Line tables of code sections: which chain of source positions each instruction has."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuadvisor.evidence import NO_CHAIN, Frame
from gpuadvisor.readers.cubin.elf import Names
from gpuadvisor.readers.cubin.line_header import Unit
from gpuadvisor.readers.cubin.line_rows import Rows

_MAX_DEPTH = 64
_MAX_ROWS = 1 << 19

Chain = tuple[Frame, ...]


@dataclass(frozen=True)
class SectionLines:
    """The line table of one code section.

    starts: int64[k], ascending offsets into the section from which a row holds; the last one
    ends the table. chain: int32[k], index into `chains`, NO_CHAIN for gaps.
    """

    starts: np.ndarray[Any, np.dtype[np.int64]]
    chain: np.ndarray[Any, np.dtype[np.int32]]
    chains: tuple[Chain, ...]

    def lookup(
        self, offsets: np.ndarray[Any, np.dtype[np.int64]]
    ) -> np.ndarray[Any, np.dtype[np.int32]]:
        """The chain index of each offset into the section."""
        if not len(self.starts):
            return np.full(len(offsets), NO_CHAIN, np.int32)
        at = np.searchsorted(self.starts, offsets, side="right") - 1
        return np.where(at < 0, NO_CHAIN, self.chain[at]).astype(np.int32)


@dataclass(frozen=True)
class Piece:
    """One sequence of a section; `shift` leads from its addresses to offsets in the section."""

    shift: int
    unit: Unit
    rows: Rows


class _Build:
    """A table that grows row by row, equal chains stored once."""

    def __init__(self, size: int, names: Names, parts: list[tuple[int, str]]) -> None:
        self.size = size
        self.names = names
        self.part_starts = [offset for offset, _ in parts]
        self.part_names = [name for _, name in parts]
        self.numbers: dict[Chain, int] = {}
        self.starts: list[int] = []
        self.chain_of: list[int] = []
        self.rows_left = _MAX_ROWS

    def add(self, piece: Piece) -> None:
        rows, shift = piece.rows, piece.shift
        chains: list[Chain] = []
        count = min(len(rows.addresses), self.rows_left)
        self.rows_left -= count
        for row in range(count):
            offset = rows.addresses[row] + shift
            chain = self._chain(piece, row, offset, chains)
            chains.append(chain)
            if 0 <= offset < self.size:
                known = chain[0].line > 0 and chain[0].file != ""
                number = self.numbers.setdefault(chain, len(self.numbers)) if known else NO_CHAIN
                if self.starts and self.starts[-1] == offset:
                    self.chain_of[-1] = number
                else:
                    self._start(offset, number)
        if count:
            end = (rows.end if rows.ended else rows.addresses[count - 1]) + shift
            if 0 <= end <= self.size:
                self._start(end, NO_CHAIN)

    def _start(self, offset: int, number: int) -> None:
        self.starts.append(offset)
        self.chain_of.append(number)

    def _chain(self, piece: Piece, row: int, offset: int, before: list[Chain]) -> Chain:
        rows, files = piece.rows, piece.unit.files
        file, context = rows.files[row], rows.contexts[row]
        outer: Chain = before[context - 1] if 0 < context <= row else ()
        if outer:
            function = self.names[rows.names[row]]
            if len(outer) >= _MAX_DEPTH:
                outer = outer[1:]  # the outermost line is the one to keep
        else:
            part = bisect_right(self.part_starts, offset) - 1
            function = self.part_names[part] if part >= 0 else ""
        path = files[file] if file < len(files) else ""
        return (Frame(path, rows.lines[row], function), *outer)

    def finish(self) -> SectionLines:
        listed = set(self.starts)
        if listed:  # a row holds to the end of its function, not into the next one
            for offset in self.part_starts:
                if offset not in listed:
                    self._start(offset, NO_CHAIN)
        starts = np.array(self.starts, np.int64)
        order = np.argsort(starts, kind="stable")
        chain = np.array(self.chain_of, np.int32)
        return SectionLines(starts[order], chain[order], tuple(self.numbers))


def join_pieces(
    pieces: list[Piece], size: int, names: Names, parts: list[tuple[int, str]]
) -> SectionLines:
    """The line table of a section of `size` bytes out of its sequences. `names` are those of
    inlined functions, `parts` the (offset, name) of the functions in the section."""
    build = _Build(size, names, parts)
    for piece in sorted(pieces, key=_first_offset):
        build.add(piece)
    return build.finish()


def _first_offset(piece: Piece) -> int:
    return piece.rows.addresses[0] + piece.shift if piece.rows.addresses else 0
