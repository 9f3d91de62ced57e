"""Triton sources."""

from __future__ import annotations

import pytest

from gpuadvisor.source.model import Span
from gpuadvisor.source.opening import parse_source
from gpuadvisor.source.python_source import PythonSource

TEXT = """\
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, n, stride, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs * stride,
                mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    tl.store(y_ptr + 2 * offs, x + y, mask=mask)
    tl.atomic_add(y_ptr, 1)
    z = tl.load(x_ptr + offs[:, None] * stride + offs[None, :])
    w = tl.load(x_ptr + tl.load(y_ptr + offs))


def launch(x,
           y):
    add[(1,)](x, y)  # gpuadvisor: ignore[GA701]
"""


def test_functions_and_statements() -> None:
    source = PythonSource.parse(TEXT)
    assert [(one.name, one.line, one.end_line, one.jit) for one in source.functions] == [
        ("add", 6, 16, True),
        ("launch", 19, 21, False),
    ]
    assert source.statement_at(11) == (10, 11)
    assert source.statement_at(19) == (19, 20)
    assert source.statement_at(3) == (3, 3)
    function = source.function_at(12)
    assert function is not None
    assert function.name == "add"
    assert source.is_closing_brace(11) is False


@pytest.mark.parametrize(
    ("line", "load", "store"),
    [(10, "stride", ""), (11, "stride", ""), (12, "1", ""), (13, "", "2"), (15, "", "")],
)
def test_strides(line: int, load: str, store: str) -> None:
    facts = PythonSource.parse(TEXT).facts.at(line)
    assert (facts.load_stride_text, facts.store_stride_text) == (load, store)
    assert facts.function == "add"


def test_numbers_are_numbers() -> None:
    source = PythonSource.parse(TEXT)
    assert source.facts.at(13).store_stride == 2
    assert source.facts.at(10).load_stride is None
    assert source.facts.at(14).atomic == "atomic_add"


def test_spans() -> None:
    source = PythonSource.parse(TEXT)
    assert source.expression_span(10, "global-load") == Span(10, 9, 11, 27)
    assert source.expression_span(11, "global-load") == Span(10, 9, 11, 27)
    assert source.expression_span(13, "global-store") == Span(13, 5, 13, 49)
    assert source.expression_span(7, "global-store") == Span(7, 5, 7, 27)


def test_suppressions() -> None:
    assert PythonSource.parse(TEXT).suppressions.find(21, "GA701")


def test_broken_python_is_read_by_line() -> None:
    source = PythonSource.parse(TEXT + "\n def broken(:\n")
    assert source.problems
    assert source.functions[0].name == "add"
    assert source.functions[0].jit
    assert source.functions[0].end_line == 16
    assert source.expression_span(12, "global-load").column == 9
    assert source.statement_at(11) == (11, 11)
    assert [one.kind for one in source.accesses].count("load") == 5


@pytest.mark.parametrize("text", ["", "\0", "def", "é = '\U0001f600'\n", "(" * 3000, "x" * 100_000])
def test_odd_texts(text: str) -> None:
    source = PythonSource.parse(text)
    for line in range(3):
        source.statement_at(line)
        source.facts.at(line)
        source.expression_span(line, "global-load")
    assert isinstance(source.functions, tuple)


def test_kind_is_chosen_by_the_name() -> None:
    assert isinstance(parse_source("a/kernel.PY", "x = 1"), PythonSource)
    assert not isinstance(parse_source("a/kernel.cuh", "int x;"), PythonSource)


def test_columns_count_code_points() -> None:
    text = "import triton.language as tl\ndef k(p):\n    é = tl.load(p)\n"
    assert PythonSource.parse(text).expression_span(3, "global-load") == Span(3, 9, 3, 19)
