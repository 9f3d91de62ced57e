"""Nothing that a terminal or a tracker acts on survives."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuadvisor.render.escape import code_line, markdown, markdown_block, markdown_code, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x9b31m", "\\x9b31m"),
        ("a\r\nb\tc", "a\\r\\nb\\tc"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("a\u2028b\u200bc", "a\\u2028b\\u200bc"),
        ("\udc80", "\\udc80"),
        ("\U000e0041", "\\U000e0041"),
        ("größe 日本 ∑", "größe 日本 ∑"),
    ],
)
def test_what_is_not_seen_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text())
def test_no_control_character_survives_and_twice_is_once(text: str) -> None:
    shown = visible(text)
    assert not [c for c in shown if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")]
    assert not [c for c in shown if unicodedata.bidirectional(c) in ("RLO", "LRO", "RLI", "PDI")]
    assert visible(shown) == shown


def test_source_lines_keep_their_shape() -> None:
    assert code_line("\tif (x)\t// y  \r") == "    if (x)  // y"


def test_markdown_has_no_markup_left() -> None:
    shown = markdown("<b>*x* [a](javascript:y) `c` ~~d~~ |e| ![i](http://j) @team #12 a_b_c")
    for live in ("<b>", " *x*", "[a]", " `c`", " ~~", " |", "@team", "#12", "http://", "a_b"):
        assert live not in shown
    assert markdown("- not a list").startswith("\\-")


@pytest.mark.parametrize(
    ("text", "span"),
    [("a", "`a`"), ("a`b", "``a`b``"), ("`a", "`` `a ``"), ("", "`  `"), ("f<int>", "`f<int>`")],
)
def test_code_spans_hold_what_they_are_given(text: str, span: str) -> None:
    assert markdown_code(text) == span


def test_pipes_in_a_table_do_not_end_the_cell() -> None:
    assert markdown_code("a|b", in_table=True) == "`a\\|b`"


def test_a_block_cannot_be_left_from_inside() -> None:
    lines = markdown_block(["```", "````x"], "cuda")
    assert lines == ["`````cuda", "```", "````x", "`````"]
