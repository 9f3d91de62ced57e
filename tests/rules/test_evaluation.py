"""What expressions mean, by example and against a plain reading of them row by row."""

from __future__ import annotations

import ast
import math
import operator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuadvisor.evidence import Table
from gpuadvisor.rules.columns import Truth, View
from gpuadvisor.rules.evaluation import Scope
from gpuadvisor.rules.expressions import ExpressionError, parse_expression

NAN = math.nan


def scope_of(columns: dict[str, Any], thresholds: dict[str, float] | None = None) -> Scope:
    table = Table({name: np.array(values) for name, values in columns.items()})
    return Scope(View(table), {}, thresholds or {})


def values(text: str, columns: dict[str, Any]) -> list[Any]:
    """One value a row; None is unknown."""
    result = scope_of(columns).value(parse_expression(text))
    if isinstance(result, Truth):
        pairs = zip(result.true.tolist(), result.false.tolist(), strict=True)
        return [True if true else False if false else None for true, false in pairs]
    return [None if item != item or item == "" else item for item in result.tolist()]


COLUMNS = {
    "a": [1.0, 2.0, NAN],
    "b": [4.0, 0.0, 1.0],
    "flag": [True, False, True],
    "text": ["load", "", "store"],
}

EXAMPLES = [
    ("a + b * 2", [9, 2, None]),
    ("a - b", [-3, 2, None]),
    ("-a", [-1, -2, None]),
    ("b / a", [4, 0, None]),
    ("a / b", [0.25, None, None]),
    ("b // 3", [1, 0, 0]),
    ("b % 3", [1, 0, 1]),
    ("a % b", [1, None, None]),
    ("b ** 2", [16, 0, 1]),
    ("b ** -1", [0.25, None, 1]),
    ("a > 1", [False, True, None]),
    ("1 <= a < 2", [True, False, None]),
    ("a == 1", [True, False, None]),
    ("a != 1", [False, True, None]),
    ("not a > 1", [True, False, None]),
    ("a > 1 and b > 2", [False, False, False]),
    ("a > 1 or b > 0", [True, True, True]),
    ("a > 9 or b > 9", [False, False, None]),
    ("flag", [True, False, True]),
    ("flag + 1", [2, 1, 2]),
    ("not flag", [False, True, False]),
    ("flag and a > 0", [True, False, None]),
    ("b and a", [True, False, None]),
    ("True", [True, True, True]),
    ("text == 'load'", [True, None, False]),
    ("text != 'load'", [False, None, True]),
    ("text in ('load', 'store')", [True, None, True]),
    ("text not in ('load', 'x')", [False, None, True]),
    ("a in (1, 3)", [True, False, None]),
    ("a in (-1, 2)", [False, True, None]),
    ("'yes' if text else 'no'", ["yes", "no", "yes"]),
    ("text and a", [True, False, None]),
    ("1 if a > 1 else 2", [2, 1, None]),
    ("'x' if a > 1 else 'y'", ["y", "x", None]),
    ("(a > 1) if flag else (b > 1)", [False, False, None]),
    ("min(a, b)", [1, 0, None]),
    ("max(a, b, 3)", [4, 3, None]),
    ("abs(a - b)", [3, 2, None]),
    ("sqrt(b)", [2, 0, 1]),
    ("sqrt(-b)", [None, 0, None]),
    ("log2(b)", [2, None, 0]),
    ("floor(b / 3)", [1, 0, 0]),
    ("ceil(b / 3)", [2, 0, 1]),
    ("round(b / 3)", [1, 0, 0]),
    ("round(b / 3, 2)", [1.33, 0, 0.33]),
    ("clip(b, 1, 2)", [2, 1, 1]),
    ("ratio(a, b)", [0.25, None, None]),
    ("ratio(a, b, 7)", [0.25, 7, 7]),
    ("coalesce(a, 0)", [1, 2, 0]),
    ("coalesce(a, nowhere, 5)", [1, 2, 5]),
    ("coalesce(text, 'none')", ["load", "none", "store"]),
    ("coalesce(a > 1, flag)", [False, True, True]),
    ("known(a)", [True, True, False]),
    ("known(a, text)", [True, False, False]),
    ("known(nowhere)", [False, False, False]),
    ("isnan(a)", [False, False, True]),
    ("where(a > 1, 10, 20)", [20, 10, None]),
    ("any_of(a > 1, b > 2, flag)", [True, True, True]),
    ("all_of(a > 0, b > 2)", [True, False, False]),
    ("count(a > 0, b > 0, flag)", [3, 1, 2]),
    ("contains(text, 'oa', 'zz')", [True, None, False]),
    ("startswith(text, 'st')", [False, None, True]),
    ("nowhere > 1", [None, None, None]),
    ("not nowhere > 1", [None, None, None]),
    ("nowhere == 'x'", [None, None, None]),
    ("'x' != nowhere", [None, None, None]),
    ("nowhere in ('x', 'y')", [None, None, None]),
    ("contains(nowhere, 'x')", [None, None, None]),
    ("coalesce(nowhere, 'none')", ["none", "none", "none"]),
    ("coalesce(nowhere, text, 'none')", ["load", "none", "store"]),
    ("text if flag else nowhere", ["load", None, "store"]),
    ("1 if flag else nowhere", [1, None, 1]),
    ("total(a)", [3, 3, 3]),
    ("share(a)", [1 / 3, 2 / 3, None]),
    ("highest(b)", [4, 4, 4]),
    ("total(nowhere)", [None, None, None]),
]


@pytest.mark.parametrize(("text", "wanted"), EXAMPLES, ids=[text for text, _ in EXAMPLES])
def test_meaning(text: str, wanted: list[Any]) -> None:
    assert values(text, COLUMNS) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "text + 1",
        "-text",
        "text > 'a'",
        "text == 1",
        "a == 'x'",
        "a in ('x', 'y')",
        "text in (1, 2)",
        "1 if flag else 'x'",
        "coalesce(text, 1)",
        "contains(a, 'x')",
        "round(a, 13)",
    ],
)
def test_values_that_do_not_fit(text: str) -> None:
    with pytest.raises(ExpressionError):
        values(text, COLUMNS)


def test_infinite_columns_are_unknown() -> None:
    assert values("a > 1", {"a": [math.inf, 2.0]}) == [None, True]


def test_thresholds_and_lets_are_names() -> None:
    lets = {"double": parse_expression("a * 2"), "more": parse_expression("double + limit")}
    scope = Scope(View(Table({"a": np.array([1.0, 2.0])})), lets, {"limit": 10.0})
    assert scope.numbers(parse_expression("more")).tolist() == [12, 14]


def test_groups_are_whole_kernels_also_after_narrowing() -> None:
    kernels = View(Table({"kernel": np.array(["k0", "k1"])}))
    lines = View(
        Table({"kernel": np.array(["k1", "k1", "k0"]), "samples": np.array([30.0, 10.0, 7.0])}),
        kernels,
    )
    scope = Scope(lines, {"part": parse_expression("share(samples)")}, {})
    narrowed = scope.narrow(parse_expression("samples > 8"))
    assert narrowed.row_numbers.tolist() == [0, 1]
    assert narrowed.numbers(parse_expression("part")).tolist() == [0.75, 0.25]
    assert narrowed.numbers(parse_expression("total(samples)")).tolist() == [40, 40]


def test_columns_of_the_kernel_are_seen_from_its_lines() -> None:
    kernels = View(
        Table(
            {
                "kernel": np.array(["k0", "k1"]),
                "name": np.array(["one", "two"]),
                "samples": np.array([1.0, 2.0]),
                "short": np.array([True, False]),
            }
        )
    )
    lines = View(
        Table({"kernel": np.array(["k1", "gone", "k0"]), "samples": np.array([5.0, 6.0, 7.0])}),
        kernels,
    )
    scope = Scope(lines, {}, {})
    assert scope.numbers(parse_expression("samples")).tolist() == [5, 6, 7]
    seen = scope.numbers(parse_expression("kernel_samples")).tolist()
    assert seen[0] == 2
    assert math.isnan(seen[1])
    assert seen[2] == 1
    named = scope.value(parse_expression("name"))
    assert not isinstance(named, Truth)
    assert named.tolist() == ["two", "", "one"]
    assert scope.truth(parse_expression("not kernel_short")).tolist() == [True, False, False]


def test_lines_are_reduced_to_kernels() -> None:
    kernels = View(Table({"kernel": np.array(["k0", "k1", "k2"]), "limit": np.array([1.0, 9, 0])}))
    kernels.lines = View(
        Table({"kernel": np.array(["k1", "k0", "k1"]), "x": np.array([3.0, 4.0, NAN])}), kernels
    )
    scope = Scope(kernels, {}, {})
    assert scope.numbers(parse_expression("lines_sum(x)")).tolist()[:2] == [4, 3]
    assert math.isnan(scope.numbers(parse_expression("lines_sum(x)")).tolist()[2])
    assert scope.numbers(parse_expression("lines_max(x * 2)")).tolist()[:2] == [8, 6]
    assert scope.truth(parse_expression("lines_any(x > limit)")).tolist() == [True, False, False]
    assert scope.truth(parse_expression("not lines_any(x > limit)")).tolist() == [
        False,
        True,
        False,
    ]


def _expressions() -> st.SearchStrategy[str]:
    leaves = st.sampled_from(["a", "b", "0", "1", "2.5", "nowhere"])
    numbers = st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds("({} {} {})".format, inner, st.sampled_from("+-*/"), inner),
            st.builds("min({}, {})".format, inner, inner),
            st.builds("coalesce({}, {})".format, inner, inner),
        ),
        max_leaves=4,
    )
    signs = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
    compared = st.builds("{} {} {}".format, numbers, signs, numbers)
    return st.recursive(
        compared | numbers.map("known({})".format),
        lambda inner: st.one_of(
            st.builds("({} and {})".format, inner, inner),
            st.builds("({} or {})".format, inner, inner),
            inner.map("(not {})".format),
            st.builds("({} if {} else {})".format, inner, inner, inner),
        ),
        max_leaves=6,
    )


SIGNS = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


def reading(node: ast.expr, row: dict[str, float | None]) -> Any:
    """A plain reading of one row: None is unknown."""
    match node:
        case ast.Name():
            return row.get(node.id)
        case ast.Constant():
            return node.value
        case ast.BinOp():
            left, right = reading(node.left, row), reading(node.right, row)
            if left is None or right is None:
                return None
            match node.op:
                case ast.Add():
                    return left + right
                case ast.Sub():
                    return left - right
                case ast.Mult():
                    return left * right
            return left / right if right else None
        case ast.Compare():
            left, right = reading(node.left, row), reading(node.comparators[0], row)
            return None if left is None or right is None else SIGNS[type(node.ops[0])](left, right)
        case ast.UnaryOp():
            inner = reading(node.operand, row)
            return None if inner is None else not inner
        case ast.BoolOp():
            parts = [reading(value, row) for value in node.values]
            decisive = isinstance(node.op, ast.Or)
            if decisive in parts:
                return decisive
            return None if None in parts else not decisive
        case ast.IfExp():
            test = reading(node.test, row)
            chosen = {True: node.body, False: node.orelse}
            return None if test is None else reading(chosen[test], row)
        case ast.Call(func=ast.Name(id=name)):
            found = [reading(argument, row) for argument in node.args]
            if name == "known":
                return found[0] is not None
            if name == "coalesce":
                return found[0] if found[0] is not None else found[1]
            return None if None in found else min(found)
    raise AssertionError(ast.dump(node))


@settings(max_examples=300, deadline=None)
@given(_expressions())
def test_whole_columns_agree_with_reading_row_by_row(text: str) -> None:
    numbers: list[float | None] = [None, 0.0, 1.0, 2.5, -1.0]
    rows: list[dict[str, float | None]] = [{"a": a, "b": b} for a in numbers for b in numbers]
    columns = {
        name: [NAN if row[name] is None else row[name] for row in rows] for name in ("a", "b")
    }
    body = ast.parse(text, mode="eval").body
    wanted = [reading(body, row) for row in rows]
    assert values(text, columns) == wanted
    narrowed = scope_of(columns).narrow(parse_expression(text)).row_numbers.tolist()
    assert narrowed == [index for index, value in enumerate(wanted) if value is True]
