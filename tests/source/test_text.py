"""Lines and columns in bytes, code points and UTF-16."""

from __future__ import annotations

import random

import pytest

from gpuadvisor.source.text import LineIndex, column_of_utf16, utf16_column


def test_positions() -> None:
    index = LineIndex("int é;\n\U0001f600 x = 1;\r\nlast".encode())
    assert len(index) == 3
    assert index.position(index.data.index(b"x")) == (2, 3)
    assert index.line_bytes(2).decode() == "\U0001f600 x = 1;"
    assert index.bounds(9) == (0, 0)
    assert index.line_of(0) == 1


@pytest.mark.parametrize(
    ("line", "trimmed"),
    [
        (b"   x = 1;  // note", b"x = 1;"),
        (b"  // only a comment", b"// only a comment"),
        (b'  f("http://a");', b'f("http://a");'),
        (b"   ", b""),
    ],
)
def test_trimmed(line: bytes, trimmed: bytes) -> None:
    index = LineIndex(line)
    start, end = index.trimmed(1)
    assert line[start:end] == trimmed


def test_utf16_round_trip() -> None:
    chance = random.Random(3)
    for _ in range(200):
        line = "".join(chance.choice("aé漢\U0001f600 ") for _ in range(chance.randrange(12)))
        for column in range(1, len(line) + 2):
            units = utf16_column(line, column)
            assert units == len(line[: column - 1].encode("utf-16-le")) // 2
            assert column_of_utf16(line, units) == column
