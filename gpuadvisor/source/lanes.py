"""Index arithmetic for one warp: polynomials over named unknowns whose coefficients may differ
between the 32 lanes.

`blockIdx.x * blockDim.x + threadIdx.x` becomes {(blockDim.x, blockIdx.x): 1, (): (0, 1, .. 31)}.
What all lanes share (a kernel argument, a block index) is an unknown with one coefficient and
drops out of a stride; what differs in a known way is a tuple; what differs in an unknown way is
an unknown that is marked as varying by whoever made it (see `atoms`).
"""

from __future__ import annotations

from collections.abc import Callable

WARP = 32
Coefficient = int | tuple[int, ...]
Monomial = tuple[str, ...]
Poly = dict[Monomial, Coefficient]

LANE: tuple[int, ...] = tuple(range(WARP))
MAX_TERMS = 24
_MAX_INT = 1 << 62

ONE: Monomial = ()


def constant(value: Coefficient) -> Poly:
    """The polynomial of a number, or of one number a lane."""
    return {} if value == 0 else {ONE: _tidy(value)}


def symbol(name: str, coefficient: Coefficient = 1) -> Poly:
    """The polynomial of one unknown."""
    return {(name,): coefficient}


def _tidy(value: Coefficient) -> Coefficient:
    if isinstance(value, tuple) and value.count(value[0]) == WARP:
        return value[0]
    return value


def lanes_of(value: Coefficient) -> tuple[int, ...]:
    """A coefficient as 32 numbers."""
    return value if isinstance(value, tuple) else (value,) * WARP


def _combine(
    left: Coefficient, right: Coefficient, apply: Callable[[int, int], int]
) -> Coefficient:
    if isinstance(left, int) and isinstance(right, int):
        return apply(left, right)
    pairs = zip(lanes_of(left), lanes_of(right), strict=True)
    return _tidy(tuple([apply(one, other) for one, other in pairs]))


def _plus(left: int, right: int) -> int:
    return left + right


def _times(left: int, right: int) -> int:
    return left * right


def add(left: Poly, right: Poly, sign: int = 1) -> Poly:
    """left + sign * right."""
    if not right:
        return left
    result = dict(left)
    for monomial, value in right.items():
        if sign != 1:
            value = _combine(value, sign, _times)
        old = result.get(monomial)
        total = value if old is None else _combine(old, value, _plus)
        if total == 0:
            result.pop(monomial, None)
        else:
            result[monomial] = total
    return result


def multiply(left: Poly, right: Poly) -> Poly | None:
    """left * right, None when it grows past what an index expression ever is."""
    result: Poly = {}
    for one, value in left.items():
        for other, factor in right.items():
            monomial = tuple(sorted(one + other)) if one and other else one or other
            product = _combine(value, factor, _times)
            old = result.get(monomial)
            total = product if old is None else _combine(old, product, _plus)
            if total == 0:
                result.pop(monomial, None)
            else:
                result[monomial] = total
    if len(result) > MAX_TERMS or any(len(monomial) > 8 for monomial in result):
        return None
    if any(max(map(abs, lanes_of(value))) > _MAX_INT for value in result.values()):
        return None
    return result


def as_int(poly: Poly) -> int | None:
    """The number a polynomial is, None when it is not one."""
    if not poly:
        return 0
    if len(poly) == 1:
        value = poly.get(ONE)
        if isinstance(value, int):
            return value
    return None


def known_lanes(poly: Poly) -> tuple[int, ...] | None:
    """The 32 numbers a polynomial is, None when it holds an unknown."""
    if not poly:
        return (0,) * WARP
    if len(poly) == 1 and ONE in poly:
        return lanes_of(poly[ONE])
    return None


def uniform_coefficients(poly: Poly) -> bool:
    """Whether every lane has the same coefficients."""
    return all(isinstance(value, int) for value in poly.values())


def quotient(poly: Poly, divisor: int, multiple_of: Callable[[str], int]) -> Poly | None:
    """poly / divisor for non-negative values, None when it is no polynomial.

    Terms with an unknown must be multiples of the divisor; the rest must be known lanes.
    `multiple_of` says of which number an unknown is a multiple (1 when nothing is known).
    """
    rest = poly.get(ONE, 0)
    if divisor <= 0 or min(lanes_of(rest)) < 0:
        return None
    result: Poly = {}
    for monomial, value in poly.items():
        if monomial == ONE:
            continue
        if not isinstance(value, int) or value % divisor:
            return None
        result[monomial] = value // divisor
    low = _combine(rest, divisor, _floor)
    if low != 0:
        result[ONE] = low
    return result


def remainder(poly: Poly, divisor: int, multiple_of: Callable[[str], int]) -> Poly | None:
    """poly % divisor for non-negative values, None when it is no polynomial."""
    if divisor <= 0:
        return None
    rest = poly.get(ONE, 0)
    if min(lanes_of(rest)) < 0:
        return None
    for monomial, value in poly.items():
        if monomial == ONE:
            continue
        factor = 1
        for name in monomial:
            factor *= multiple_of(name)
        if any(one * factor % divisor for one in set(lanes_of(value))):
            return None
    return constant(_combine(rest, divisor, _modulo))


def _floor(left: int, right: int) -> int:
    return left // right


def _modulo(left: int, right: int) -> int:
    return left % right


def lanewise(left: Poly, right: Poly, apply: Callable[[int, int], int]) -> Poly | None:
    """apply(left, right) lane by lane where both are known numbers, None otherwise."""
    one, other = known_lanes(left), known_lanes(right)
    if one is None or other is None:
        return None
    try:
        values = tuple([apply(a, b) for a, b in zip(one, other, strict=True)])
    except (ArithmeticError, ValueError):
        return None
    return constant(values) if all(abs(value) < _MAX_INT for value in values) else None


def text(poly: Poly) -> str:
    """A polynomial as source text: `4 * height + 1`; empty when lanes differ."""
    parts: list[str] = []
    for monomial, value in sorted(poly.items(), key=lambda item: (-len(item[0]), item[0])):
        if not isinstance(value, int):
            return ""
        name = " * ".join(monomial)
        if not name:
            parts.append(str(value))
        elif value == 1:
            parts.append(name)
        else:
            parts.append(f"{value} * {name}")
    return " + ".join(parts).replace("+ -", "- ") or "0"
