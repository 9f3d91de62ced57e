"""Evaluates expressions over all rows of a view at once.

Unknown stays unknown: NaN through arithmetic, neither true nor false through comparisons, and
`and`/`or`/`not` by Kleene's three-valued logic, so that nothing fires on what was not measured.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gpuadvisor.rules.columns import (
    Bools,
    Floats,
    Integers,
    Truth,
    Value,
    View,
    absent,
    alike,
    grouped_max,
    grouped_sum,
    is_text,
    known,
    take,
)
from gpuadvisor.rules.expressions import (
    GROUP_FUNCTIONS,
    LINE_FUNCTIONS,
    Expression,
    ExpressionError,
    conjuncts,
    literal_value,
)
from gpuadvisor.rules.functions import SIMPLE, condition, number, where

_UNKNOWN = np.float64(np.nan)
_ARITHMETIC: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Pow: operator.pow,
}
_DIVISION: dict[type, Callable[[Any, Any], Any]] = {
    ast.Div: np.true_divide,
    ast.FloorDiv: np.floor_divide,
    ast.Mod: np.mod,
}
_ORDER: dict[type, tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]] = {
    ast.Lt: (operator.lt, operator.ge),
    ast.LtE: (operator.le, operator.gt),
    ast.Gt: (operator.gt, operator.le),
    ast.GtE: (operator.ge, operator.lt),
}


class Scope:
    """The names of one rule on the rows of a view, or on some of them after `narrow`."""

    def __init__(
        self, view: View, definitions: Mapping[str, Expression], thresholds: Mapping[str, float]
    ) -> None:
        self.view = view
        self.definitions = definitions
        self.thresholds = thresholds
        self.rows: Integers | None = None
        self._root = self
        self._lets: dict[str, Value] = {}
        self._lines: Scope | None = None

    def __len__(self) -> int:
        return self.view.length if self.rows is None else len(self.rows)

    @property
    def row_numbers(self) -> Integers:
        """The rows of the table that this scope is about."""
        return np.arange(self.view.length) if self.rows is None else self.rows

    def only(self, rows: Integers) -> Scope:
        """This scope on some rows, given by their number in the table."""
        scope = Scope(self.view, self.definitions, self.thresholds)
        scope.rows = rows
        scope._root = self._root
        return scope

    def narrow(self, condition_: Expression) -> Scope:
        """This scope where a condition is true. The parts of an `and` are evaluated in order,
        each only on the rows that are left."""
        scope = self
        for part in conjuncts(condition_.body):
            if not len(scope):
                break
            with np.errstate(all="ignore"):
                mask = scope._spread(condition(scope._eval(part)).true)
            if not mask.all():
                kept = np.flatnonzero(mask)
                scope = scope.only(kept if scope.rows is None else scope.rows[kept])
        return scope

    def value(self, expression: Expression) -> Value:
        """The value of an expression, with one entry a row."""
        with np.errstate(all="ignore"):
            value = self._eval(expression.body)
        if isinstance(value, Truth):
            return Truth(self._spread(value.true), self._spread(value.false))
        spread: Floats = self._spread(value)
        return spread

    def truth(self, expression: Expression) -> Bools:
        """Where a condition is true, one entry a row."""
        with np.errstate(all="ignore"):
            true: Bools = self._spread(condition(self._eval(expression.body)).true)
        return true

    def numbers(self, expression: Expression) -> Floats:
        """A number a row; NaN is unknown."""
        with np.errstate(all="ignore"):
            values: Floats = self._spread(number(self._eval(expression.body)))
        return values

    def _spread(self, array: Any) -> Any:
        return array if array.ndim else np.broadcast_to(array, (len(self),))

    def _eval(self, node: ast.expr) -> Value:
        if isinstance(node, ast.Name):
            return self._name(node.id)
        if isinstance(node, ast.Constant):
            return _constant(node.value)
        if isinstance(node, ast.BinOp):
            return _arithmetic(node.op, self._eval(node.left), self._eval(node.right))
        if isinstance(node, ast.UnaryOp):
            return self._unary(node)
        if isinstance(node, ast.BoolOp):
            return self._logic(node)
        if isinstance(node, ast.Compare):
            return self._compare(node)
        if isinstance(node, ast.IfExp):
            test, then, other = (self._eval(part) for part in (node.test, node.body, node.orelse))
            return where(test, then, other)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self._call(node.func.id, node.args)
        raise ExpressionError(f"{type(node).__name__} is not allowed in an expression")

    def _name(self, name: str) -> Value:
        if name in self.definitions:
            if name not in self._lets:
                done = self._root._lets.get(name)
                if done is None:
                    self._lets[name] = self._eval(self.definitions[name].body)
                else:
                    self._lets[name] = done if self.rows is None else take(done, self.rows)
            return self._lets[name]
        if name in self.thresholds:
            return np.asarray(self.thresholds[name], dtype=np.float64)
        column = self.view.column(name)
        if column is None:
            return np.asarray(_UNKNOWN)
        return column if self.rows is None else take(column, self.rows)

    def _unary(self, node: ast.UnaryOp) -> Value:
        value = self._eval(node.operand)
        if isinstance(node.op, ast.Not):
            truth = condition(value)
            return Truth(truth.false, truth.true)
        return -number(value) if isinstance(node.op, ast.USub) else number(value)

    def _logic(self, node: ast.BoolOp) -> Truth:
        truths = [condition(self._eval(value)) for value in node.values]
        result = truths[0]
        for truth in truths[1:]:
            if isinstance(node.op, ast.And):
                result = Truth(result.true & truth.true, result.false | truth.false)
            else:
                result = Truth(result.true | truth.true, result.false & truth.false)
        return result

    def _compare(self, node: ast.Compare) -> Truth:
        left = self._eval(node.left)
        result: Truth | None = None
        for sign, other in zip(node.ops, node.comparators, strict=True):
            if isinstance(sign, (ast.In, ast.NotIn)):
                truth, right = _membership(left, other), left
                if isinstance(sign, ast.NotIn):
                    truth = Truth(truth.false, truth.true)
            else:
                right = self._eval(other)
                truth = _comparison(sign, left, right)
            if result is not None:
                truth = Truth(result.true & truth.true, result.false | truth.false)
            result, left = truth, right
        assert result is not None
        return result

    def _call(self, name: str, arguments: list[ast.expr]) -> Value:
        if name in GROUP_FUNCTIONS:
            return self._grouped(name, arguments[0])
        if name in LINE_FUNCTIONS:
            return self._over_lines(name, arguments[0])
        return SIMPLE[name](*[self._eval(argument) for argument in arguments])

    def _grouped(self, name: str, argument: ast.expr) -> Value:
        if self.rows is not None:
            # a group is all rows of its kernel, not those that a condition has left
            return take(self._root._grouped(name, argument), self.rows)
        if name == "share":
            values = self._spread(number(self._eval(argument)))
            return divide(values, self._group("total", argument))
        return self._group(name, argument)

    def _group(self, name: str, argument: ast.expr) -> Floats:
        """`total` or `highest`, kept for other rules where it depends on nothing of this one."""
        own = self.definitions.keys() | self.thresholds.keys()
        names = {node.id for node in ast.walk(argument) if isinstance(node, ast.Name)}
        key = "" if names & own else f"{name} {ast.dump(argument)}"
        if key in self.view.grouped:
            return self.view.grouped[key]
        values = self._spread(number(self._eval(argument)))
        groups = self.view.group_max if name == "highest" else self.view.group_sum
        result = groups(values)
        if key:
            self.view.grouped[key] = result
        return result

    def _over_lines(self, name: str, argument: ast.expr) -> Value:
        lines = self.view.lines
        if lines is None:
            return np.asarray(_UNKNOWN)
        if self.rows is not None:
            return take(self._root._over_lines(name, argument), self.rows)
        if self._lines is None:
            self._lines = Scope(lines, self.definitions, self.thresholds)
        value = self._lines._eval(argument)
        values = self._lines._spread(number(value))
        codes, count = lines.groups
        if name == "lines_sum":
            sums, counts = grouped_sum(values, codes, count)
            result = np.where(counts > 0, sums, np.nan)[1:]
        else:
            result = grouped_max(values, codes, count)[1:]
        if name == "lines_any":
            return Truth(result > 0, result <= 0)
        return result


def divide(top: Floats, bottom: Floats) -> Floats:
    """top / bottom, NaN where bottom is zero."""
    return np.true_divide(top, np.where(bottom == 0, np.nan, bottom))


def _constant(value: Any) -> Value:
    if isinstance(value, bool):
        return Truth.of(np.asarray(value))
    return np.asarray(value if isinstance(value, str) else float(value))


def _arithmetic(sign: ast.operator, left: Value, right: Value) -> Value:
    a, b = number(left), number(right)
    kind = type(sign)
    if kind in _ARITHMETIC:
        result = _ARITHMETIC[kind](a, b)
    else:
        result = _DIVISION[kind](a, np.where(b == 0, np.nan, b))
    return np.where(np.isinf(result), np.nan, result) if kind is ast.Pow else np.asarray(result)


def _comparison(sign: ast.cmpop, left: Value, right: Value) -> Truth:
    left, right = alike((left, right))
    if is_text(left) != is_text(right):
        raise ExpressionError("a text is compared with something that is not text")
    if is_text(left):
        if not isinstance(sign, (ast.Eq, ast.NotEq)):
            raise ExpressionError("texts compare with == and != only")
        there = known(left) & known(right)
        equal = np.asarray(left == right, dtype=np.bool_)
    elif isinstance(sign, (ast.Eq, ast.NotEq)):
        a, b = number(left), number(right)
        there = known(a) & known(b)
        equal = np.asarray(a == b)
    else:
        holds, fails = _ORDER[type(sign)]
        a, b = number(left), number(right)
        return Truth(np.asarray(holds(a, b)), np.asarray(fails(a, b)))
    truth = Truth(there & equal, there & ~equal)
    return truth if isinstance(sign, ast.Eq) else Truth(truth.false, truth.true)


def _membership(left: Value, literals: ast.expr) -> Truth:
    assert isinstance(literals, (ast.Tuple, ast.List))
    wanted = [literal_value(item) for item in literals.elts]
    if isinstance(wanted[0], str) and absent(left):
        left = np.asarray("")
    if is_text(left) != isinstance(wanted[0], str):
        raise ExpressionError("a text is compared with something that is not text")
    value = left if is_text(left) else number(left)
    assert not isinstance(value, Truth)
    equal = np.zeros(value.shape, dtype=np.bool_)
    for item in wanted:
        equal = equal | np.asarray(value == item, dtype=np.bool_)
    there = known(value)
    return Truth(there & equal, there & ~equal)
