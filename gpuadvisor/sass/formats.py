"""Modifiers that matter: access sizes, number formats, special functions, conversions.

Fields were found by comparing words with their disassembly: sizes stand in bits 73 to 75, the
special function in 74 to 77, formats of conversions in 75 to 77 (to) and 84 to 86 (from).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuadvisor.sass.fields import Bits, Words, bits
from gpuadvisor.sass.opcodes import Kind

Ints = np.ndarray[Any, np.dtype[np.int16]]
Names = np.ndarray[Any, np.dtype[np.str_]]

_PLAIN = np.array([1, 1, 2, 2, 4, 8, 16, 16], np.int16)
_ATOMIC = np.array([4, 4, 8, 4, 4, 8, 8, 4], np.int16)
"""U32, S32, U64, F32, F16x2, S64, F64, BF16x2."""
_SHARED_ATOMIC = np.array([4, 4, 8, 4, 16, 4, 4, 4], np.int16)
_COPY_100 = np.array([4, 8, 16, 16], np.int16)
"""Bits 74 and 75 of LDGSTS from sm_100 on."""
_FLOAT_ATOMIC = np.array([4, 8, 16, 4, 8, 16, 4, 4, 4, 4, 8, 16, 4, 8, 4, 8], np.int16)
"""F16x2, x4, x8, BF16x2, x4, x8, then F32, F32x2, F32x4, ..., F64 (bit 76 tells F32 and F64)."""
_MATRICES = np.array([4, 8, 16, 16], np.int16)

MUFU = np.array(
    ["COS", "SIN", "EX2", "LG2", "RCP", "RSQ", "RCP64H", "RSQ64H", "SQRT", "TANH"] + [""] * 6
)
_FLOATS = np.array(["", "f16", "f32", "f64", "bf16", "", "", ""])
_INTS = np.array(["i8", "i16", "i32", "i64"])
_PACKED = np.array(["f16", "bf16"] + ["f8"] * 6)

_WIDE_256 = (0x17E, 0x17F)
_LDSM, _STSM = 0x03B, 0x044
_ATOMS = (0x18C, 0x18D)
_TENSOR_MEMORY = (0x1ED, 0x1EE)
_FLOAT_ATOMICS = (0x1A2, 0x1A3, 0x1A6)
_LDGSTS = 0x1AE
_HADD2 = 0x030
_ZERO_REGISTER = 255
_REGISTERS_ONLY = 1
_F2F, _F2I, _I2F, _FRND = (0x104, 0x110), (0x105, 0x111), (0x106, 0x112), (0x107, 0x113)
_F2FP, _I2FP, _UI2F, _UI2FP = 0x03E, 0x045, 0x05A, 0x05E


def access_bytes(
    words: Words, code: Bits, kind: np.ndarray[Any, np.dtype[np.int8]], sm: int
) -> Ints:
    """int16[n]: bytes a thread moves with one memory instruction, 0 where the instruction moves
    none or does not say (textures, bulk copies)."""
    size = bits(words, 73, 3)
    plain = (kind == Kind.LOAD) | (kind == Kind.STORE) | (code == _LDGSTS)
    plain &= ~np.isin(code, _TENSOR_MEMORY)
    found = np.where(plain, _PLAIN[size], 0).astype(np.int16)
    atomic = (kind == Kind.ATOMIC) | (kind == Kind.REDUCTION)
    found[atomic] = _ATOMIC[size[atomic]]
    shared = atomic & np.isin(code, _ATOMS)
    found[shared] = _SHARED_ATOMIC[size[shared]]
    special = atomic & np.isin(code, _FLOAT_ATOMICS)
    found[special] = _FLOAT_ATOMIC[bits(words, 73, 4)[special]]
    if sm >= 100:
        copies = (code == _LDGSTS) & (kind == Kind.ASYNC_COPY)
        found[copies] = _COPY_100[bits(words, 74, 2)[copies]]
    matrix = (code == _LDSM) | (code == _STSM)
    found[matrix] = _MATRICES[bits(words, 72, 2)[matrix]]
    found[np.isin(code, _WIDE_256)] = 32
    found[kind == Kind.UNKNOWN] = 0
    return found


def special_function(words: Words, kind: np.ndarray[Any, np.dtype[np.int8]]) -> Names:
    """str[n]: RCP, RSQ, EX2 and so on for MUFU, empty elsewhere."""
    return np.where(kind == Kind.MUFU, MUFU[bits(words, 74, 4)], "")


def conversions(words: Words, code: Bits) -> tuple[Names, Names]:
    """(from, to) as str[n]: f8, f16, bf16, f32, f64, i8 to i64; empty where nothing is converted.

    Widening a half with HADD2.F32 (the other operand is zero) is a conversion too.
    """
    count = len(code)
    source, target = np.full(count, "", "U4"), np.full(count, "", "U4")
    low, high = bits(words, 75, 3), bits(words, 84, 3)
    for codes, sources, targets in (
        (_F2F, _FLOATS[high], _FLOATS[low]),
        (_F2I, _FLOATS[high], _INTS[low & 3]),
        (_I2F, _INTS[high & 3], _FLOATS[low]),
        ((_UI2F,), _INTS[high & 3], _FLOATS[low]),
    ):
        rows = np.isin(code, codes)
        source[rows], target[rows] = sources[rows], targets[rows]
    rounding = np.isin(code, _FRND)
    source[rounding], target[rounding] = _FLOATS[high][rounding], _FLOATS[low][rounding]
    packing = code == _F2FP
    unpacking = packing & (bits(words, 89, 1) == 1)
    source[packing], target[packing] = "f32", _PACKED[bits(words, 76, 3)][packing]
    source[unpacking], target[unpacking] = "f8", "f16"
    to_float = (code == _I2FP) | (code == _UI2FP)
    source[to_float], target[to_float] = "i32", "f32"
    widened = widens_half(words, code)
    source[widened], target[widened] = "f16", "f32"
    return source, target


def widens_half(words: Words, code: Bits) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Rows that are HADD2.F32 of a half and zero: half to float."""
    zero = bits(words, 24, 8) == _ZERO_REGISTER
    zero |= (bits(words, 32, 8) == _ZERO_REGISTER) & (bits(words, 9, 3) == _REGISTERS_ONLY)
    return np.asarray((code == _HADD2) & (bits(words, 78, 1) == 1) & zero)
