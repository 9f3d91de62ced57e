"""Texts by lines, as the protocol counts them."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuadvisor.lsp.documents import Document, Encoding, from_units, split_lines, to_units

CHARACTERS = "ab\n\ré\U0001f680\u2028\x0c"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("a", ["a"]),
        ("a\n", ["a\n", ""]),
        ("a\r\nb\rc\nd", ["a\r\n", "b\r", "c\n", "d"]),
        ("a\x0cb\u2028c\x85d\x0be\n", ["a\x0cb\u2028c\x85d\x0be\n", ""]),
    ],
)
def test_only_three_things_end_a_line(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines


@pytest.mark.parametrize(("encoding", "units"), [("utf-8", 6), ("utf-16", 3), ("utf-32", 2)])
def test_columns_in_units(encoding: Encoding, units: int) -> None:
    line = "é\U0001f680x"
    assert to_units(line, 2, encoding) == units
    assert from_units(line, units, encoding) == 2
    assert from_units(line, units + 50, encoding) == 3


def test_a_column_inside_a_character_is_its_start() -> None:
    assert from_units("\U0001f680x", 1, "utf-16") == 0


def at(line: int, character: int) -> SimpleNamespace:
    return SimpleNamespace(line=line, character=character)


def offset(text: str, line: int, character: int, encoding: Encoding) -> int:
    """The same by counting over the whole text."""
    lines = split_lines(text)
    if line >= len(lines):
        return len(text)
    return sum(map(len, lines[:line])) + from_units(lines[line], character, encoding)


@settings(max_examples=150, deadline=None)
@given(
    start=st.text(CHARACTERS, max_size=12),
    edits=st.lists(
        st.tuples(*[st.integers(0, 5), st.integers(0, 6)] * 2, st.text(CHARACTERS, max_size=4)),
        max_size=8,
    ),
    encoding=st.sampled_from(["utf-8", "utf-16", "utf-32"]),
)
def test_edits_by_lines_are_edits_of_the_text(
    start: str, edits: list[tuple[int, int, int, int, str]], encoding: Encoding
) -> None:
    document = Document("file:///x.cu", start, 0, "cuda-cpp", encoding)
    text = start
    for line, character, end_line, end_character, new in edits:
        first, last = sorted(
            (
                offset(text, line, character, encoding),
                offset(text, end_line, end_character, encoding),
            )
        )
        text = text[:first] + new + text[last:]
        document.edit(at(line, character), at(end_line, end_character), new)
        assert document.text == text
        assert list(document.lines) == split_lines(text)


def test_content_span() -> None:
    document = Document("file:///x.cu", "\t  a b \r\n\n", 0, "cuda-cpp", "utf-16")
    assert document.content_span(0) == (3, 6)
    assert document.content_span(1) == (0, 0)
    assert document.content_span(99) == (0, 0)
    assert document.units(99, 3) == 0


def test_documents_that_are_no_files_have_no_path() -> None:
    assert Document("untitled:Untitled-1", "", 0, "cuda-cpp", "utf-16").path is None
    assert Document("git:/a/b.cu?x", "", 0, "cuda-cpp", "utf-16").path is None
    assert Document("file:///a%20b/%C3%A9.cu", "", 0, "cuda-cpp", "utf-16").path == "/a b/é.cu"
