"""Lines that follow an edited text."""

from __future__ import annotations

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from gpuadvisor.lsp.moves import moves_between

LINES = st.lists(st.sampled_from(["a = b;", "}", "", "x += y * z; // long enough", "f(1);"]))


def test_an_inserted_line_moves_what_follows() -> None:
    moves = moves_between(["a", "b", "c"], ["a", "new", "b", "c"])
    assert [moves.forward(line) for line in (1, 2, 3)] == [(1, "exact"), (3, "moved"), (4, "moved")]
    assert moves.backward(2) is None
    assert moves.backward(3) == (2, "moved")


def test_an_edited_line_is_stale_in_its_place() -> None:
    moves = moves_between(["a", "b", "c"], ["a", "other", "c"])
    assert moves.forward(2) == (2, "stale")
    assert moves.backward(2) == (2, "stale")
    assert moves.forward(3) == (3, "exact")


def test_a_deleted_line_has_no_place() -> None:
    moves = moves_between(["a", "b", "c"], ["a", "c"])
    assert moves.forward(2) == (0, "stale")
    assert moves.forward(3) == (2, "moved")


def test_lines_outside_the_text_are_stale() -> None:
    moves = moves_between(["a"], ["a"])
    assert moves.forward(0) == (0, "stale")
    assert moves.forward(2) == (0, "stale")
    assert moves.backward(2) is None


def test_characters_that_end_lines_elsewhere_end_none_here() -> None:
    old = ["a\u2028b", "c\x0cd", "e"]
    moves = moves_between(old, ["x", *old[1:], "f"])
    assert moves.forward(2) == (2, "exact")
    assert moves.forward(3) == (3, "exact")


@settings(max_examples=200, deadline=None)
@given(old=LINES, new=LINES)
def test_what_matches_is_equal_and_matches_both_ways(old: list[str], new: list[str]) -> None:
    moves = moves_between(old, new)
    taken = set()
    for line in range(1, len(old) + 1):
        at, state = moves.forward(line)
        if state != "stale":
            assert old[line - 1] == new[at - 1]
            assert (state == "exact") == (at == line)
            assert at not in taken
            taken.add(at)
            assert moves.backward(at) == (line, state)


def test_an_edit_in_a_long_file_is_cheap() -> None:
    old = [f"int line_{number};" for number in range(50_000)]
    new = [*old[:30_000], "edited", *old[30_001:]]
    started = time.perf_counter()
    for _ in range(10):
        moves = moves_between(old, new)
    assert time.perf_counter() - started < 1.0
    assert moves.forward(30_001) == (30_001, "stale")
    assert moves.forward(50_000) == (50_000, "exact")
