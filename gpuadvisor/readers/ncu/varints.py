"""Variable-length integers of many messages at once, in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

U64 = np.ndarray[Any, np.dtype[np.uint64]]
I64 = np.ndarray[Any, np.dtype[np.int64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]

LONGEST = 10
"""Bytes of the longest encoded integer."""

_EIGHT_MARKS = 0x8080808080808080
# by length in bytes, 0..8: the bytes that belong to an integer, and the marks they must carry
MASK: U64 = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)
_MARKS: U64 = np.array([_EIGHT_MARKS >> 8 * (9 - n) if n else 0 for n in range(9)], np.uint64)


def encoded(u64: U64, at: I64, length: I64) -> U64:
    """The bytes of integers of `length` <= 8 bytes at offsets `at`, zeros above."""
    return np.bitwise_and(u64[at], MASK[length])


def decode(u64: U64, at: I64, length: I64) -> tuple[U64, Flags | bool]:
    """The integers at offsets `at`, each `length` bytes long, and which of them are valid.

    `u64` holds the eight bytes from each offset on; at, length, the integers are [n] and so is
    the second result unless it is the same for all. Lengths must be 1 to 10. An integer is valid
    when its bytes, and no others, say that it goes on.
    """
    longest = int(length.max(initial=1))
    if longest <= 8:
        return decode_encoded(encoded(u64, at, length), length, longest)
    low_length = np.minimum(length, 8)
    low = encoded(u64, at, low_length)
    high_length = np.maximum(length - 8, 0)
    high = encoded(u64, at + 8, high_length)
    low_marks = np.where(length > 8, np.uint64(_EIGHT_MARKS), _MARKS[low_length])
    valid = ((low & _EIGHT_MARKS) == low_marks) & ((high & _EIGHT_MARKS) == _MARKS[high_length])
    return join(low, 8) | join(high, 2) << np.uint64(56), valid


def decode_encoded(words: U64, length: I64, longest: int) -> tuple[U64, Flags]:
    """As `decode`, from the bytes of integers of at most `longest` <= 8 bytes."""
    return join(words, longest), (words & _EIGHT_MARKS) == _MARKS[length]


def join(words: U64, longest: int) -> U64:
    """Drops the mark bit of each of the lowest `longest` bytes and closes the gaps."""
    value: U64 = np.bitwise_and(words, np.uint64(0x7F))
    for index in range(1, longest):
        value |= np.bitwise_and(words >> np.uint64(index), np.uint64(0x7F << 7 * index))
    return value
