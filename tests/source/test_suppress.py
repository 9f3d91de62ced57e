"""Suppression comments."""

from __future__ import annotations

import pytest

from gpuadvisor.source.suppress import parse_suppressions, suppression_comment


def test_comment_after_code_silences_its_line() -> None:
    found = parse_suppressions(
        "int a;\nx = y;  // gpuadvisor: ignore[local-array] measured, fine\n"
    )
    item = found.items[0]
    assert (item.target, item.line, item.column) == (2, 2, 9)
    assert item.rules == {"local-array"}
    assert item.reason == "measured, fine"
    assert found.find(2, "local-array", "GA302") is item
    assert found.find(1, "local-array") is None
    assert found.find(2, "warp-divergence") is None


def test_comment_alone_silences_the_next_code_line() -> None:
    text = "// gpuadvisor: ignore[GA101, GA102]\n\n// why: tiny\n#pragma unroll\nx[i] = 1;\n"
    found = parse_suppressions(text)
    assert found.items[0].target == 5
    assert found.find(5, "uncoalesced-global-access", "ga101") is not None


def test_names_ignore_case() -> None:
    assert parse_suppressions("x; // gpuadvisor: ignore[Local-Array]").find(1, "local-array")


def test_without_names_everything_is_silenced() -> None:
    assert parse_suppressions("x; // gpuadvisor: ignore").find(1, "anything")


def test_whole_file() -> None:
    found = parse_suppressions("int a;\n/* gpuadvisor: ignore-file[GA603] hashing */ int b;\n")
    assert found.find(77, "integer-division", "GA603") is not None
    assert found.find(77, "GA604") is None
    assert found.items[0].reason == "hashing"


def test_statement_over_lines() -> None:
    found = parse_suppressions("x = a +\n    b; // gpuadvisor: ignore[GA101]\n")
    assert found.find(1, "GA101", end_line=2)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("x; // gpuadvisor: ignroe[GA101]", "unknown directive"),
        ("x; // gpuadvisor: ignore[]", "no rule named"),
        ("x; // gpuadvisor: ignore[GA101", "not closed"),
    ],
)
def test_mistakes_silence_nothing_and_are_told(text: str, error: str) -> None:
    found = parse_suppressions(text)
    assert error in found.items[0].error
    assert found.find(1, "GA101") is None


@pytest.mark.parametrize(
    "text",
    [
        'f("// gpuadvisor: ignore[GA101]");',
        'f("a\\"b // gpuadvisor: ignore[GA101]");',
        "# gpuadvisor: ignore[GA101]",
        "gpuadvisor: ignore[GA101]",
    ],
)
def test_no_comments(text: str) -> None:
    assert parse_suppressions(text).items == ()


def test_quote_in_a_character() -> None:
    assert parse_suppressions("c = '\"'; // gpuadvisor: ignore[GA101]").find(1, "GA101")


def test_python() -> None:
    text = "# gpuadvisor: ignore[GA101] small\nx = tl.load(p)\ny = '//'  # gpuadvisor: ignore\n"
    found = parse_suppressions(text, python=True)
    assert [item.target for item in found.items] == [2, 3]
    assert parse_suppressions("x = 1 // 2 // gpuadvisor: ignore", python=True).items == ()


def test_windows_line_ends() -> None:
    found = parse_suppressions("int a;\r\nx; // gpuadvisor: ignore[GA101] why\r\n")
    assert found.items[0].target == 2
    assert found.items[0].reason == "why"


def test_comment_to_insert() -> None:
    data = b"void f() {\n\tx[i] = 1;\n}\n"
    line, text = suppression_comment(data, 2, "local-array")
    assert (line, text) == (2, "\t// gpuadvisor: ignore[local-array]\n")
    lines = data.decode().splitlines(keepends=True)
    lines.insert(line - 1, text)
    assert parse_suppressions("".join(lines)).find(3, "local-array")
