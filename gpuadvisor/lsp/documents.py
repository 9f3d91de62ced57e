"""Open documents: their text by lines, as the protocol counts lines and columns.

A line ends at CR LF, LF or CR and nowhere else (form feeds and U+2028 are ordinary characters to
an editor), columns count in the units that client and server agreed on, and positions beyond the
end of a line or a text mean that end.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal, Protocol

Encoding = Literal["utf-8", "utf-16", "utf-32"]

_LINE_END = re.compile(r"\r\n|\r|\n")


class PositionLike(Protocol):
    """A position of the protocol: line and character count from 0."""

    line: int
    character: int


def split_lines(text: str) -> list[str]:
    """The lines of a text with their ends; always one more than there are ends."""
    if "\r" not in text:
        parts = text.split("\n")
        return [part + "\n" for part in parts[:-1]] + parts[-1:]
    lines = []
    start = 0
    for match in _LINE_END.finditer(text):
        lines.append(text[start : match.end()])
        start = match.end()
    lines.append(text[start:])
    return lines


def to_units(line: str, column: int, encoding: Encoding) -> int:
    """The column in units of the protocol of a column in characters."""
    head = line[:column]
    if encoding == "utf-32" or head.isascii():
        return len(head)
    if encoding == "utf-16":
        return len(head) + sum(char > "\uffff" for char in head)
    return len(head.encode("utf-8", "surrogatepass"))


def from_units(line: str, units: int, encoding: Encoding) -> int:
    """The column in characters of a column in units; the end of the line where it is beyond, the
    character's start where it is inside one."""
    content = line.rstrip("\r\n")
    if encoding == "utf-32" or content.isascii():
        return min(max(units, 0), len(content))
    left = units
    for index, char in enumerate(content):
        left -= to_units(char, 1, encoding)
        if left < 0:
            return index
    return len(content)


class Document:
    """One open text. `path` is None for documents that are no files (a git revision, untitled)."""

    def __init__(
        self, uri: str, text: str, version: int | None, language_id: str, encoding: Encoding
    ) -> None:
        self.uri = uri
        self.path = path_of(uri)
        self.version = version
        self.language_id = language_id
        self.encoding: Encoding = encoding
        self.revision = 0
        """Counts changes; a cheap key for what is derived from the text."""
        self._lines = split_lines(text)
        self._text: str | None = text

    @property
    def lines(self) -> Sequence[str]:
        """The lines with their ends."""
        return self._lines

    @property
    def text(self) -> str:
        if self._text is None:
            self._text = "".join(self._lines)
        return self._text

    def replace(self, text: str) -> None:
        """A new text for the whole document."""
        self._lines = split_lines(text)
        self._text = text
        self.revision += 1

    def edit(self, start: PositionLike, end: PositionLike, text: str) -> None:
        """Replace what lies between two positions."""
        first, first_column = self.locate(start)
        last, last_column = self.locate(end)
        if (last, last_column) < (first, first_column):
            first, first_column, last, last_column = last, last_column, first, first_column
        lines = self._lines
        new = lines[first][:first_column] + text + lines[last][last_column:]
        if new.startswith("\n") and first > 0 and lines[first - 1].endswith("\r"):
            first -= 1
            new = lines[first] + new
        if new.endswith("\r") and last + 1 < len(lines) and lines[last + 1].startswith("\n"):
            last += 1
            new += lines[last]
        parts = split_lines(new)
        if last + 1 < len(lines):
            # the replaced lines ended with a line end, so the last part is empty unless that end
            # was removed, and then it joins the line after
            tail = parts.pop()
            if tail:
                last += 1
                parts.append(tail + lines[last])
        self._lines[first : last + 1] = parts
        self._text = None
        self.revision += 1

    def locate(self, position: PositionLike) -> tuple[int, int]:
        """Line and column (in characters, both from 0) of a position of the client."""
        if position.line >= len(self._lines):
            last = len(self._lines) - 1
            return last, len(self._lines[last])
        line = max(position.line, 0)
        return line, from_units(self._lines[line], position.character, self.encoding)

    def units(self, line: int, column: int) -> int:
        """The column in the client's units of a column in characters, both from 0."""
        if not 0 <= line < len(self._lines):
            return 0
        return to_units(self._lines[line].rstrip("\r\n"), column, self.encoding)

    def content_span(self, line: int) -> tuple[int, int]:
        """The columns (from 0, end exclusive) of a line without the blanks around it."""
        if not 0 <= line < len(self._lines):
            return 0, 0
        text = self._lines[line].rstrip()
        return len(text) - len(text.lstrip()), len(text)


class Documents:
    """The open documents by uri and by the file they show."""

    def __init__(self) -> None:
        self.encoding: Encoding = "utf-16"
        self._by_uri: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(tuple(self._by_uri.values()))

    def __len__(self) -> int:
        return len(self._by_uri)

    def get(self, uri: str) -> Document | None:
        return self._by_uri.get(uri)

    def open(self, uri: str, text: str, version: int | None, language_id: str) -> Document:
        document = Document(uri, text, version, language_id, self.encoding)
        self._by_uri[uri] = document
        return document

    def close(self, uri: str) -> Document | None:
        return self._by_uri.pop(uri, None)


@lru_cache(maxsize=4096)
def canonical(path: str) -> str:
    """One spelling for a file, however it is reached."""
    return os.path.normcase(os.path.realpath(path))


def path_of(uri: str) -> str | None:
    """The file of a uri, None when it is no file on this machine."""
    from pygls.uris import to_fs_path

    path = to_fs_path(uri)
    return canonical(path) if path else None


def uri_of(path: str) -> str:
    """The uri of a file."""
    from pygls.uris import from_fs_path

    return str(from_fs_path(path))
