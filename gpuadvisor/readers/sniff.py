"""Which format a file has, by its content; names and endings prove nothing."""

from __future__ import annotations

import os

from gpuadvisor.evidence import ProfileReport, UnreadableInput
from gpuadvisor.readers.ncu import compressed
from gpuadvisor.readers.ncu.container import MAGIC
from gpuadvisor.readers.ncu.report import read_report
from gpuadvisor.readers.ncu.store import Store
from gpuadvisor.readers.ncu.wire import Damaged

_HEAD = 4096

# magic -> what it is, what to do about it
_FOREIGN: tuple[tuple[bytes, str, str], ...] = (
    (b"SQLite format 3\0", "a SQLite database, such as nsys exports", ""),
    (b"\x1f\x8b", "a gzip file", "unpack it first: gunzip"),
    (b"\xfd7zXZ\0", "an xz file", "unpack it first: xz -d"),
    (b"PK\x03\x04", "a zip file", "unpack it first: unzip"),
    (b"BZh", "a bzip2 file", "unpack it first: bunzip2"),
    (b"\x7fELF", "a compiled program", "name the report that ncu wrote, not the program"),
    (b"version https://git-lfs", "a Git LFS pointer, not the report", "fetch it: git lfs pull"),
)


def open_evidence(path: str | os.PathLike[str]) -> ProfileReport:
    """Reads the profile at `path`; its content decides the format.

    Raises UnreadableInput with reason and next step when nothing of it can be used.
    """
    name = os.fspath(path)
    store = Store(name)
    head = _head(store)
    if head.startswith(MAGIC):
        return read_report(store, "ncu-rep")
    if head.startswith(compressed.MAGIC):
        content, damage = compressed.expand(name)
        expanded = Store(name, content)
        if _head(expanded).startswith(MAGIC):
            return read_report(expanded, "ncu-repz", damage)
        raise UnreadableInput(name, "is compressed, but holds no Nsight Compute report")
    what, hint = describe(head)
    raise UnreadableInput(name, f"is no Nsight Compute report but {what}", hint)


def describe(head: bytes) -> tuple[str, str]:
    """What a file that starts with `head` looks like, and the next step, "" when there is none."""
    for magic, what, hint in _FOREIGN:
        if head.startswith(magic):
            return what, hint
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or _is_text(head):
        return "text", "name the .ncu-rep file that ncu -o wrote"
    return "something unknown", "name the .ncu-rep file that ncu -o wrote"


def _head(store: Store) -> bytes:
    try:
        return store.read(0, _HEAD)
    except Damaged as error:
        raise UnreadableInput(store.path, error.reason) from None


def _is_text(head: bytes) -> bool:
    printable = sum(byte >= 0x20 or byte in b"\t\r\n" for byte in head)
    return b"\0" not in head and printable >= len(head) * 0.95
