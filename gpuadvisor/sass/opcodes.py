"""What each opcode of sm_70 to sm_121 is: name, kind of work, memory space, operands.

The base opcode is the low 9 bits of an instruction word; bits 9 to 11 say which operand is an
immediate, a constant or a uniform register. The facts were written down from compiled kernels.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from gpuadvisor.sass.opcode_table import BEFORE_80, FROM_120, TABLE


class Kind(IntEnum):
    """What an instruction does, as far as performance is concerned."""

    UNKNOWN = 0
    LOAD = 1
    STORE = 2
    ATOMIC = 3
    """Read-modify-write that returns the old value."""
    REDUCTION = 4
    """Read-modify-write that returns nothing."""
    ASYNC_COPY = 5
    TEXTURE = 6
    SURFACE = 7
    FP64 = 8
    FP32 = 9
    FP16 = 10
    """Half or bfloat16 arithmetic, two lanes a register."""
    INT = 11
    CONVERT = 12
    MUFU = 13
    """Special function unit: reciprocal, roots, exponent, logarithm, sine, cosine, tanh."""
    TENSOR = 14
    CONTROL = 15
    BARRIER = 16
    FENCE = 17
    SHUFFLE = 18
    VOTE = 19
    MOVE = 20
    PREDICATE = 21
    SYNC = 22
    """Waiting on transactions and async groups: mbarriers, DEPBAR, commit groups."""
    SPECIAL = 23
    """Special registers: thread and block index, clock, lane masks."""
    CACHE = 24
    """Prefetch, invalidate and other cache control."""
    NOP = 25


class Space(IntEnum):
    """The memory an access goes to."""

    NONE = 0
    GLOBAL = 1
    SHARED = 2
    LOCAL = 3
    GENERIC = 4
    CONSTANT = 5
    TEXTURE = 6
    SURFACE = 7
    TENSOR = 8
    """Tensor memory of sm_100."""


@dataclass(frozen=True)
class Opcode:
    """One base opcode.

    `slots` names the register operands, `widths` how many registers each spans (* follows the
    access size, ? the number format); `operands` says where each letter stands in the word.
    """

    name: str
    kind: Kind
    space: Space
    slots: str
    widths: str


def _parse(table: str) -> dict[int, Opcode]:
    found = {}
    for line in table.split("\n"):
        if line:
            code, name, kind, space, slots, widths = line.split()
            found[int(code, 16)] = Opcode(
                name,
                Kind[kind],
                Space.NONE if space == "-" else Space[space],
                "" if slots == "-" else slots,
                "" if widths == "-" else widths,
            )
    return found


OPCODES = _parse(TABLE)
"""The opcodes by their low 9 bits."""

_GENERATIONS = {
    70: {**OPCODES, **_parse(BEFORE_80)},
    80: OPCODES,
    120: {**OPCODES, **_parse(FROM_120)},
}


def generation(sm: int) -> int:
    """The first architecture whose codes mean the same as those of `sm` (0 for unknown)."""
    if sm >= 120:
        return 120
    return 70 if 0 < sm < 80 else 80


def table_for(sm: int) -> dict[int, Opcode]:
    """The opcodes of an architecture (90 for sm_90; 0 for unknown)."""
    return _GENERATIONS[generation(sm)]


def column(sm: int, field: str) -> np.ndarray[Any, np.dtype[np.int8]]:
    """int8[512]: `kind` or `space` by base opcode, 0 where the code is not known."""
    found = np.zeros(512, np.int8)
    for code, opcode in table_for(sm).items():
        found[code] = getattr(opcode, field)
    return found
