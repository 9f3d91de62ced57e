"""Bulk decoding agrees with decoding one at a time."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gpuadvisor.readers.ncu import varints, wire
from tests.readers.ncu.writer import varint

_words = st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=40)


def _u64(data: bytes) -> varints.U64:
    padded = data + bytes(16)
    return np.ndarray((len(padded) - 7,), "<u8", padded, strides=(1,))


@given(_words)
def test_integers_come_back(values: list[int]) -> None:
    encoded = [varint(value) for value in values]
    lengths = np.array([len(one) for one in encoded])
    starts = np.cumsum(lengths) - lengths
    decoded, valid = varints.decode(_u64(b"".join(encoded)), starts, lengths)
    assert decoded.tolist() == values
    assert np.all(valid)


@given(st.binary(min_size=1, max_size=10))
def test_bytes_that_are_no_integer_of_their_length_are_invalid(data: bytes) -> None:
    _, valid = varints.decode(_u64(data), np.array([0]), np.array([len(data)]))
    try:
        _, end = wire.varint(data, 0, len(data))
    except wire.Damaged:
        end = -1
    assert bool(np.all(valid)) == (end == len(data))
