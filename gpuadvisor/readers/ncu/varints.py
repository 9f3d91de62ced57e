"""Variable-length integers of many messages at once, in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuadvisor.readers.ncu.wire import Damaged

U64 = np.ndarray[Any, np.dtype[np.uint64]]
I64 = np.ndarray[Any, np.dtype[np.int64]]

# by length in bytes, 0..8: the bytes that belong to it, and the marks its bytes must carry
MASK = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)
_MARKS = np.array([0] + [0x8080808080808080 & ((1 << 8 * (n - 1)) - 1) for n in range(1, 9)],
                  np.uint64)
_ALL_MARKS = 0x8080808080808080


def raw(u64: U64, at: I64, length: I64) -> U64:
    """The encoded bytes of integers of `length` <= 8 bytes at offsets `at`, zeros above."""
    picked: U64 = u64[at] & MASK[length]
    return picked


def decode(u64: U64, at: I64, length: I64) -> U64:
    """The integers at offsets `at`, each `length` bytes long (1 to 10).

    `u64` holds the eight bytes from each offset on. Raises Damaged where the bytes disagree with
    the lengths. Shapes: at, length and the result are [n].
    """
    longest = int(length.max(initial=1))
    shortest = int(length.min(initial=1))
    if shortest < 1 or longest > 10:
        raise Damaged("an integer has an impossible length")
    if longest <= 8:
        return decode_raw(raw(u64, at, length), length, longest)
    low_length = np.minimum(length, 8)
    low = raw(u64, at, low_length)
    marks = np.where(length > 8, np.uint64(_ALL_MARKS), _MARKS[low_length])
    if not np.array_equal(low & np.uint64(_ALL_MARKS), marks):
        raise Damaged("an integer disagrees with its length")
    value = join(low, 8)
    high_length = np.maximum(length - 8, 0)
    high = raw(u64, at + 8, high_length)
    if not np.array_equal(high & np.uint64(_ALL_MARKS), _MARKS[high_length]):
        raise Damaged("an integer disagrees with its length")
    value |= join(high, 2) << np.uint64(56)
    return value


def decode_raw(encoded: U64, length: I64, longest: int) -> U64:
    """As `decode`, from the encoded bytes of integers of at most 8 bytes."""
    if not np.array_equal(encoded & np.uint64(_ALL_MARKS), _MARKS[length]):
        raise Damaged("an integer disagrees with its length")
    return join(encoded, longest)


def join(encoded: U64, longest: int) -> U64:
    """Drops the mark bit of each of the lowest `longest` bytes and closes the gaps."""
    if longest == 1:
        return encoded & np.uint64(0x7F)
    value: U64 = encoded & np.uint64(0x7F)
    for index in range(1, longest):
        value |= (encoded >> np.uint64(index)) & np.uint64(0x7F << 7 * index)
    return value
