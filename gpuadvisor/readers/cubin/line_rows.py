"""Running a line program: rows of (address, file, line, inlining) for one function at a time.

Two vendor opcodes tell of inlining (layout read off real cubins): extended opcode 0x90 sets the
context, the 1-based number of the row that is the call site, and the name of the inlined function
(an offset into `.debug_str`), both ULEB128; context 0 ends the inlining. 0x91 sets the name alone.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

from gpuadvisor.readers.cubin.line_header import DamagedLinesError, Unit

INLINED_CALL, SET_FUNCTION_NAME = 0x90, 0x91
_END, _SET_ADDRESS = 1, 2


@dataclass
class Rows:
    """The matrix of one sequence, one entry a row. `contexts` are row numbers counted from 1,
    0 for "not inlined"; `names` are offsets into `.debug_str`. `end` is the address after the
    last instruction, `stop` the position after the sequence."""

    addresses: list[int] = field(default_factory=list)
    files: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    contexts: list[int] = field(default_factory=list)
    names: list[int] = field(default_factory=list)
    start: int = 0
    """Position of the operand of the first set-address: what a relocation names."""
    end: int = 0
    stop: int = 0
    ended: bool = False


def run_sequence(data: bytes, unit: Unit, position: int, budget: int) -> Rows:
    """Decode from `position` to the end of the sequence, at most `budget` opcodes and rows.

    A damaged program gives the rows up to the damage, with `ended` False.
    """
    rows = Rows(stop=unit.end)
    with suppress(DamagedLinesError, IndexError):
        _run(data, unit, position, budget, rows)
    return rows


def _run(data: bytes, unit: Unit, position: int, budget: int, rows: Rows) -> None:
    end, base, spread = unit.end, unit.opcode_base, unit.line_range
    step, line_base, operands = unit.minimum_length, unit.line_base, unit.operands
    const_add = ((255 - base) // spread) * step
    address, file, line, context, name = 0, 1, 1, 0, 0
    addresses, files, lines = rows.addresses, rows.files, rows.lines
    contexts, names = rows.contexts, rows.names

    def uleb() -> int:
        nonlocal position
        byte = data[position]
        position += 1
        if byte < 0x80:
            return byte
        value, shift = byte & 0x7F, 7
        while True:
            byte = data[position]
            position += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value
            if shift > 63:
                raise DamagedLinesError("a number is too long")

    def sleb() -> int:
        start = position
        value = uleb()
        bits = 7 * (position - start)
        return value - (1 << bits) if value >> (bits - 1) else value

    while position < end and budget > 0:
        budget -= 1
        opcode = data[position]
        position += 1
        if opcode >= base:
            opcode -= base
            address += opcode // spread * step
            line += line_base + opcode % spread
        elif opcode == 0:
            length = uleb()
            after = position + length
            if after > end or not length:
                raise DamagedLinesError("an extended opcode is cut off")
            kind = data[position]
            position += 1
            if kind == _END:
                rows.end, rows.stop, rows.ended = address, after, True
                return
            if kind == _SET_ADDRESS:
                rows.start = rows.start or position
                address = int.from_bytes(data[position:after], "little")
            elif kind == INLINED_CALL:
                context = uleb()
                name = uleb()
            elif kind == SET_FUNCTION_NAME:
                name = uleb()
            position = after
            continue
        elif opcode == 2:
            address += uleb() * step
            continue
        elif opcode == 3:
            line += sleb()
            continue
        elif opcode == 4:
            file = uleb()
            continue
        elif opcode == 8:
            address += const_add
            continue
        elif opcode == 9:
            address += int.from_bytes(data[position : position + 2], "little")
            position += 2
            continue
        elif opcode != 1:
            for _ in range(operands[opcode]):
                uleb()
            continue
        addresses.append(address)
        files.append(file)
        lines.append(line)
        contexts.append(context)
        names.append(name)
