"""Texts with `{expression:format}` fields, and how numbers are written in them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from gpuadvisor.rules.columns import Truth, is_text
from gpuadvisor.rules.evaluation import Scope
from gpuadvisor.rules.expressions import Expression, ExpressionError, parse_expression

UNKNOWN = "not measured"

_FORMAT = re.compile(r",?(\.[0-9])?[f%]\Z|[d,]\Z|si\Z|bytes\Z|duration\Z|x\Z")
_STEPS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_TIMES = ((1e9, "s"), (1e6, "ms"), (1e3, "us"))


@dataclass(frozen=True)
class Field:
    """One field of a template."""

    expression: Expression
    format: str


@dataclass(frozen=True)
class Template:
    """A text in pieces: strings and fields in order."""

    parts: tuple[str | Field, ...]

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """What the fields evaluate."""
        return tuple(part.expression for part in self.parts if isinstance(part, Field))

    def fill(self, scope: Scope) -> list[str]:
        """The text for each row of the scope."""
        columns = [
            [part] * len(scope) if isinstance(part, str) else _texts(part, scope)
            for part in self.parts
        ]
        return ["".join(pieces).strip() for pieces in zip(*columns, strict=True)]

    def outline(self, name: Callable[[Expression], str]) -> str:
        """The text with each field replaced by what `name` says of its expression."""
        return "".join(
            part if isinstance(part, str) else name(part.expression) for part in self.parts
        ).strip()


@lru_cache(maxsize=4096)
def parse_template(text: str) -> Template:
    """Splits a text at its fields; ExpressionError says what is wrong with one."""
    parts: list[str | Field] = []
    plain = ""
    at = 0
    while at < len(text):
        char = text[at]
        if char in "{}" and text[at + 1 : at + 2] == char:
            plain += char
            at += 2
        elif char == "}":
            raise ExpressionError("a single '}' in a text: write '}}' for a brace")
        elif char == "{":
            if plain:
                parts.append(plain)
                plain = ""
            end, colon = _field_end(text, at + 1)
            expression = parse_expression(text[at + 1 : colon])
            parts.append(Field(expression, _checked_format(text[colon + 1 : end])))
            at = end + 1
        else:
            plain += char
            at += 1
    if plain or not parts:
        parts.append(plain)
    return Template(tuple(parts))


def _field_end(text: str, start: int) -> tuple[int, int]:
    """Where the field that starts there ends, and where its format starts (or ends, without)."""
    quote = ""
    colon = -1
    for at in range(start, len(text)):
        char = text[at]
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == ":" and colon < 0:
            colon = at
        elif char == "}":
            return at, colon if colon >= 0 else at
        elif char == "{":
            break
    raise ExpressionError("a '{' in a text without its '}': write '{{' for a brace")


def _checked_format(text: str) -> str:
    form = text.strip()
    if form and not _FORMAT.match(form):
        raise ExpressionError(
            f"{form!r} is no number format; there are .0f to .9f, ',.1f', d, ',', %, .1%, "
            "si, bytes, duration, x"
        )
    return form


def _texts(field: Field, scope: Scope) -> list[str]:
    value = scope.value(field.expression)
    if isinstance(value, Truth):
        pairs = zip(value.true.tolist(), value.false.tolist(), strict=True)
        return ["yes" if true else "no" if false else UNKNOWN for true, false in pairs]
    if is_text(value):
        return [str(item) for item in value.tolist()]
    return [format_number(item, field.format) for item in value.tolist()]


def format_number(value: float, form: str = "") -> str:
    """A number in one of the formats of templates; three figures without one."""
    if not math.isfinite(value):
        return UNKNOWN
    if form == "si":
        return _scaled(value, _STEPS, "")
    if form == "bytes":
        return _scaled(value, _STEPS, "B")
    if form == "duration":
        return _scaled(value, _TIMES, "ns")
    if form == "x":
        return f"{figures(value)}x"
    if form in ("d", ","):
        return f"{round(value):,}"
    if form.endswith("%"):
        # with a space before the sign, as everywhere else
        return f"{value:{form if '.' in form else form[:-1] + '.0%'}}"[:-1] + " %"
    if form:
        return f"{value:{form}}"
    return figures(value)


def figures(value: float) -> str:
    """Three figures, whole numbers whole, with thousands separated."""
    if value == 0:
        return "0"
    if value == round(value) and abs(value) < 1e15:
        return f"{round(value):,}"
    digits = min(2 - math.floor(math.log10(abs(value))), 15)
    if digits <= 0:
        return f"{round(value):,}"
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")


def _scaled(value: float, steps: tuple[tuple[float, str], ...], unit: str) -> str:
    for scale, prefix in steps:
        if abs(value) >= scale * 0.9995:
            # a time step carries its unit already
            suffix = prefix if unit == "ns" else prefix + unit
            return f"{figures(value / scale)} {suffix}"
    return f"{figures(value)} {unit}".strip()
