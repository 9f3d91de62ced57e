"""Reading a source file that an untrusted report pointed at."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from gpuadvisor.evidence import Problem

MAX_BYTES = 32 << 20


@dataclass(frozen=True)
class FileText:
    """The text of a file, or why there is none."""

    text: str | None
    problem: Problem | None = None


def inside(path: Path, folder: Path) -> bool:
    """Whether `path`, links followed, lies in `folder`, links followed."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):
        return False


def read_text(path: Path, max_bytes: int = MAX_BYTES) -> FileText:
    """The text of a regular file of at most `max_bytes`. Bytes that are not UTF-8 are read as
    Windows-1252, so that every file has a text and every line its number."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return FileText(None, Problem(f"{path}: {reason}", "check that the file is readable"))
    with os.fdopen(descriptor, "rb") as handle:
        try:
            status = os.fstat(handle.fileno())
            if not stat.S_ISREG(status.st_mode):
                return FileText(None, Problem(f"{path}: not a regular file"))
            if status.st_size > max_bytes:
                message = f"{path}: {status.st_size} bytes, over the limit of {max_bytes}"
                return FileText(None, Problem(message, "sources this large are not shown"))
            data = handle.read(max_bytes + 1)
        except OSError as error:
            return FileText(None, Problem(f"{path}: {error.strerror or error}"))
    return FileText(decode(data))


def decode(data: bytes) -> str:
    """Source bytes as text: a byte order mark decides, else UTF-8, else Windows-1252."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def same_text(left: str, right: str) -> bool:
    """Whether two texts are the same but for line ends and blanks at the end of lines."""
    if left == right:
        return True
    return [line.rstrip() for line in left.splitlines()] == [
        line.rstrip() for line in right.splitlines()
    ]
