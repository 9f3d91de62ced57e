"""Instruction words to columns: what each instruction does, reads, writes and waits for."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuadvisor.evidence import Table
from gpuadvisor.sass import formats
from gpuadvisor.sass.fields import Bits, Words, bits
from gpuadvisor.sass.opcode_table import BY_FORM
from gpuadvisor.sass.opcodes import Kind, Space, column, table_for
from gpuadvisor.sass.operands import operands

FIRST_DECODED_SM = 70
_IMAD, _IMAD_WIDE, _IMAD_HI = 0x024, 0x025, 0x027
_LDG, _E = 0x181, 72
_ALWAYS = 7


def decode(words: Words, sm: int) -> Table:
    """One row an instruction of words[n, 2] for an architecture (90 for sm_90).

    opcode: int16, base opcode, -1 where the word is not decoded (before sm_70, or zeros).
    name: str, mnemonic without modifiers, empty when not known.
    kind, space: int8, values of Kind and Space.
    access_bytes: int16, bytes a thread moves, 0 for none.
    function: str, of MUFU (RCP, RSQ, ...). convert_from, convert_to: str, number formats.
    dest, source_a, source_b, source_c: int16, first register, -1 for none (RZ too); the address
    of a memory instruction is source_a, the stored data source_b.
    dest_count, count_a, count_b, count_c: int8, how many registers.
    predicate: int8, 0 to 6, -1 for none; negated: bool.
    stall: int8, cycles before the next issue. yields: bool.
    write_barrier, read_barrier: int8, scoreboard released when the result is written, or the
    sources are read; -1 for none. wait_mask: uint8, one bit for each scoreboard waited for.
    """
    words = np.ascontiguousarray(words, np.uint64).reshape(-1, 2)
    known = np.asarray(words.any(axis=1) & (sm >= FIRST_DECODED_SM or sm == 0))
    code = bits(words, 0, 9)
    names = _names(words, code, sm)
    kind = np.where(known, column(sm, "kind")[code], Kind.UNKNOWN).astype(np.int8)
    space = np.where(known, column(sm, "space")[code], Space.NONE).astype(np.int8)
    kind[known & formats.widens_half(words, code)] = Kind.CONVERT
    kind[known & _is_move(words, code)] = Kind.MOVE
    access = formats.access_bytes(words, code, kind, sm)
    source, target = formats.conversions(words, code)
    predicate = bits(words, 12, 3)
    write_barrier, read_barrier = bits(words, 110, 3), bits(words, 113, 3)
    columns: dict[str, np.ndarray[Any, np.dtype[Any]]] = {
        "opcode": np.where(known, code, -1).astype(np.int16),
        "name": np.where(known, names, ""),
        "kind": kind,
        "space": space,
        "access_bytes": access,
        "function": formats.special_function(words, kind),
        "convert_from": np.where(known, source, ""),
        "convert_to": np.where(known, target, ""),
        **operands(words, code, sm, access, source, target, known),
        "predicate": np.where(known & (predicate < _ALWAYS), predicate, -1).astype(np.int8),
        "negated": known & (bits(words, 15, 1) == 1),
        "stall": np.where(known, bits(words, 105, 4), 0).astype(np.int8),
        "yields": known & (bits(words, 109, 1) == 0),
        "write_barrier": np.where(known & (write_barrier < 6), write_barrier, -1).astype(np.int8),
        "read_barrier": np.where(known & (read_barrier < 6), read_barrier, -1).astype(np.int8),
        "wait_mask": np.where(known, bits(words, 116, 6), 0).astype(np.uint8),
    }
    return Table(columns)


def _names(words: Words, code: Bits, sm: int) -> np.ndarray[Any, np.dtype[np.str_]]:
    table = table_for(sm)
    by_code = np.array([table[c].name if c in table else "" for c in range(512)], "U16")
    names: np.ndarray[Any, np.dtype[np.str_]] = by_code[code]
    with_form = bits(words, 0, 12)
    for value, name in BY_FORM.items():
        names[with_form == value] = name
    return names


def _is_move(words: Words, code: Bits) -> Any:
    """IMAD.MOV and its like: the product is RZ times something, so only the sum is left."""
    imad = code == _IMAD
    return imad & (bits(words, 24, 8) == 255) & (bits(words, 72, 3) == 0)
