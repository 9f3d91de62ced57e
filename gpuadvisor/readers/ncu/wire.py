"""The Protocol Buffers wire format, walked by hand where a message is too large to decode whole."""

from __future__ import annotations

from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


class Damaged(Exception):
    """Bytes that are not what the format says. `at` is an offset in the data that was walked."""

    def __init__(self, reason: str, at: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at


def varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """The variable-length integer at `at` and the offset behind it."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= end:
            raise Damaged("an integer is cut off", at)
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, at
    raise Damaged("an integer has no end", at)


def fields(data: bytes, start: int, end: int) -> Iterator[tuple[int, int, int, int, int]]:
    """The fields of the message in data[start:end].

    Yields (number, wire type, value, content start, content end): `value` is the integer of a
    VARINT field and 0 otherwise. Raises Damaged where the bytes are no message.
    """
    at = start
    while at < end:
        key, at = varint(data, at, end)
        number, wire = key >> 3, key & 7
        value = 0
        content = at
        if wire == VARINT:
            value, at = varint(data, at, end)
        elif wire == BYTES:
            length, content = varint(data, at, end)
            at = content + length
        elif wire == FIXED64:
            at += 8
        elif wire == FIXED32:
            at += 4
        else:
            raise Damaged(f"wire type {wire} does not exist", at)
        if number == 0:
            raise Damaged("field number 0 does not exist", content)
        if at > end:
            raise Damaged("a field runs past the end of its message", content)
        yield number, wire, value, content, at
