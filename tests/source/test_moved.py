"""Lines that moved since profiling."""

from __future__ import annotations

import random
import time

import pytest

from gpuadvisor.source.moved import map_lines

OLD = """\
__global__ void a(float* x) {
    int i = threadIdx.x;
    x[i] = 1.f;
}

__global__ void b(float* x) {
    int i = threadIdx.x;
    x[i] = 2.f;
}
"""


def test_equal_texts_are_exact() -> None:
    mapped = map_lines(OLD, OLD)
    assert list(mapped.lines) == list(range(1, 10))
    assert set(mapped.states) == {"exact"}
    assert mapped.matched == 9


def test_insertion_moves_what_follows() -> None:
    mapped = map_lines(OLD, "// head\n// more\n" + OLD)
    assert mapped.line(3) == (5, "moved")
    assert mapped.line(9) == (11, "moved")


def test_whitespace_does_not_count() -> None:
    new = OLD.replace("    ", "\t").replace("x[i] = 1.f", "x[i]=1.f").replace("\n", "\r\n")
    assert set(map_lines(OLD, new).states) == {"exact"}


def test_edited_line_is_stale_in_its_place() -> None:
    new = OLD.replace("x[i] = 2.f;", "x[i] = 3.f + x[i];")
    mapped = map_lines(OLD, new)
    assert mapped.line(8) == (8, "stale")
    assert mapped.line(9) == (9, "exact")


def test_deleted_line_has_no_place() -> None:
    new = OLD.replace("    x[i] = 2.f;\n", "")
    mapped = map_lines(OLD, new)
    assert mapped.line(8) == (0, "stale")
    assert mapped.line(9) == (8, "moved")


def test_repeated_lines_keep_their_order() -> None:
    """Both kernels hold `int i = threadIdx.x;`: the second stays the second."""
    mapped = map_lines(OLD, OLD.replace("x[i] = 1.f;\n", "x[i] = 1.f;\n    x[i] += 1.f;\n"))
    assert mapped.line(2) == (2, "exact")
    assert mapped.line(7) == (8, "moved")


def test_pasted_elsewhere_is_found() -> None:
    lines = OLD.splitlines(keepends=True)
    mapped = map_lines(OLD, "".join([*lines[5:], "\n", *lines[:4]]))
    assert mapped.line(8) == (3, "moved")
    assert mapped.line(3) == (8, "moved")


def test_outside_the_old_text() -> None:
    assert map_lines(OLD, OLD).line(0) == (0, "stale")
    assert map_lines(OLD, OLD).line(99) == (0, "stale")
    assert map_lines("", OLD).lines == []
    assert set(map_lines(OLD, "").states) == {"stale"}


@pytest.mark.parametrize("seed", range(20))
def test_random_edits(seed: int) -> None:
    """Whatever was edited: a line that is not stale has the same text, in one order apart from
    pasted lines, and untouched lines are found."""
    chance = random.Random(seed)
    old = [f"{'}' if number % 4 == 0 else f'line {number}'}" for number in range(200)]
    new = list(old)
    for _ in range(10):
        at = chance.randrange(len(new))
        if chance.random() < 0.5:
            new.insert(at, f"new {chance.random()}")
        else:
            del new[at]
    mapped = map_lines("\n".join(old), "\n".join(new))
    for number, line in enumerate(old, 1):
        place, state = mapped.line(number)
        if state != "stale":
            assert new[place - 1] == line
            assert (state == "exact") == (place == number)
    placed = [place for place, state in zip(mapped.lines, mapped.states, strict=True)
              if state != "stale"]  # fmt: skip
    assert placed == sorted(placed)
    assert mapped.matched >= 200 - 10


def test_fifty_thousand_lines_in_time() -> None:
    lines = [f"line {number % 900} {number if number % 3 else 0}" for number in range(50_000)]
    edited = list(lines)
    chance = random.Random(1)
    for _ in range(200):
        edited.insert(chance.randrange(len(edited)), "inserted text")
        del edited[chance.randrange(len(edited))]
    start = time.process_time()
    mapped = map_lines("\n".join(lines), "\n".join(edited))
    assert time.process_time() - start < 1.0
    assert mapped.matched > 49_500


def test_all_alike_lines_do_not_hang() -> None:
    start = time.process_time()
    map_lines("}\n" * 50_000, "}\nx\n" * 25_000)
    assert time.process_time() - start < 1.0
