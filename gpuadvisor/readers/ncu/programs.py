"""The programs (cubin, PTX, sources) that the results of a report were compiled to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from gpuadvisor.evidence import ProgramImage, later
from gpuadvisor.readers.ncu import limits
from gpuadvisor.readers.ncu.container import Entry
from gpuadvisor.readers.ncu.messages import decode, text
from gpuadvisor.readers.ncu.problems import ProblemLog
from gpuadvisor.readers.ncu.store import Store
from gpuadvisor.readers.ncu.wire import BYTES, VARINT, Damaged, fields, varint

_REFERENCE, _PTX, _CUBIN, _SM, _FILES, _RELOCATIONS = 1, 3, 4, 6, 8, 9
_KEY_AND_LENGTH = 20
"""Bytes that hold any field's key and length."""


@dataclass
class _Parts:
    """Where the parts of one program lie. It comes once with bytes and may be repeated without
    them, each time with the addresses of the functions loaded by then."""

    sm: int = 0
    cubin: Entry | None = None
    ptx: Entry | None = None
    files: list[Entry] = field(default_factory=list)
    relocations: list[Entry] = field(default_factory=list)


def read_programs(store: Store, sources: list[Entry], log: ProblemLog) -> dict[int, ProgramImage]:
    """Programs by reference. Their bytes are read from the file when they are looked at."""
    parts: dict[int, _Parts] = {}
    budget = limits.PROGRAM_FIELDS + 16 * len(sources)
    for entry in sources:
        try:
            budget -= _index(store, entry, parts, budget)
        except Damaged as error:
            log.add(
                f"the program at byte {entry.offset:,} is damaged: {error.reason}; "
                "kernels may lack code and lines"
            )
    return {reference: _image(store, reference, found, log) for reference, found in parts.items()}


def _index(store: Store, entry: Entry, parts: dict[int, _Parts], budget: int) -> int:
    """Notes where the parts of the program at `entry` lie; returns how many fields it has."""
    found: _Parts | None = None
    pending: list[tuple[int, Entry]] = []
    sm = 0
    at, end = entry.offset, entry.offset + entry.size
    count = 0
    while at < end:
        count += 1
        if count > budget:
            raise Damaged("it has more fields than a program can hold")
        head = store.read(at, min(_KEY_AND_LENGTH, end - at))
        key, used = varint(head, 0, len(head))
        number, wire = key >> 3, key & 7
        if wire == VARINT:
            value, used = varint(head, used, len(head))
            if number == _REFERENCE:
                found = parts.setdefault(value, _Parts())
            elif number == _SM:
                sm = value
            at += used
        elif wire == BYTES:
            length, used = varint(head, used, len(head))
            if at + used + length > end:
                raise Damaged("a part of it is cut off")
            if length:
                pending.append((number, Entry(at + used, length)))
            at += used + length
        else:
            raise Damaged(f"a field of wire type {wire} does not belong there")
    if found is None:
        raise Damaged("it has no reference")
    found.sm = found.sm or sm
    for number, part in pending:
        if number == _CUBIN:
            found.cubin = found.cubin or part
        elif number == _PTX:
            found.ptx = found.ptx or part
        elif number == _FILES:
            found.files.append(part)
        elif number == _RELOCATIONS:
            found.relocations.append(part)
    return count


class _Reader:
    """Reads the parts of one program when they are asked for; says what is lost."""

    def __init__(self, store: Store, parts: _Parts, log: ProblemLog) -> None:
        self._store = store
        self._parts = parts
        self._log = log

    def cubin(self) -> bytes:
        return self._bytes(self._parts.cubin, "a program's code", limits.PROGRAM_BYTES)

    def ptx(self) -> str:
        return text(self._bytes(self._parts.ptx, "a program's PTX", limits.FILES_BYTES))

    def sources(self) -> dict[str, str]:
        texts: dict[str, str] = {}
        for entry in self._parts.files:
            for file in self._messages(entry, "SourceFile", "embedded source"):
                name = text(file.name)
                texts[name] = texts.get(name) or text(file.content)
        return texts

    def functions(self) -> dict[str, int]:
        addresses: dict[str, int] = {}
        for entry in self._parts.relocations:
            for symbol in self._messages(entry, "Relocation", "a table of functions"):
                addresses[text(symbol.symbol)] = symbol.address
        return addresses

    def _messages(self, entry: Entry, message: str, what: str) -> Iterator[Any]:
        """The messages in field 1 of the part at `entry`."""
        data = self._bytes(entry, what, limits.FILES_BYTES)
        count = 0
        try:
            for number, wire, _, content, end in fields(data, 0, len(data)):
                count += 1
                if count > limits.FUNCTIONS:
                    raise Damaged("it has too many parts")
                if number == 1 and wire == BYTES:
                    yield decode(message, data[content:end])
        except (Damaged, ValueError) as error:
            self._log.add(f"{what} at byte {entry.offset:,} is damaged: {error}")

    def _bytes(self, entry: Entry | None, what: str, most: int) -> bytes:
        if entry is None:
            return b""
        try:
            if entry.size > most:
                raise Damaged(f"it claims {entry.size:,} bytes")
            data = self._store.read(entry.offset, entry.size)
            if len(data) < entry.size:
                raise Damaged("the file ends early")
        except Damaged as error:
            self._log.add(f"{what} at byte {entry.offset:,} is lost: {error.reason}")
            return b""
        return data


def _image(store: Store, reference: int, parts: _Parts, log: ProblemLog) -> ProgramImage:
    reader = _Reader(store, parts, log)
    return ProgramImage(
        reference=reference,
        cubin=later(reader.cubin),
        ptx=later(reader.ptx),
        sm=_sm(parts.sm),
        sources=later(reader.sources),
        functions=later(reader.functions),
    )


def _sm(version: int) -> int:
    """90 for compute capability 9.0, which the report gives as 0x90000."""
    return (version >> 16) * 10 + (version & 0xFFFF)
