"""Line programs written by hand: versions, vendor opcodes, limits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from gpuadvisor.evidence import NO_CHAIN
from gpuadvisor.readers.cubin.elf import Names
from gpuadvisor.readers.cubin.line_header import join, read_units
from gpuadvisor.readers.cubin.line_rows import run_sequence
from gpuadvisor.readers.cubin.line_table import Piece, SectionLines, join_pieces

SET_ADDRESS = b"\0\x09\x02" + bytes(8)
END = b"\0\1\1"
COPY = b"\1"
NAMES = b"\0inner\0outer\0"


def _advance(size: int) -> bytes:
    return b"\x02" + bytes([size])


def _line(delta: int) -> bytes:
    return b"\x03" + bytes([delta & 0x7F])


def _inlined(context: int, name: int) -> bytes:
    return b"\0\3\x90" + bytes([context, name])


def _version2(program: bytes) -> bytes:
    files = b"/src\0\0" + b"a.cu\0\1\0\0" + b"b.h\0\1\0\0" + b"\0"
    head = bytes([1, 1, 0xFB, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1]) + files
    body = b"\2\0" + len(head).to_bytes(4, "little") + head + program
    return len(body).to_bytes(4, "little") + body


def _version5(program: bytes) -> bytes:
    folders = b"\1\1\x08" + b"\1" + b"/src\0"
    files = b"\2\1\x08\2\x0b" + b"\2" + b"a.cu\0\0" + b"b.h\0\0"
    head = bytes([1, 1, 1, 0xFB, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1]) + folders + files
    body = b"\5\0\x08\0" + len(head).to_bytes(4, "little") + head + program
    return len(body).to_bytes(4, "little") + body


def _read(section: bytes, size: int = 0x100) -> SectionLines:
    units, damage = read_units(memoryview(section), {})
    assert damage == ""
    (unit,) = units
    rows = run_sequence(section, unit, unit.start, 1 << 20)
    return join_pieces([Piece(0, unit, rows)], size, Names(memoryview(NAMES)), [(0, "kernel")])


def _at(lines: SectionLines, offset: int) -> list[tuple[str, int, str]]:
    number = int(lines.lookup(np.array([offset]))[0])
    chain = () if number == NO_CHAIN else lines.chains[number]
    return [(frame.file, frame.line, frame.function) for frame in chain]


@pytest.mark.parametrize("version", [_version2, _version5])
def test_files_of_both_header_layouts(version: Callable[[bytes], bytes]) -> None:
    first = b"\4\1" if version is _version2 else b"\4\0"
    second = b"\4\2" if version is _version2 else b"\4\1"
    program = SET_ADDRESS + first + _line(4) + COPY + _advance(16) + second + COPY + _advance(16)
    lines = _read(version(program + END))
    assert _at(lines, 0) == [("/src/a.cu", 5, "kernel")]
    assert _at(lines, 15) == [("/src/a.cu", 5, "kernel")]
    assert _at(lines, 16) == [("/src/b.h", 5, "kernel")]
    assert _at(lines, 32) == []


def test_nested_inlining_and_its_end() -> None:
    program = (
        SET_ADDRESS
        + _line(9)
        + COPY  # row 1: line 10
        + _inlined(1, 7)
        + _line(10)
        + COPY  # row 2: line 20 of outer, called at row 1
        + _inlined(2, 1)
        + _line(10)
        + COPY  # row 3: line 30 of inner, called at row 2
        + _inlined(0, 0)
        + _line(-19)
        + _advance(16)
        + COPY
        + _advance(16)
        + END
    )
    lines = _read(_version2(program))
    assert _at(lines, 0) == [
        ("/src/a.cu", 30, "inner"),
        ("/src/a.cu", 20, "outer"),
        ("/src/a.cu", 10, "kernel"),
    ]
    assert _at(lines, 16) == [("/src/a.cu", 11, "kernel")]


def test_a_context_that_is_no_earlier_row_is_ignored() -> None:
    program = SET_ADDRESS + _inlined(5, 1) + COPY + _inlined(2, 1) + _advance(16) + COPY
    lines = _read(_version2(program + _advance(16) + END))
    assert _at(lines, 0) == [("/src/a.cu", 1, "kernel")]
    assert _at(lines, 16) == [("/src/a.cu", 1, "kernel")]


def test_special_opcodes_and_unknown_ones() -> None:
    special = bytes([10 + 5 + 2 + 14 * 16])  # 16 bytes on, 2 lines on
    skipped = b"\5\x07" + b"\6" + b"\0\2\x81\x05"  # column, negate, an unknown extended opcode
    lines = _read(_version2(SET_ADDRESS + COPY + skipped + special + _advance(16) + END))
    assert _at(lines, 0) == [("/src/a.cu", 1, "kernel")]
    assert _at(lines, 16) == [("/src/a.cu", 3, "kernel")]


def test_a_row_holds_to_the_end_of_its_function() -> None:
    section = _version2(SET_ADDRESS + COPY + _advance(127) + END)
    (unit,), _ = read_units(memoryview(section), {})
    rows = run_sequence(section, unit, unit.start, 1 << 20)
    parts = [(0, "kernel"), (64, "$__internal_0_$div")]
    lines = join_pieces([Piece(0, unit, rows)], 128, Names(memoryview(NAMES)), parts)
    assert _at(lines, 63) == [("/src/a.cu", 1, "kernel")]
    assert _at(lines, 64) == []


def test_a_sequence_without_end_keeps_its_rows() -> None:
    section = _version2(SET_ADDRESS + COPY + _advance(16) + COPY + b"\0\x7f")
    (unit,), _ = read_units(memoryview(section), {})
    rows = run_sequence(section, unit, unit.start, 1 << 20)
    assert not rows.ended
    assert rows.addresses == [0, 16]


def test_the_budget_bounds_the_work() -> None:
    section = _version2(SET_ADDRESS + COPY * 5000 + END)
    (unit,), _ = read_units(memoryview(section), {})
    rows = run_sequence(section, unit, unit.start, 100)
    assert len(rows.lines) < 100
    assert not rows.ended


def test_a_number_that_never_ends_is_damage() -> None:
    section = _version2(SET_ADDRESS + COPY + b"\2" + b"\xff" * 40 + END)
    (unit,), _ = read_units(memoryview(section), {})
    assert run_sequence(section, unit, unit.start, 1000).addresses == [0]


@pytest.mark.parametrize(
    "section",
    [
        b"\x10\0\0\0\2\0",
        _version2(END)[:20],
        b"\x06\0\0\0\x09\0\0\0\0\0",
        b"\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x01",
    ],
)
def test_headers_that_make_no_sense(section: bytes) -> None:
    units, damage = read_units(memoryview(section), {})
    assert units == []
    assert damage


def test_names_stay_within_their_allowance() -> None:
    names = Names(memoryview(b"a" * 60_000 + b"\0"))
    total = sum(len(names[offset]) for offset in range(50_000))
    assert total <= 17 * 60_001
    assert names[70_000] == ""


@pytest.mark.parametrize(
    ("folder", "name", "path"),
    [
        ("/src", "a.cu", "/src/a.cu"),
        ("/src/", "../lib/a.h", "/lib/a.h"),
        ("/usr/bin/../include", "./b.h", "/usr/include/b.h"),
        ("", "a.cu", "a.cu"),
        ("/src", "/abs/a.cu", "/abs/a.cu"),
        ("C:\\work", "a.cu", "C:\\work\\a.cu"),
        ("C:\\work", "D:\\x\\..\\a.cu", "D:\\a.cu"),
        ("..", "../a.cu", "../../a.cu"),
    ],
)
def test_paths_are_joined_in_the_text(folder: str, name: str, path: str) -> None:
    assert join(folder, name) == path
