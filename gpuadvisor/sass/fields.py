"""Bits of 128-bit instruction words, whole columns at once."""

from __future__ import annotations

from typing import Any

import numpy as np

Words = np.ndarray[Any, np.dtype[np.uint64]]
Bits = np.ndarray[Any, np.dtype[np.int64]]


def bits(words: Words, low: int, count: int) -> Bits:
    """The unsigned field of `count` bits (at most 62) from bit `low` of each row of words[n, 2]."""
    shift = low % 64
    value = words[:, low // 64] >> np.uint64(shift)
    if shift + count > 64:
        value = value | (words[:, 1] << np.uint64(64 - shift))
    return (value & np.uint64((1 << count) - 1)).astype(np.int64)


def signed(values: Bits, count: int) -> Bits:
    """Two's complement of fields of `count` bits."""
    return np.where(values >> (count - 1) & 1, values - (1 << count), values)
