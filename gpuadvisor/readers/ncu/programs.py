"""The programs (cubin, PTX, sources) that the results of a report were compiled to."""

from __future__ import annotations

from dataclasses import dataclass, field

from gpuadvisor.evidence import ProgramImage, later
from gpuadvisor.readers.ncu import limits
from gpuadvisor.readers.ncu.container import Entry
from gpuadvisor.readers.ncu.messages import decode, text
from gpuadvisor.readers.ncu.problems import ProblemLog
from gpuadvisor.readers.ncu.store import Store
from gpuadvisor.readers.ncu.wire import BYTES, VARINT, Damaged, varint

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
    for entry in sources:
        try:
            _index(store, entry, parts)
        except Damaged as error:
            log.add(
                f"the program at byte {entry.offset:,} is damaged: {error.reason}; "
                "kernels may lack code and lines"
            )
    return {reference: _image(store, reference, found, log) for reference, found in parts.items()}


def _index(store: Store, entry: Entry, parts: dict[int, _Parts]) -> None:
    found: _Parts | None = None
    pending: list[tuple[int, Entry]] = []
    sm = 0
    at, end = entry.offset, entry.offset + entry.size
    budget = 1000
    while at < end:
        budget -= 1
        if budget < 0:
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


def _image(store: Store, reference: int, parts: _Parts, log: ProblemLog) -> ProgramImage:
    def part(entry: Entry | None, what: str) -> bytes:
        if entry is None:
            return b""
        try:
            if entry.size > limits.PROGRAM_PART_BYTES:
                raise Damaged(f"it claims {entry.size:,} bytes")
            data = store.read(entry.offset, entry.size)
            if len(data) < entry.size:
                raise Damaged("the file ends early")
        except Damaged as error:
            log.add(f"{what} at byte {entry.offset:,} is lost: {error.reason}")
            return b""
        return data

    def sources() -> dict[str, str]:
        texts: dict[str, str] = {}
        for entry in parts.files:
            for file in _decoded("SourceFiles", entry, "embedded source", "files"):
                name, content = text(file.name), text(file.content)
                if content or name not in texts:
                    texts[name] = texts.get(name) or content
        return texts

    def functions() -> dict[str, int]:
        addresses: dict[str, int] = {}
        for entry in parts.relocations:
            for symbol in _decoded("Relocations", entry, "a table of functions", "functions"):
                addresses[text(symbol.symbol)] = symbol.address
        return addresses

    def _decoded(message: str, entry: Entry, what: str, items: str) -> list[object]:
        try:
            return list(getattr(decode(message, part(entry, what)), items))
        except ValueError:
            log.add(f"{what} at byte {entry.offset:,} is damaged")
            return []

    return ProgramImage(
        reference=reference,
        cubin=later(lambda: part(parts.cubin, "a program's code")),
        ptx=later(lambda: text(part(parts.ptx, "a program's PTX"))),
        sm=_sm(parts.sm),
        sources=later(sources),
        functions=later(functions),
    )


def _sm(version: int) -> int:
    """90 for compute capability 9.0, which the report gives as 0x90000."""
    return (version >> 16) * 10 + (version & 0xFFFF)
