"""Headers of `.debug_line`: the files and the parameters of each line program (DWARF 2 to 5)."""

from __future__ import annotations

from dataclasses import dataclass

from gpuadvisor.readers.cubin.elf import text_at

_LINE_STRP, _STRP, _UDATA, _DATA16, _STRING, _BLOCK = 0x1F, 0x0E, 0x0F, 0x1E, 0x08, 0x09
_FIXED = {0x0B: 1, 0x05: 2, 0x06: 4, 0x07: 8, _DATA16: 16}
_PATH, _DIRECTORY = 1, 2
_MAX_FILES = 1 << 16


class DamagedLinesError(Exception):
    """The bytes are no line program; stays inside the cubin reader."""


@dataclass(frozen=True)
class Unit:
    """One line program: its bytes are `section[start:end]`.

    `files` is indexed as the program does (DWARF 2 to 4 count from 1, entry 0 is empty).
    `operands[opcode]` is the number of arguments of a standard opcode.
    """

    start: int
    end: int
    files: tuple[str, ...]
    minimum_length: int
    line_base: int
    line_range: int
    opcode_base: int
    operands: bytes


class Cursor:
    """Reads numbers and texts off a buffer; running off its end is DamagedLinesError."""

    def __init__(self, data: bytes | memoryview, position: int, end: int) -> None:
        self.data = data
        self.position = position
        self.end = min(end, len(data))

    def fixed(self, size: int) -> int:
        """An unsigned little-endian number of `size` bytes."""
        start = self.position
        self.position += size
        if self.position > self.end:
            raise DamagedLinesError("a number runs past the end")
        return int.from_bytes(self.data[start : self.position], "little")

    def uleb(self) -> int:
        """A LEB128 number."""
        value = shift = 0
        while True:
            byte = self.fixed(1)
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
            if shift > 63:
                raise DamagedLinesError("a number is too long")

    def text(self) -> str:
        """A zero-terminated text."""
        data = self.data
        start = self.position
        chunk = bytes(data[start : min(self.end, start + 4096)])
        length = chunk.find(0)
        if length < 0:
            raise DamagedLinesError("a text does not end")
        self.position += length + 1
        return chunk[:length].decode("utf-8", "replace")


def read_units(data: memoryview, strings: dict[int, memoryview]) -> tuple[list[Unit], str]:
    """The line programs of a `.debug_line` section, and what was wrong with it (or empty).

    `strings` maps the text forms of DWARF 5 (0x1f, 0x0e) to their sections.
    """
    units: list[Unit] = []
    position = 0
    while position + 4 < len(data):
        cursor = Cursor(data, position, len(data))
        try:
            length = cursor.fixed(4)
            wide = length == 0xFFFFFFFF
            if wide:
                length = cursor.fixed(8)
            end = cursor.position + length
            if end > len(data):
                raise DamagedLinesError("a line program is cut off")
            unit = _read_unit(Cursor(data, cursor.position, end), wide, strings)
        except DamagedLinesError as damage:
            return units, str(damage)
        units.append(unit)
        position = end
    return units, ""


def _read_unit(cursor: Cursor, wide: bool, strings: dict[int, memoryview]) -> Unit:
    version = cursor.fixed(2)
    if not 2 <= version <= 5:
        raise DamagedLinesError(f"line programs of DWARF version {version} are not known")
    if version >= 5:
        cursor.fixed(2)
    header_length = cursor.fixed(8 if wide else 4)
    start = cursor.position + header_length
    minimum_length = cursor.fixed(1)
    if version >= 4:
        cursor.fixed(1)
    cursor.fixed(1)
    line_base = cursor.fixed(1)
    line_range = cursor.fixed(1)
    opcode_base = cursor.fixed(1)
    if not line_range or not opcode_base or start > cursor.end:
        raise DamagedLinesError("a line program's header makes no sense")
    operands = bytes([0]) + bytes(cursor.fixed(1) for _ in range(opcode_base - 1))
    files = _read_files5(cursor, wide, strings) if version >= 5 else _read_files(cursor)
    if line_base >= 128:
        line_base -= 256
    return Unit(
        start, cursor.end, files, minimum_length, line_base, line_range, opcode_base, operands
    )


def _read_files(cursor: Cursor) -> tuple[str, ...]:
    folders = [""]
    while len(folders) < _MAX_FILES and (folder := cursor.text()):
        folders.append(folder)
    files = [""]
    while len(files) < _MAX_FILES and (name := cursor.text()):
        folder_index = cursor.uleb()
        cursor.uleb()
        cursor.uleb()
        files.append(join(folders[folder_index] if folder_index < len(folders) else "", name))
    return tuple(files)


def _read_files5(cursor: Cursor, wide: bool, strings: dict[int, memoryview]) -> tuple[str, ...]:
    folders = [name for name, _ in _read_entries(cursor, wide, strings)]
    files = _read_entries(cursor, wide, strings)
    return tuple(join(folders[at] if at < len(folders) else "", name) for name, at in files)


def _read_entries(
    cursor: Cursor, wide: bool, strings: dict[int, memoryview]
) -> list[tuple[str, int]]:
    formats = [(cursor.uleb(), cursor.uleb()) for _ in range(cursor.fixed(1))]
    entries: list[tuple[str, int]] = []
    count = cursor.uleb()
    if count > _MAX_FILES or (count and not formats):
        raise DamagedLinesError("a line program names too many files")
    for _ in range(count):
        name, folder = "", 0
        for content, form in formats:
            value: str | int
            if form == _STRING:
                value = cursor.text()
            elif form in (_LINE_STRP, _STRP):
                value = text_at(strings.get(form, memoryview(b"")), cursor.fixed(8 if wide else 4))
            elif form == _UDATA:
                value = cursor.uleb()
            elif form == _BLOCK:
                value = cursor.fixed(cursor.uleb())
            elif form in _FIXED:
                value = cursor.fixed(_FIXED[form])
            else:
                raise DamagedLinesError(f"the form {form:#x} of a file name is not known")
            if content == _PATH and isinstance(value, str):
                name = value
            elif content == _DIRECTORY and isinstance(value, int):
                folder = value
        entries.append((name, folder))
    return entries


def join(folder: str, name: str) -> str:
    """A path as the compiler knew the file: `.` and `..` resolved in the text alone, because
    embedded sources are keyed that way."""
    absolute = name.startswith(("/", "\\")) or name[1:3] in (":\\", ":/")
    if folder and not absolute:
        separator = "\\" if "\\" in folder and "/" not in folder else "/"
        name = folder.rstrip("/\\") + separator + name
    if "/." not in name and "\\." not in name:
        return name
    separator = "\\" if "\\" in name and "/" not in name else "/"
    kept: list[str] = []
    for part in name.split(separator):
        if part == ".":
            continue
        if part == ".." and kept and kept[-1] not in ("", ".."):
            kept.pop()
        else:
            kept.append(part)
    return separator.join(kept)
