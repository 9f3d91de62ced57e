"""Source excerpts: the right lines, marks under the right columns."""

from __future__ import annotations

from gpuadvisor.evidence.findings import Location, Related
from gpuadvisor.render.excerpt import Row, excerpt, near

SOURCES = {"k.cu": "a;\n\tb = c[i];\n\nd;\ne(1,\n  2,\n  3);\nf;\n}\n"}


def at(
    line: int, end: int | None = None, column: int | None = None, last: int | None = None
) -> Location:
    return Location("k.cu", line, end or line, column, last, "exact")


def test_marks_stand_under_columns_after_tabs() -> None:
    rows = excerpt(SOURCES, at(2, column=6, last=10))
    assert rows[1] == Row(2, "    b = c[i];", "        ^^^^")


def test_a_line_without_columns_is_marked_where_it_is_written() -> None:
    assert excerpt(SOURCES, at(2))[1].marks == "    ^^^^^^^^^"


def test_wide_characters_shift_the_marks() -> None:
    rows = excerpt({"k.cu": "/*日本*/ x = 1;"}, at(1, column=8, last=9))
    assert rows == [Row(1, "/*日本*/ x = 1;", " " * 9 + "^")]


def test_an_escaped_character_is_as_wide_as_it_is_shown() -> None:
    rows = excerpt({"k.cu": "/*\x1b*/ x;"}, at(1, column=7, last=8))
    assert rows == [Row(1, "/*\\x1b*/ x;", " " * 9 + "^")]


def test_a_statement_of_several_lines_is_marked_whole_but_not_endless() -> None:
    rows = excerpt(SOURCES, at(5, 7))
    assert [row.number for row in rows if row.marks] == [5, 6, 7]
    long = {"k.cu": "\n".join(f"x{i}" for i in range(40))}
    assert sum(bool(row.marks) for row in excerpt(long, at(2, 30))) == 4


def test_a_near_related_place_is_in_the_same_excerpt() -> None:
    place = Related("k.cu", 9, "waits here")
    rows = excerpt(SOURCES, at(2), [place])
    assert rows[-1] == Row(9, "}", "-", "waits here")
    assert Row(None, "...") in rows
    assert near(at(2), [place, Related("other.cu", 3, ""), Related("k.cu", 90, "")]) == [place]


def test_a_gap_of_one_line_is_shown() -> None:
    rows = excerpt(SOURCES, at(5), [Related("k.cu", 8, "next")])
    assert [row.number for row in rows] == [4, 5, 6, 7, 8]


def test_no_source_no_excerpt() -> None:
    assert excerpt({}, at(1)) == []
    assert excerpt(SOURCES, at(99)) == []


def test_columns_outside_the_line_fall_back_to_the_line() -> None:
    assert excerpt(SOURCES, at(1, column=50, last=60))[0].marks == "^^"
    assert excerpt(SOURCES, at(1, column=2, last=1))[0].marks == " ^"
    assert excerpt({"k.cu": ""}, at(1)) == [Row(1, "", "^")]


def test_only_newlines_count_lines() -> None:
    rows = excerpt({"k.cu": "a\x0cb\u2028c\nd;"}, at(2))
    assert rows[-1] == Row(2, "d;", "^^")
