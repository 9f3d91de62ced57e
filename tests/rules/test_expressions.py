"""The grammar of expressions: what is refused, and with which words."""

from __future__ import annotations

import pytest

from gpuadvisor.rules.expressions import ExpressionError, parse_expression

HOSTILE = [
    ("__import__('os').system('id')", "only functions of the list"),
    ("__import__('os')", "there is no function '__import__'"),
    ("__builtins__", "underscore"),
    ("_private", "underscore"),
    ("().__class__.__bases__[0].__subclasses__()", "only functions of the list"),
    ("a.b", "attribute access"),
    ("a.b.c", "attribute access"),
    ("a[0]", "a subscript"),
    ("min.__globals__", "attribute access"),
    ("lambda: 1", "a lambda"),
    ("(lambda x: x)(1)", "only functions of the list"),
    ("[x for x in a]", "a comprehension"),
    ("{x for x in a}", "a comprehension"),
    ("{x: 1 for x in a}", "a comprehension"),
    ("sum(x for x in a)", "there is no function 'sum'"),
    ("max(x for x in a)", "max takes"),
    ("max(*a, b)", "a starred argument"),
    ("f'{a}'", "an f-string"),
    ("b'a' == c", "is not allowed"),
    ("(a := 1)", "an assignment"),
    ("{'a': 1}", "a dictionary"),
    ("{1, 2}", "a set"),
    ("(1, 2)", "Tuple is not allowed"),
    ("None", "None is not allowed"),
    ("...", "Ellipsis is not allowed"),
    ("1j", "is not a number"),
    ("a; b", "has no meaning"),
    ("a # b", "has no meaning"),
    ("a = 1", "not an expression"),
    ("import os", "not an expression"),
    ("a if b", "not an expression"),
    ("", "missing"),
    ("   ", "missing"),
    ("'\\x41' == a", "has no meaning"),
    ("9 ** 9 ** 9", "exponent"),
    ("a ** b", "exponent"),
    ("a ** 9", "exponent"),
    ("a ** -9", "exponent"),
    ("a ** 'b'", "exponent"),
    ("10000000000000000000", "a number over"),
    ("1e999", "a number over"),
    ("0x1F", "is not a number"),
    ("1_000", "is not a number"),
    ("1if a else 2", "is not a number"),
    ("a" * 1001, "longer than"),
    ("a == '" + "b" * 201 + "'", "a text longer than"),
    ("(" * 300 + "a" + ")" * 300, "not an expression"),
    ("-" * 900 + "a", "nest"),
    ("not " * 200 + "a", "nest"),
    ("abs(" * 40 + "a" + ")" * 40, "nested deeper"),
    ("a\x00b", "cannot be printed"),
    ("a is b", "only < <="),
    ("a in b", "list of literals"),
    ("a in ()", "list of literals"),
    ("a in (b, 1)", "a literal was expected"),
    ("a in (1, 'b')", "of one kind"),
    ("a << 2", "BinOp is not allowed"),
    ("a & b", "BinOp is not allowed"),
    ("a @ b", "BinOp is not allowed"),
    ("~a", "UnaryOp is not allowed"),
    ("min(a)", "min takes 2 to any number arguments, not 1"),
    ("abs(a, b)", "abs takes 1 arguments, not 2"),
    ("round(a, digits=2)", "no named arguments"),
    ("contains(a, b)", "literal texts"),
    ("lines_sum(lines_max(a))", "cannot stand inside"),
    ("open('/etc/passwd')", "there is no function 'open'"),
    ("abs", "is a function"),
]


@pytest.mark.parametrize(("text", "reason"), HOSTILE, ids=[text[:40] for text, _ in HOSTILE])
def test_refused(text: str, reason: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse_expression(text)
    assert reason in str(caught.value)


def test_names_and_functions_are_told_in_order() -> None:
    item = parse_expression("max(b, a) > share(c) and a in (1, 2) or not known(b)")
    assert item.names == ("b", "a", "c")
    assert item.functions == {"max", "share", "known"}


def test_an_expression_may_span_lines() -> None:
    assert parse_expression("a > 1\n  and b < 2\n").names == ("a", "b")


def test_a_syntax_error_says_where() -> None:
    with pytest.raises(ExpressionError, match="at character 5"):
        parse_expression("a + )")
