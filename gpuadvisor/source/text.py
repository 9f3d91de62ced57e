"""Lines and columns of a text: UTF-8 bytes (parser), code points (findings), UTF-16 (editors)."""

from __future__ import annotations

import re
from bisect import bisect_right


class LineIndex:
    """Where the lines of a UTF-8 text start. Lines end at LF; a CR before it belongs to the
    line end. Lines and columns count from 1, byte offsets from 0."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        starts = [0]
        at = data.find(b"\n")
        while at >= 0:
            starts.append(at + 1)
            at = data.find(b"\n", at + 1)
        self.starts = starts
        self._ascii = data.isascii()

    def __len__(self) -> int:
        return len(self.starts)

    def line_of(self, offset: int) -> int:
        """The line that holds a byte offset."""
        return bisect_right(self.starts, offset)

    def position(self, offset: int) -> tuple[int, int]:
        """(line, column in code points) of a byte offset."""
        line = bisect_right(self.starts, offset)
        start = self.starts[line - 1]
        if self._ascii:
            return line, offset - start + 1
        return line, len(self.data[start:offset].decode("utf-8", errors="replace")) + 1

    def bounds(self, line: int) -> tuple[int, int]:
        """Byte offsets of the first byte of a line and of its end without the line end; (0, 0)
        outside the text."""
        if not 1 <= line <= len(self.starts):
            return 0, 0
        start = self.starts[line - 1]
        end = self.starts[line] - 1 if line < len(self.starts) else len(self.data)
        if end > start and self.data[end - 1 : end] == b"\r":
            end -= 1
        return start, end

    def line_bytes(self, line: int) -> bytes:
        """A line without its line end."""
        start, end = self.bounds(line)
        return self.data[start:end]

    def trimmed(self, line: int) -> tuple[int, int]:
        """Byte offsets of a line's first and after its last non-blank byte, without a trailing
        `//` comment; equal when the line is blank."""
        start, end = self.bounds(line)
        body = self.data[start:end]
        comment = body.find(b"//")
        if comment >= 0 and body[:comment].count(b'"') % 2 == 0 and body[:comment].strip():
            body = body[:comment]
        stripped = body.strip()
        if not stripped:
            return start, start
        first = start + body.index(stripped[:1])
        return first, first + len(stripped)


_COMMENTS = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)


def one_line(raw: bytes) -> str:
    """A piece of source as one line without comments, for messages."""
    if b"/" in raw:
        raw = _COMMENTS.sub(b" ", raw)
    return " ".join(raw.decode("utf-8", errors="replace").split())


def utf16_column(line: str, column: int) -> int:
    """The UTF-16 offset from 0 (as editors count) of a code-point column from 1."""
    head = line[: max(column - 1, 0)]
    return len(head) + sum(char > "\uffff" for char in head)


def column_of_utf16(line: str, offset: int) -> int:
    """The code-point column from 1 of a UTF-16 offset from 0; past the end is the end."""
    units = 0
    for column, char in enumerate(line, 1):
        if units >= offset:
            return column
        units += 2 if char > "\uffff" else 1
    return len(line) + 1
