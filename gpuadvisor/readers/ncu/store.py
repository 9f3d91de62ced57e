"""The bytes of a report, read a part at a time.

A report is not mapped into memory: profilers rewrite reports in place, and touching a mapped page
that is gone ends the process. Each read opens the file anew, so that no handle outlives it, and
checks that it is still the file that was opened.
"""

from __future__ import annotations

import hashlib
import os
import stat
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import numpy as np

from gpuadvisor.evidence import UnreadableInput
from gpuadvisor.readers.ncu.wire import Damaged

PADDING = 16
"""Bytes of any value behind a chunk, so that eight can be gathered at any of its offsets."""

_PIECE = 1 << 20


class Chunk:
    """Part of a report in memory.

    data: the bytes and `PADDING` more; u8: the same as uint8[size + PADDING]; u64: little-endian
    uint64[size + 9], the eight bytes from each offset on (overlapping).
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.size = len(data) - PADDING
        self.u8: np.ndarray[Any, np.dtype[np.uint8]] = np.frombuffer(data, np.uint8)
        self.u64: np.ndarray[Any, np.dtype[np.uint64]] = np.ndarray(
            (len(data) - 7,), "<u8", data, strides=(1,)
        )


class Store:
    """Random access to the bytes of an opened file, or of what it expands to.

    `size` in bytes. The last chunk is kept: the parts of one launch are asked for in turn.
    """

    def __init__(self, path: str, expanded: IO[bytes] | None = None) -> None:
        self.path = path
        self._handle: IO[bytes] | None = None
        self._expanded = expanded
        self._lock = threading.RLock()
        self._last: tuple[tuple[int, int], Chunk] | None = None
        self._identity = _identity(path)
        if expanded is None:
            self.size = self._identity[0]
        else:
            self.size = expanded.seek(0, os.SEEK_END)
            weakref.finalize(self, expanded.close)

    @contextmanager
    def held_open(self) -> Iterator[None]:
        """Keeps one handle for many small reads."""
        with self._open() as handle:
            self._handle = handle
            try:
                yield
            finally:
                self._handle = None

    @contextmanager
    def _open(self) -> Iterator[IO[bytes]]:
        if self._expanded is not None:
            # one position for all readers
            with self._lock:
                yield self._expanded
        elif self._handle is not None:
            yield self._handle
        else:
            try:
                with open(self.path, "rb") as handle:
                    if _status(os.fstat(handle.fileno())) != self._identity:
                        raise Damaged("the file changed while it was being read")
                    yield handle
            except OSError as error:
                raise Damaged(f"the file is gone: {error.strerror or error}") from None

    def read(self, offset: int, size: int) -> bytes:
        """`size` bytes at `offset`, fewer at the end of the file."""
        with self._open() as handle:
            handle.seek(offset)
            return handle.read(size)

    def chunk(self, offset: int, size: int) -> Chunk:
        """Exactly `size` bytes at `offset`; raises Damaged where the file ends before."""
        last = self._last
        if last is not None and last[0] == (offset, size):
            return last[1]
        if offset + size > self.size:
            raise Damaged("the file ends early")
        self._last = None
        # what follows in the file serves as padding: zeros would cost a copy
        data = self.read(offset, size + PADDING)
        if len(data) < size:
            raise Damaged("the file ends early")
        chunk = Chunk(data.ljust(size + PADDING, b"\0"))
        self._last = ((offset, size), chunk)
        return chunk

    def sha256(self) -> str:
        """Of the file on disk, compressed or not; empty when it is gone or another by now."""
        digest = hashlib.sha256()
        try:
            with open(self.path, "rb") as handle:
                if _status(os.fstat(handle.fileno())) != self._identity:
                    return ""
                while piece := handle.read(_PIECE):
                    digest.update(piece)
        except OSError:
            return ""
        return digest.hexdigest()


def _status(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_size, status.st_mtime_ns, status.st_ino


def _identity(path: str) -> tuple[int, int, int]:
    """Size, time and inode of a regular file; UnreadableInput for anything else.

    The size comes before any opening: opening a named pipe would wait for a writer.
    """
    try:
        status = os.stat(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableInput(path, reason, "check the path") from None
    if stat.S_ISDIR(status.st_mode):
        raise UnreadableInput(path, "is a folder", "name a report file in it")
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableInput(path, "is not a regular file")
    if status.st_size == 0:
        raise UnreadableInput(path, "is empty", "collect the report again")
    if not os.access(path, os.R_OK):
        raise UnreadableInput(path, "may not be read", f"change its permissions: chmod u+r {path}")
    return _status(status)
