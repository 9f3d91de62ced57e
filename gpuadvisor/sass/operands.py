"""Which registers an instruction reads and writes.

Bits 9 to 11 of the word give the form: 1 has registers only; 4, 5 and 6 have an immediate,
constant or uniform register as the second operand; 2, 3 and 7 as the third, and then the second
register moves to the third's place.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuadvisor.sass.fields import Bits, Words, bits
from gpuadvisor.sass.opcodes import Opcode, generation, table_for

_REGISTERS_ONLY = 1
_THIRD_IS_OTHER = (2, 3, 7)
_ZERO_REGISTER = 255
_CS2R = 0x005
_ROLES = ("dest", "a", "b", "c")
_SLOT_ROLE = dict(zip("darbsxvpecwq", (0, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3), strict=True))
_TESTS_ONLY, _TEST_FORM = (0x18D, 0x1A7), 2
"""Compare-and-swap and barrier tests that only set a predicate."""
_FROM_SIZE, _FROM_FORMAT = -1, -2

Columns = dict[str, np.ndarray[Any, np.dtype[Any]]]
_PLANS: dict[int, tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]] = {}


def _plan(sm: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """(slots, widths): str and int8 of shape [512, 4], by base opcode and role."""
    key = generation(sm)
    if key not in _PLANS:
        slots = np.full((512, 4), "", "U1")
        widths = np.zeros((512, 4), np.int8)
        for code, opcode in table_for(sm).items():
            _fill(opcode, slots[code], widths[code])
        _PLANS[key] = slots, widths
    return _PLANS[key]


def _fill(opcode: Opcode, slots: np.ndarray[Any, Any], widths: np.ndarray[Any, Any]) -> None:
    for slot, width in zip(opcode.slots, opcode.widths, strict=True):
        role = _SLOT_ROLE[slot]
        slots[role] = slot
        widths[role] = {"*": _FROM_SIZE, "?": _FROM_FORMAT}.get(width) or int(width)


def operands(
    words: Words,
    code: Bits,
    sm: int,
    access: np.ndarray[Any, np.dtype[np.int16]],
    source: np.ndarray[Any, np.dtype[np.str_]],
    target: np.ndarray[Any, np.dtype[np.str_]],
    known: np.ndarray[Any, np.dtype[np.bool_]],
) -> Columns:
    """The operand columns that `decode` documents."""
    slots, widths = _plan(sm)
    slots, widths = slots[code], widths[code]
    form = bits(words, 9, 3)
    third_is_other = np.isin(form, _THIRD_IS_OTHER)
    only = form == _REGISTERS_ONLY
    at16, at24 = bits(words, 16, 8), bits(words, 24, 8)
    at32, at64 = bits(words, 32, 8), bits(words, 64, 8)
    none = np.full(len(code), _ZERO_REGISTER, np.int64)
    place = {
        "d": np.where(np.isin(code, _TESTS_ONLY) & (form == _TEST_FORM), none, at16),
        "e": at16,  # the shared address of an asynchronous copy
        "a": at24,
        "r": np.where(only, at24, none),  # the target of an indirect jump
        "v": at32,  # stored data
        "w": at64,  # the second value of a compare-and-swap
        "b": np.where(only, at32, np.where(third_is_other, at64, none)),
        "c": np.where(third_is_other, none, at64),
        "s": np.where(only, at32, none),  # the second of two, in second place
        "x": np.where(only, at64, none),  # the second of two, in third place
        "p": np.where(np.isin(form, (1, 2)), at32, none),  # the lane of a shuffle
        "q": np.where(np.isin(form, (1, 4)), at64, none),  # and its clamp
    }
    sized = np.maximum(access // 4, 1).astype(np.int8)
    wide = {0: _is_wide(target), 2: _is_wide(source)}
    wide[0] |= (code == _CS2R) & (bits(words, 80, 1) == 1)
    columns: Columns = {}
    for role, label in enumerate(_ROLES):
        register = none.copy()
        for slot, field in place.items():
            rows = slots[:, role] == slot
            if rows.any():
                register[rows] = field[rows]
        used = known & (register != _ZERO_REGISTER)
        count = widths[:, role].copy()
        count = np.where(count == _FROM_SIZE, sized, count)
        if role in wide:
            count = np.where(count == _FROM_FORMAT, 1 + wide[role], count)
        name = label if label == "dest" else f"source_{label}"
        columns[name] = np.where(used, register, -1).astype(np.int16)
        count_name = "dest_count" if label == "dest" else f"count_{label}"
        columns[count_name] = np.where(used, np.maximum(count, 0), 0).astype(np.int8)
    return columns


def _is_wide(formats: np.ndarray[Any, np.dtype[np.str_]]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    return np.isin(formats, ("f64", "i64"))
