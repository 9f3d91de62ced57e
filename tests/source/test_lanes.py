"""The index arithmetic against plain evaluation lane by lane."""

from __future__ import annotations

import random

import pytest

from gpuadvisor.source.lanes import (
    LANE,
    Poly,
    add,
    as_int,
    constant,
    known_lanes,
    lanes_of,
    multiply,
    quotient,
    remainder,
    symbol,
    text,
)
from gpuadvisor.source.strides import bank_ways, sectors_touched, stride_of
from gpuadvisor.source.values import Atom, Atoms

NAMES = {"a": 7, "b": 64, "c": 3}


def value(poly: Poly) -> list[int]:
    """The 32 numbers of a polynomial for the values of NAMES."""
    total = [0] * 32
    for monomial, coefficient in poly.items():
        factor = 1
        for name in monomial:
            factor *= NAMES[name]
        for lane, number in enumerate(lanes_of(coefficient)):
            total[lane] += number * factor
    return total


def random_poly(chance: random.Random, depth: int) -> tuple[Poly, list[int]]:
    if depth == 0:
        name = chance.choice([*NAMES, "lane", "number"])
        if name == "lane":
            return constant(LANE), list(LANE)
        if name == "number":
            number = chance.randrange(-5, 20)
            return constant(number), [number] * 32
        return symbol(name), [NAMES[name]] * 32
    left, one = random_poly(chance, depth - 1)
    right, other = random_poly(chance, depth - 1)
    sign = chance.choice("+-*")
    if sign == "*":
        product = multiply(left, right)
        if product is None:
            return left, one
        return product, [a * b for a, b in zip(one, other, strict=True)]
    factor = 1 if sign == "+" else -1
    return add(left, right, factor), [a + factor * b for a, b in zip(one, other, strict=True)]


@pytest.mark.parametrize("seed", range(60))
def test_arithmetic(seed: int) -> None:
    poly, expected = random_poly(random.Random(seed), 3)
    assert value(poly) == expected
    assert all(coefficient != 0 for coefficient in poly.values())


@pytest.mark.parametrize("seed", range(60))
def test_quotient_and_remainder(seed: int) -> None:
    """Where an answer is given it is the right one."""
    chance = random.Random(seed)
    divisor = chance.choice([2, 4, 8, 16, 32, 3])
    scaled = multiply(symbol("a"), constant(divisor * chance.randrange(1, 4))) or {}
    poly = add(add(scaled, constant(LANE)), constant(chance.randrange(10)))
    numbers = value(poly)
    low, rest = quotient(poly, divisor, lambda name: 1), remainder(poly, divisor, lambda name: 1)
    assert low is not None
    assert rest is not None
    assert value(low) == [number // divisor for number in numbers]
    assert value(rest) == [number % divisor for number in numbers]


def test_remainder_uses_what_is_known_of_an_unknown() -> None:
    poly = add(symbol("b"), constant(LANE))
    assert remainder(poly, 32, lambda name: 1) is None
    assert known_lanes(remainder(poly, 32, lambda name: 64) or {}) == LANE


def test_growth_is_bounded() -> None:
    poly: Poly | None = add(add(symbol("a"), symbol("b")), symbol("c"))
    for _ in range(6):
        poly = multiply(poly, poly) if poly is not None else None
    assert poly is None


def test_text() -> None:
    assert text(add(multiply(symbol("h"), constant(4)) or {}, constant(-1))) == "4 * h - 1"
    assert text(constant(0)) == "0"
    assert as_int(constant(0)) == 0
    assert as_int(symbol("a")) is None


@pytest.mark.parametrize(
    ("step", "width", "sectors"),
    [
        (4, 4, 4),
        (8, 4, 8),
        (32, 4, 32),
        (0, 4, 1),
        (16, 16, 16),
        (24, 8, 24),
        (1, 1, 1),
        (-4, 4, 4),
    ],
)
def test_sectors(step: int, width: int, sectors: int) -> None:
    assert sectors_touched(tuple(lane * step for lane in LANE), width) == sectors


@pytest.mark.parametrize("width", [4, 8, 16])
@pytest.mark.parametrize("words", range(1, 40))
def test_bank_conflicts_against_counting(words: int, width: int) -> None:
    """A column of rows of `words` words, counted by the definition."""
    offset = constant(tuple(lane * words * 4 for lane in LANE))
    group = {4: 32, 8: 16, 16: 8}[width]
    worst = 1
    for start in range(0, 32, group):
        banks: dict[int, set[int]] = {}
        for lane in range(start, start + group):
            for part in range(width // 4):
                word = lane * words + part
                banks.setdefault(word % 32, set()).add(word)
        worst = max(worst, max(len(found) for found in banks.values()))
    assert bank_ways(offset, width, Atoms()) == worst


def test_shift_of_all_lanes_changes_no_bank() -> None:
    atoms = Atoms()
    offset = add(constant(tuple(lane * 8 for lane in LANE)), atoms.get("n", Atom("param")))
    assert bank_ways(offset, 4, atoms) == 2


def test_unknown_lane_is_unknown() -> None:
    atoms = Atoms()
    offset = atoms.get("~q", Atom("other", varying=True))
    assert stride_of(offset, 4, 4, atoms).kind == "unknown"
    assert bank_ways(offset, 4, atoms) is None
