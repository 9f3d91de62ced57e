"""Numbers in source text: literals and constant expressions."""

from __future__ import annotations

import re
from collections.abc import Callable

from gpuadvisor.source.layout import CType
from gpuadvisor.source.syntax_nodes import Node

Number = int | float
_MAX = 1 << 64
"""What constants of a program stay below; macros that multiply each other may not grow on."""
_FLOAT = re.compile(r"^(?:\d[\d']*\.?[\d']*|\.\d[\d']*)(?:[eE][+-]?\d+)?[fFlLhH]?(?:16)?$")


def literal(text: str) -> tuple[Number | None, str]:
    """(value, type name) of a number literal; (None, "") when it is none."""
    if text in ("true", "false"):
        return int(text == "true"), "bool"
    if text.startswith("'"):
        return None, "char"
    if text[:1] in ("-", "+"):
        value, name = literal(text[1:].lstrip())
        return (-value if text[0] == "-" and value is not None else value), name
    plain = text.replace("'", "")
    body = plain.rstrip("uUlLzZ")
    suffix = plain[len(body) :].lower()
    try:
        if body[:2] in ("0x", "0X") and "p" not in body.lower():
            return int(body, 16), _integer(suffix, int(body, 16))
        if body[:2] in ("0b", "0B"):
            return int(body[2:], 2), _integer(suffix, 0)
        if body.isdigit():
            value = int(body, 8) if body[0] == "0" and len(body) > 1 else int(body)
            return value, _integer(suffix, value)
        if _FLOAT.match(plain):
            single = plain[-1] in "fF"
            return float(plain.rstrip("fFlL")), "float" if single else "double"
    except ValueError:
        pass
    return None, ""


def _integer(suffix: str, value: int) -> str:
    wide = "long long" if "ll" in suffix or "z" in suffix or value >= 1 << 32 else ""
    base = wide or ("long" if "l" in suffix else "int")
    if "u" in suffix:
        return "unsigned" if base == "int" else f"unsigned {base}"
    return base


def fold_number(
    node: Node | None,
    lookup: Callable[[str], Number | None],
    size: Callable[[CType], int | None],
) -> Number | None:
    """The value of a constant expression, None when it is not known."""
    if node is None:
        return None
    if node.kind == "num":
        return literal(node.text)[0]
    if node.kind == "name":
        return lookup(node.text.split("::")[-1])
    if node.kind == "sizeof" and isinstance(node.extra, CType):
        return size(node.extra)
    values = [fold_number(kid, lookup, size) for kid in node.kids]
    if any(value is None for value in values):
        return None
    numbers = [value for value in values if value is not None]
    if node.kind == "cast" or (node.kind in ("init", "expr") and len(numbers) == 1):
        integer = isinstance(node.extra, CType) and node.extra.name not in ("float", "double")
        return int(numbers[0]) if node.kind == "cast" and integer else numbers[0]
    if node.kind == "un":
        return _unary(node.text, numbers[0])
    if node.kind == "cond":
        return numbers[1] if numbers[0] else numbers[2]
    if node.kind == "bin" and len(numbers) == 2:
        return binary(node.text, numbers[0], numbers[1])
    return None


def _unary(operator: str, value: Number) -> Number | None:
    if operator == "-":
        return -value
    if operator == "+":
        return value
    if operator == "!":
        return int(not value)
    return ~value if operator == "~" and isinstance(value, int) else None


def binary(operator: str, left: Number, right: Number) -> Number | None:
    """left operator right as C computes it, None when it is undefined or too large."""
    if abs(left) > _MAX or abs(right) > _MAX:
        return None
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    if operator == "*":
        return left * right
    if operator in _COMPARE:
        return int(_COMPARE[operator](left, right))
    if operator == "/" and not (isinstance(left, int) and isinstance(right, int)):
        return left / right if right else None
    if isinstance(left, int) and isinstance(right, int):
        return _integer_binary(operator, left, right)
    return None


def _integer_binary(operator: str, left: int, right: int) -> int | None:
    if operator in ("/", "%"):
        if right == 0:
            return None
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if operator == "/" else left - quotient * right
    if operator in ("<<", ">>"):
        if not 0 <= right < 64 or abs(left) >> 64:
            return None
        return left << right if operator == "<<" else left >> right
    if operator == "&":
        return left & right
    if operator == "|":
        return left | right
    return left ^ right if operator == "^" else None


_COMPARE: dict[str, Callable[[Number, Number], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "&&": lambda a, b: bool(a and b),
    "||": lambda a, b: bool(a or b),
}
