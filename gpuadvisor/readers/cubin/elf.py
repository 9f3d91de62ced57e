"""Just enough of ELF64 for a cubin: sections, symbols, relocations, as numpy columns.

A cubin from a report is untrusted: every offset is checked against the file, and what does not
fit is left out instead of raised.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

_SECTION = np.dtype(
    [
        ("name", "<u4"),
        ("type", "<u4"),
        ("flags", "<u8"),
        ("addr", "<u8"),
        ("offset", "<u8"),
        ("size", "<u8"),
        ("link", "<u4"),
        ("info", "<u4"),
        ("align", "<u8"),
        ("entsize", "<u8"),
    ]
)
_SYMBOL = np.dtype(
    [
        ("name", "<u4"),
        ("info", "u1"),
        ("other", "u1"),
        ("section", "<u2"),
        ("value", "<u8"),
        ("size", "<u8"),
    ]
)
_RELA = np.dtype([("offset", "<u8"), ("type", "<u4"), ("symbol", "<u4"), ("addend", "<i8")])
_REL = np.dtype([("offset", "<u8"), ("type", "<u4"), ("symbol", "<u4")])

_NOBITS = 8
_FUNCTION = 2
_MAX_SECTIONS = 1 << 16
_MAX_FUNCTIONS = 1 << 16
_MAX_RELOCATIONS = 1 << 17
_SHORT_NAME, _LONGEST_NAME, _ALL_NAMES = 256, 1 << 16, 1 << 25

Structs = np.ndarray[Any, np.dtype[np.void]]


@dataclass(frozen=True)
class Section:
    """One section; `data` is empty for sections without bytes and for those cut off."""

    index: int
    name: str
    address: int
    offset: int
    size: int
    data: memoryview


@dataclass(frozen=True)
class Symbol:
    """A function symbol: where its code starts inside which section."""

    index: int
    name: str
    section: int
    value: int
    size: int


class Elf:
    """A parsed cubin. `damage` says what did not fit, empty when all did."""

    def __init__(self, image: bytes) -> None:
        self.image = image
        self.damage = ""
        self.machine_flags = 0
        self.sections: list[Section] = []
        self._headers = np.zeros(0, _SECTION)
        if image[:6] != b"\x7fELF\x02\x01" or len(image) < 64:
            self.damage = "not a 64-bit little-endian ELF file"
            return
        self._read_sections()

    def _read_sections(self) -> None:
        image = self.image
        table = int.from_bytes(image[40:48], "little")
        self.machine_flags = int.from_bytes(image[48:52], "little")
        count = int.from_bytes(image[60:62], "little")
        names_at = int.from_bytes(image[62:64], "little")
        room = max(0, len(image) - table) // _SECTION.itemsize
        if not count and room:  # more sections than fit the header: the first one says how many
            count = int.from_bytes(image[table + 32 : table + 40], "little")
        if count > min(room, _MAX_SECTIONS):
            self.damage = "its section table is cut off"
            count = min(room, _MAX_SECTIONS)
        headers = np.frombuffer(image, _SECTION, count, table) if count else self._headers
        self._headers = headers
        view = memoryview(image)
        names = Names(self._bytes(view, headers[names_at]) if names_at < count else view[:0])
        for index, header in enumerate(headers):
            data = self._bytes(view, header)
            size = int(header["size"])
            self.sections.append(
                Section(
                    index,
                    names[int(header["name"])],
                    int(header["addr"]),
                    int(header["offset"]),
                    size,
                    data,
                )
            )

    def _bytes(self, view: memoryview, header: np.void) -> memoryview:
        if int(header["type"]) == _NOBITS:
            return view[:0]
        start, size = int(header["offset"]), int(header["size"])
        if start + size > len(view):
            self.damage = "a section is cut off"
            return view[:0]
        return view[start : start + size]

    @property
    def sm(self) -> int:
        """The architecture the code is for (90 for sm_90), 0 when the header does not say."""
        flags = self.machine_flags
        osabi_version = self.image[8] if len(self.image) > 8 else 0
        return (flags >> 8) & 0xFF if osabi_version >= 8 else flags & 0xFF

    @cached_property
    def by_name(self) -> dict[str, Section]:
        """Sections by name, the first of each."""
        found: dict[str, Section] = {}
        for section in self.sections:
            found.setdefault(section.name, section)
        return found

    @cached_property
    def _symbols(self) -> tuple[Structs, memoryview]:
        table = self.by_name.get(".symtab")
        if table is None:
            return np.zeros(0, _SYMBOL), memoryview(b"")
        link = int(self._headers[table.index]["link"])
        names = self.sections[link].data if link < len(self.sections) else memoryview(b"")
        count = len(table.data) // _SYMBOL.itemsize
        return np.frombuffer(table.data, _SYMBOL, count), names

    @cached_property
    def functions(self) -> tuple[Symbol, ...]:
        """Function symbols that are defined in a section, in table order."""
        symbols, table = self._symbols
        names = Names(table)
        wanted = (symbols["info"] & 15 == _FUNCTION) & (symbols["section"] > 0)
        wanted &= symbols["section"] < len(self.sections)
        found = []
        for index in np.flatnonzero(wanted)[:_MAX_FUNCTIONS].tolist():
            row = symbols[index]
            name = names[int(row["name"])]
            found.append(
                Symbol(index, name, int(row["section"]), int(row["value"]), int(row["size"]))
            )
        return tuple(found)

    def relocations(self, section: Section) -> list[tuple[int, int, int, int]]:
        """(offset, target section, value inside it, entry kind) of what patches `section`.

        The value is the symbol's plus the addend; without an addend field it is the symbol's
        alone and the caller adds what stands in place (kind 0: REL, 1: RELA).
        """
        symbols, _ = self._symbols
        found: list[tuple[int, int, int, int]] = []
        for kind, prefix, dtype in ((1, ".rela", _RELA), (0, ".rel", _REL)):
            table = self.by_name.get(prefix + section.name)
            if table is None:
                continue
            rows = np.frombuffer(table.data, dtype, len(table.data) // dtype.itemsize)
            rows = rows[:_MAX_RELOCATIONS]
            rows = rows[rows["symbol"] < len(symbols)]
            targets = symbols[rows["symbol"]]
            addends = rows["addend"].tolist() if kind else [0] * len(rows)
            found += [
                (offset, target, value + addend, kind)
                for offset, target, value, addend in zip(
                    rows["offset"].tolist(),
                    targets["section"].tolist(),
                    targets["value"].tolist(),
                    addends,
                    strict=True,
                )
            ]
        return sorted(found)


def text_at(table: memoryview, offset: int) -> str:
    """The zero-terminated text at `offset`; empty when it is outside the table."""
    if not 0 <= offset < len(table):
        return ""
    raw = bytes(table[offset : offset + _SHORT_NAME])
    if 0 not in raw:
        raw = bytes(table[offset : offset + _LONGEST_NAME])
    return raw.split(b"\0", 1)[0].decode("utf-8", "replace")


class Names:
    """Texts of a string table by offset. All together stay within a small multiple of the table:
    what an untrusted file asks for beyond that is empty."""

    def __init__(self, table: memoryview) -> None:
        self._table = table
        self._left = min(16 * len(table), _ALL_NAMES)
        self._known: dict[int, str] = {}

    def __getitem__(self, offset: int) -> str:
        name = self._known.get(offset)
        if name is None:
            name = text_at(self._table, offset) if self._left > 0 else ""
            self._left -= len(name)
            self._known[offset] = name
        return name
