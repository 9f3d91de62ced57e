"""Writes small reports, so that tests can hold what no collected report holds."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass, field


def varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def number(field_number: int, value: int) -> bytes:
    return varint(field_number << 3) + varint(value)


def blob(field_number: int, content: bytes | str) -> bytes:
    raw = content.encode() if isinstance(content, str) else content
    return varint(field_number << 3 | 2) + varint(len(raw)) + raw


def double(field_number: int, value: float) -> bytes:
    return varint(field_number << 3 | 1) + struct.pack("<d", value)


def single(field_number: int, value: float) -> bytes:
    return varint(field_number << 3 | 5) + struct.pack("<f", value)


def metric_value(value: float | int | str) -> bytes:
    if isinstance(value, str):
        return blob(1, value)
    return number(5, value) if isinstance(value, int) else double(3, value)


def instance(key: int | str | None, value: float | int | str) -> bytes:
    head = b"" if key is None else blob(1, metric_value(key))
    return blob(3, head + blob(2, metric_value(value)))


@dataclass
class Report:
    """A report of one block per result; `names` is the string table so far."""

    blocks: list[bytes] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def metric(
        self,
        name: str,
        value: float | int | str | bytes | None,
        instances: Iterable[bytes] = (),
        category: int = 0,
    ) -> bytes:
        """A kernel's metric; bytes stand for an encoded MetricValue."""
        if name not in self.names:
            self.names.append(name)
        encoded = (
            b"" if value is None else value if isinstance(value, bytes) else metric_value(value)
        )
        content = number(1, self.names.index(name))
        content += b"" if value is None else blob(2, encoded)
        return blob(13, content + b"".join(instances) + number(4, category))

    def block(
        self,
        entries: Iterable[bytes] = (),
        *,
        sources: int = 0,
        results: int = 0,
        names: Iterable[str] = (),
        header: bytes = b"",
    ) -> None:
        payload = b"".join(struct.pack("<I", len(entry)) + entry for entry in entries)
        table = b"".join(blob(1, name) for name in names)
        head = number(1, sources) + number(2, results)
        head += blob(4, table) + number(5, len(payload)) + header
        self.blocks.append(struct.pack("<I", len(head)) + head + payload)

    def kernel(self, *fields: bytes, name: str = "kernel") -> None:
        """Adds a block with one kernel, and the names its metrics brought in."""
        written = getattr(self, "_written", 0)
        head = blob(5, name) + blob(6, name) + blob(7, f"{name}(int)")
        self.block([head + b"".join(fields)], results=1, names=self.names[written:])
        self._written = len(self.names)

    def to_bytes(self, version: int = 7) -> bytes:
        header = number(1, version)
        return b"NVR\0" + struct.pack("<I", len(header)) + header + b"".join(self.blocks)


def session(*fields: bytes) -> bytes:
    """The session details of a block header."""
    return blob(3, b"".join(fields))


def device(identity: int, name: str, attributes: dict[str, int | str]) -> bytes:
    content = number(1, identity) + blob(2, name)
    for key, value in attributes.items():
        content += blob(3, blob(1, f"device__attribute_{key}") + blob(2, metric_value(value)))
    return blob(6, content)
