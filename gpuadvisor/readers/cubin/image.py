"""A cubin as the rest needs it: code words and source chains of each section, read on demand.

Programs repeat from launch to launch, so images are kept by content and each function's lines
are decoded once.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from gpuadvisor.readers.cubin.elf import Elf, Names, Section
from gpuadvisor.readers.cubin.line_header import Unit, read_units
from gpuadvisor.readers.cubin.line_rows import run_sequence
from gpuadvisor.readers.cubin.line_table import Piece, SectionLines, join_pieces

_MAX_OPCODES = 1 << 22
"""Of all line programs of an image; the rows of a function come to a few per instruction."""
_FIRST_WIDE_SM = 70
_NOP = np.uint64(0x918)


@dataclass(frozen=True)
class Code:
    """Where a function's code is: `section` holds it from `start` on, `size` bytes (0 unknown).

    `loaded` is the absolute address of its first instruction, 0 where the image does not say:
    some tool versions kept images with symbols already at their final place.
    """

    section: int
    start: int
    size: int
    loaded: int = 0


class Cubin:
    """One image. `damage` says what could not be read of it so far, empty when nothing."""

    def __init__(self, image: bytes) -> None:
        self.elf = Elf(image)
        self.damage = self.elf.damage
        self._lines: dict[int, SectionLines] = {}
        self._opcodes_left = _MAX_OPCODES

    @property
    def instruction_bytes(self) -> int:
        """The distance of two instruction addresses: 16 from sm_70 on, 8 before."""
        return 16 if not 0 < self.elf.sm < _FIRST_WIDE_SM else 8

    @property
    def has_lines(self) -> bool:
        """Whether the program was built with line information."""
        section = self.elf.by_name.get(".debug_line")
        return section is not None and section.size > 0

    @cached_property
    def code(self) -> dict[str, Code]:
        """Functions by mangled name: those with a symbol, and those with just a section."""
        found: dict[str, Code] = {}
        for section in self.elf.sections:
            if section.name.startswith(".text."):
                found[section.name[6:]] = Code(section.index, 0, section.size)
        for symbol in self.elf.functions:
            final = symbol.value >= self.elf.sections[symbol.section].size > 0
            start, loaded = (0, symbol.value) if final else (symbol.value, 0)
            found[symbol.name] = Code(symbol.section, start, symbol.size, loaded)
        return found

    @cached_property
    def _parts(self) -> dict[int, dict[int, str]]:
        parts: dict[int, dict[int, str]] = {}
        for name, code in self.code.items():
            parts.setdefault(code.section, {}).setdefault(code.start, name)
        return parts

    def parts(self, section: int) -> list[tuple[int, str]]:
        """(offset, mangled name) of the functions in a section, ascending: the kernel and the
        subroutines that the compiler put behind it."""
        return sorted(self._parts.get(section, {}).items())

    def words(self, section: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
        """uint64[n, 2]: the instructions of a section in order. Before sm_70 the second word of
        each row is zero."""
        data = self.elf.sections[section].data
        width = self.instruction_bytes
        flat = np.frombuffer(data, "<u8", len(data) // width * (width // 8))
        if width == 16:
            return flat.reshape(-1, 2)
        return np.stack([flat, np.zeros_like(flat)], axis=1)

    def used(self, section: int) -> int:
        """How many instructions a section has before the NOPs that fill it up."""
        words = self.words(section)
        filled = np.flatnonzero((words[:, 0] & np.uint64(0xFFF)) != _NOP)
        return int(filled[-1]) + 1 if len(filled) else 0

    def lines(self, section: int) -> SectionLines:
        """The line table of a section; empty when the line program has nothing on it."""
        if section not in self._lines:
            self._lines[section] = self._read_lines(section)
        return self._lines[section]

    @cached_property
    def _strings(self) -> memoryview:
        found = self.elf.by_name.get(".debug_str")
        return found.data if found else memoryview(b"")

    @cached_property
    def _inlined_names(self) -> Names:
        return Names(self._strings)

    @cached_property
    def _units(self) -> list[Unit]:
        section = self.elf.by_name.get(".debug_line")
        if section is None:
            return []
        line_strings = self.elf.by_name.get(".debug_line_str")
        strings = {0x0E: self._strings}
        if line_strings:
            strings[0x1F] = line_strings.data
        units, damage = read_units(section.data, strings)
        self._note(damage)
        return units

    @cached_property
    def _line_bytes(self) -> bytes:
        section = self.elf.by_name.get(".debug_line")
        return bytes(section.data) if section else b""

    @cached_property
    def _line_targets(self) -> dict[int, tuple[int, int, int]]:
        """Position of a set-address operand: (section, value, whether the place adds to it)."""
        section = self.elf.by_name.get(".debug_line")
        if section is None:
            return {}
        return {
            offset: (target, value, kind)
            for offset, target, value, kind in self.elf.relocations(section)
        }

    def _note(self, damage: str) -> None:
        if damage and not self.damage:
            self.damage = damage

    def _read_lines(self, section: int) -> SectionLines:
        data, units = self._line_bytes, self._units
        starts = [unit.start for unit in units]
        pieces: list[Piece] = []
        for position, (target, value, kind) in sorted(self._line_targets.items()):
            at = bisect_right(starts, position) - 1
            if target != section or at < 0 or position >= units[at].end:
                continue
            unit = units[at]
            begin = _sequence_start(data, unit, position)
            rows = run_sequence(data, unit, begin, self._opcodes_left)
            self._opcodes_left -= max(1, rows.stop - begin)
            if not rows.ended:
                self._note("a line program is damaged")
            in_place = int.from_bytes(data[position : position + 8], "little")
            shift = value - in_place if kind else value
            pieces.append(Piece(shift, unit, rows))
        if not self._line_targets and self.has_lines:
            pieces = self._unrelocated(self.elf.sections[section], units)
        size = self.elf.sections[section].size
        return join_pieces(pieces, size, self._inlined_names, self.parts(section))

    def _unrelocated(self, section: Section, units: list[Unit]) -> list[Piece]:
        """Sequences of a linked image, where addresses are final, or of a lone function."""
        texts = [s for s in self.elf.sections if s.name.startswith(".text.")]
        low = section.address
        if len(texts) > 1 and not low:
            return []
        pieces = []
        for unit in units:
            position = unit.start
            while position < unit.end and self._opcodes_left > 0:
                rows = run_sequence(self._line_bytes, unit, position, self._opcodes_left)
                self._opcodes_left -= max(1, rows.stop - position)
                position = max(rows.stop, position + 1)
                if rows.addresses and low <= rows.addresses[0] < low + section.size:
                    pieces.append(Piece(-low, unit, rows))
        return pieces


def _sequence_start(data: bytes, unit: Unit, position: int) -> int:
    """Where the sequence with this set-address operand begins: normally three bytes before it."""
    begin = position - 3
    if begin <= unit.start or data[begin - 3 : begin] == b"\0\1\1":
        return max(begin, unit.start)
    previous = data.rfind(b"\0\1\1", unit.start, begin)
    return previous + 3 if previous >= 0 else unit.start


@lru_cache(maxsize=16)
def load_cubin(image: bytes) -> Cubin:
    """The parsed cubin of these bytes; equal bytes give the same object."""
    return Cubin(image)
