"""What the functions of the expression language do, and how values turn into one another."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from gpuadvisor.rules.columns import Floats, Truth, Value, absent, alike, is_text, known
from gpuadvisor.rules.expressions import ExpressionError


def number(value: Value) -> Floats:
    """A value as numbers: a condition is 1 or 0, NaN where unknown."""
    if isinstance(value, Truth):
        return np.where(value.true, 1.0, np.where(value.false, 0.0, np.nan))
    if is_text(value):
        raise ExpressionError("a number was expected, not text")
    return value


def condition(value: Value) -> Truth:
    """A value as a condition: a number is true unless it is zero, a text unless it is empty."""
    if isinstance(value, Truth):
        return value
    if is_text(value):
        return Truth.of(known(value))
    return Truth((value != 0) & ~np.isnan(value), np.asarray(value == 0))


def where(test: Value, then: Value, other: Value) -> Value:
    """`then` where the test is true, `other` where it is false, unknown elsewhere."""
    truth = condition(test)
    then, other = alike((then, other))
    if isinstance(then, Truth) and isinstance(other, Truth):
        return Truth(
            (truth.true & then.true) | (truth.false & other.true),
            (truth.true & then.false) | (truth.false & other.false),
        )
    if is_text(then) != is_text(other):
        raise ExpressionError("one branch is text, the other is not")
    if is_text(then):
        return np.where(truth.true, _text(then), np.where(truth.false, _text(other), ""))
    return np.where(truth.true, number(then), np.where(truth.false, number(other), np.nan))


def _text(value: Value) -> Any:
    return value


def _numbers(values: tuple[Value, ...]) -> list[Floats]:
    return [number(value) for value in values]


def _minimum(*values: Value) -> Value:
    return reduce(np.minimum, _numbers(values))


def _maximum(*values: Value) -> Value:
    return reduce(np.maximum, _numbers(values))


def _clip(value: Value, low: Value, high: Value) -> Value:
    return np.minimum(np.maximum(number(value), number(low)), number(high))


def _ratio(top: Value, bottom: Value, otherwise: Value | None = None) -> Value:
    divisor = number(bottom)
    result = np.true_divide(number(top), np.where(divisor == 0, np.nan, divisor))
    return result if otherwise is None else _coalesce(result, otherwise)


def _coalesce(*values: Value) -> Value:
    *firsts, result = alike(values)
    for value in reversed(firsts):
        if isinstance(value, Truth) and isinstance(result, Truth):
            there = known(value)
            result = Truth(
                np.where(there, value.true, result.true), np.where(there, value.false, result.false)
            )
        elif is_text(value) != is_text(result):
            raise ExpressionError("coalesce needs values of one kind")
        elif is_text(value):
            result = np.where(known(value), _text(value), _text(result))
        else:
            result = np.where(known(value), number(value), number(result))
    return result


def _known(*values: Value) -> Value:
    there = known(values[0])
    for value in values[1:]:
        there = there & known(value)
    return Truth.of(np.asarray(there))


def _isnan(value: Value) -> Value:
    return Truth.of(np.asarray(~known(value)))


def _any_of(*values: Value) -> Value:
    truths = [condition(value) for value in values]
    return Truth(
        reduce(np.logical_or, [truth.true for truth in truths]),
        reduce(np.logical_and, [truth.false for truth in truths]),
    )


def _all_of(*values: Value) -> Value:
    truths = [condition(value) for value in values]
    return Truth(
        reduce(np.logical_and, [truth.true for truth in truths]),
        reduce(np.logical_or, [truth.false for truth in truths]),
    )


def _count(*values: Value) -> Value:
    return sum((condition(value).true.astype(np.float64) for value in values), np.zeros(()))


def _round(value: Value, digits: Value | None = None) -> Value:
    if digits is None:
        return np.asarray(np.round(number(value)))
    places = number(digits)
    if places.ndim or not 0 <= float(places) <= 12:
        raise ExpressionError("round takes 0 to 12 digits")
    return np.asarray(np.round(number(value), int(places)))


def _find(test: Callable[[str, tuple[str, ...]], bool]) -> Callable[..., Value]:
    def find(value: Value, *literals: Value) -> Value:
        value = np.asarray("") if absent(value) else value
        if isinstance(value, Truth) or not is_text(value):
            raise ExpressionError("a text was expected")
        wanted = tuple(str(literal) for literal in literals)
        texts = value.tolist() if value.ndim else [str(value)]
        found = np.array([test(text, wanted) for text in texts], dtype=np.bool_)
        found = found if value.ndim else found[0]
        there = known(value)
        return Truth(there & found, there & ~found)

    return find


def _elementwise(function: Callable[[Any], Any]) -> Callable[..., Value]:
    def apply(value: Value) -> Value:
        result = np.asarray(function(number(value)))
        return np.where(np.isfinite(result), result, np.nan)

    return apply


SIMPLE: dict[str, Callable[..., Value]] = {
    "abs": _elementwise(np.abs),
    "sqrt": _elementwise(np.sqrt),
    "log2": _elementwise(np.log2),
    "floor": _elementwise(np.floor),
    "ceil": _elementwise(np.ceil),
    "round": _round,
    "clip": _clip,
    "min": _minimum,
    "max": _maximum,
    "ratio": _ratio,
    "coalesce": _coalesce,
    "known": _known,
    "isnan": _isnan,
    "where": where,
    "any_of": _any_of,
    "all_of": _all_of,
    "count": _count,
    "contains": _find(lambda text, wanted: any(item in text for item in wanted)),
    "startswith": _find(lambda text, wanted: text.startswith(wanted)),
}
