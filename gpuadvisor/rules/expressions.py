"""The expression language of rules: its grammar, and what of a text is refused.

A text is parsed by Python's own parser and every node is held against a list; what is not on it
(attributes, subscripts, lambdas, comprehensions, f-strings, calls of anything but the functions
below) is refused, so that a rule from a stranger cannot run code, nor ask for huge work: length,
nesting, numbers and exponents are limited.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import lru_cache

MAX_LENGTH = 1000
MAX_DEPTH = 30
MAX_NUMBER = 1e18
MAX_EXPONENT = 8
MAX_TEXT = 200

# name: (fewest, most) arguments; None is "any number"
FUNCTIONS: dict[str, tuple[int, int | None]] = {
    "abs": (1, 1),
    "sqrt": (1, 1),
    "log2": (1, 1),
    "floor": (1, 1),
    "ceil": (1, 1),
    "round": (1, 2),
    "clip": (3, 3),
    "min": (2, None),
    "max": (2, None),
    "ratio": (2, 3),
    "coalesce": (1, None),
    "known": (1, None),
    "isnan": (1, 1),
    "where": (3, 3),
    "any_of": (1, None),
    "all_of": (1, None),
    "count": (1, None),
    "contains": (2, None),
    "startswith": (2, None),
    "total": (1, 1),
    "share": (1, 1),
    "highest": (1, 1),
    "lines_sum": (1, 1),
    "lines_max": (1, 1),
    "lines_any": (1, 1),
}
GROUP_FUNCTIONS = frozenset({"total", "share", "highest"})
LINE_FUNCTIONS = frozenset({"lines_sum", "lines_max", "lines_any"})
TEXT_FUNCTIONS = frozenset({"contains", "startswith"})

_STRING = re.compile(r"'[^']*'|\"[^\"]*\"")
_NUMBER = re.compile(r"(?<![\w.])[0-9][\w.]*")
_PLAIN_NUMBER = re.compile(r"[0-9]+(\.[0-9]*)?([eE][0-9]*)?\Z")

_BINARY = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_UNARY = (ast.USub, ast.UAdd, ast.Not)
_COMPARE = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq, ast.In, ast.NotIn)
_REFUSED = {
    ast.Attribute: "attribute access",
    ast.Subscript: "a subscript",
    ast.Lambda: "a lambda",
    ast.JoinedStr: "an f-string",
    ast.ListComp: "a comprehension",
    ast.SetComp: "a comprehension",
    ast.DictComp: "a comprehension",
    ast.GeneratorExp: "a comprehension",
    ast.Starred: "a starred argument",
    ast.NamedExpr: "an assignment",
    ast.Dict: "a dictionary",
    ast.Set: "a set",
    ast.Await: "await",
    ast.Yield: "yield",
}


class ExpressionError(Exception):
    """Why a text is no expression, or why its values do not fit together."""


@dataclass(frozen=True)
class Expression:
    """A checked expression. `names` are the names it reads, in order of appearance,
    `functions` those it calls."""

    text: str
    body: ast.expr
    names: tuple[str, ...]
    functions: frozenset[str]


@lru_cache(maxsize=4096)
def parse_expression(text: str) -> Expression:
    """Parses and checks; ExpressionError says what is not allowed."""
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"longer than {MAX_LENGTH} characters")
    source = " ".join(text.split())
    if not source:
        raise ExpressionError("an expression is missing")
    if not source.isprintable():
        raise ExpressionError("a character that cannot be printed")
    bare = _STRING.sub("''", source)
    for sign in ("#", "\\", ";"):
        if sign in bare or (sign == "\\" and sign in source):
            raise ExpressionError(f"{sign!r} has no meaning in an expression")
    for number in _NUMBER.findall(bare):
        if not _PLAIN_NUMBER.match(number):
            raise ExpressionError(f"{number!r} is not a number")
    try:
        body = ast.parse(source, mode="eval").body
    except SyntaxError as error:
        place = f" at character {error.offset}" if error.offset else ""
        raise ExpressionError(f"not an expression: {error.msg}{place}") from None
    except (ValueError, MemoryError, RecursionError):
        raise ExpressionError("not an expression: nested too deeply") from None
    checker = _Checker()
    checker.check(body, 0)
    return Expression(text, body, tuple(dict.fromkeys(checker.names)), frozenset(checker.functions))


def conjuncts(body: ast.expr) -> list[ast.expr]:
    """The conditions that a top-level `and` joins; the expression itself where there is none."""
    if isinstance(body, ast.BoolOp) and isinstance(body.op, ast.And):
        return [part for value in body.values for part in conjuncts(value)]
    return [body]


class _Checker:
    def __init__(self) -> None:
        self.names: list[str] = []
        self.functions: set[str] = set()
        self.in_lines = False

    def check(self, node: ast.expr, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise ExpressionError(f"nested deeper than {MAX_DEPTH}")
        if isinstance(node, ast.Name):
            self._name(node)
        elif isinstance(node, ast.Constant):
            self._constant(node)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, _BINARY):
            if isinstance(node.op, ast.Pow):
                _check_exponent(node.right)
            self.check(node.left, depth + 1)
            self.check(node.right, depth + 1)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, _UNARY):
            self.check(node.operand, depth + 1)
        elif isinstance(node, ast.BoolOp):
            for value in node.values:
                self.check(value, depth + 1)
        elif isinstance(node, ast.IfExp):
            for value in (node.test, node.body, node.orelse):
                self.check(value, depth + 1)
        elif isinstance(node, ast.Compare):
            self._compare(node, depth)
        elif isinstance(node, ast.Call):
            self._call(node, depth)
        else:
            what = _REFUSED.get(type(node), f"{type(node).__name__}")
            raise ExpressionError(f"{what} is not allowed in an expression")

    def _name(self, node: ast.Name) -> None:
        if node.id in FUNCTIONS:
            raise ExpressionError(f"{node.id!r} is a function: write {node.id}(...)")
        if node.id.startswith("_"):
            raise ExpressionError(f"{node.id!r}: names do not start with an underscore")
        self.names.append(node.id)

    def _constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, str):
            if len(value) > MAX_TEXT:
                raise ExpressionError(f"a text longer than {MAX_TEXT} characters")
        elif isinstance(value, bool):
            return
        elif not isinstance(value, (int, float)):
            raise ExpressionError(f"{value!r} is not allowed in an expression")
        elif abs(value) > MAX_NUMBER:
            raise ExpressionError(f"a number over {MAX_NUMBER:g}")

    def _compare(self, node: ast.Compare, depth: int) -> None:
        self.check(node.left, depth + 1)
        for operator, right in zip(node.ops, node.comparators, strict=True):
            if not isinstance(operator, _COMPARE):
                raise ExpressionError("only < <= > >= == != in, not in compare")
            if not isinstance(operator, (ast.In, ast.NotIn)):
                self.check(right, depth + 1)
                continue
            if not isinstance(right, (ast.Tuple, ast.List)) or not right.elts:
                raise ExpressionError("`in` needs a list of literals: x in ('a', 'b')")
            if len({isinstance(literal_value(item), str) for item in right.elts}) > 1:
                raise ExpressionError("`in` needs literals of one kind")
            for item in right.elts:
                self.check(item, depth + 1)

    def _call(self, node: ast.Call, depth: int) -> None:
        if not isinstance(node.func, ast.Name):
            raise ExpressionError("only functions of the list can be called")
        name = node.func.id
        if name not in FUNCTIONS:
            raise ExpressionError(
                f"there is no function {name!r}; there are {', '.join(FUNCTIONS)}"
            )
        if node.keywords:
            raise ExpressionError(f"{name} takes no named arguments")
        fewest, most = FUNCTIONS[name]
        if len(node.args) < fewest or (most is not None and len(node.args) > most):
            wanted = str(fewest) if most == fewest else f"{fewest} to {most or 'any number'}"
            raise ExpressionError(f"{name} takes {wanted} arguments, not {len(node.args)}")
        if name in TEXT_FUNCTIONS and not all(
            isinstance(item, ast.Constant) and isinstance(item.value, str) for item in node.args[1:]
        ):
            raise ExpressionError(f"{name} looks for literal texts")
        if name in LINE_FUNCTIONS:
            if self.in_lines:
                raise ExpressionError(f"{name} cannot stand inside another of its kind")
            self.in_lines = True
        self.functions.add(name)
        for argument in node.args:
            self.check(argument, depth + 1)
        if name in LINE_FUNCTIONS:
            self.in_lines = False


def literal_value(node: ast.expr) -> float | str:
    """The value of a literal, also a negative number; ExpressionError for anything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = literal_value(node.operand)
        if not isinstance(value, str):
            return -value
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float, str)):
        return node.value if isinstance(node.value, str) else float(node.value)
    raise ExpressionError("a literal was expected")


def _check_exponent(node: ast.expr) -> None:
    try:
        value = literal_value(node)
    except ExpressionError:
        raise ExpressionError("an exponent must be a literal number") from None
    if isinstance(value, str) or abs(value) > MAX_EXPONENT:
        raise ExpressionError(f"an exponent must be a number of at most {MAX_EXPONENT}")
