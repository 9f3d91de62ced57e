"""Wrapping, cutting and measuring."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gpuadvisor.render.layout import cells, fit, fit_middle, indented, line, plain, wrap


def test_wrapped_text_hangs_below_itself() -> None:
    lines = [plain(spans) for spans in wrap("one two three four", 30, line("  fix  "), 7)]
    assert lines == ["  fix  one two three four"]
    lines = [plain(spans) for spans in wrap("alpha beta gamma delta epsilon", 27, line("  fix  "))]
    assert lines == ["  fix  alpha beta gamma", "       delta epsilon"]


def test_line_breaks_in_the_text_are_kept() -> None:
    lines = [plain(spans) for spans in wrap("one\ntwo", 40, line("a: "))]
    assert lines == ["a: one", "   two"]


def test_a_head_as_wide_as_the_page_stands_alone() -> None:
    lines = [plain(spans) for spans in wrap("one two", 40, line("h" * 60), hang=4)]
    assert lines == ["h" * 60, "    one two"]


@given(st.text(max_size=300), st.integers(30, 120), st.integers(0, 12))
def test_no_word_is_lost_and_no_line_too_wide(text: str, width: int, hang: int) -> None:
    lines = [plain(spans) for spans in wrap(text, width, line("head: "), hang)]
    assert all(len(row) <= max(width, hang + 20) for row in lines)
    shown = "".join("".join(lines).split()).removeprefix("head:")
    from gpuadvisor.render.escape import visible

    wanted = "".join("".join(visible(part) for part in text.strip().splitlines()).split())
    assert shown == wanted


def test_wide_characters_count_twice() -> None:
    assert cells("日本") == 4
    assert fit("日本語のカーネル", 9) == "日本語..."
    assert fit("short", 9) == "short"


def test_long_names_keep_both_ends() -> None:
    assert fit_middle("kernel<float, 128, align4>", 20) == "kernel<flo...align4>"
    assert fit_middle("short", 9) == "short"


def test_blank_lines_are_not_indented() -> None:
    assert [plain(s) for s in indented([line("a"), ()], 2)] == ["  a", ""]
