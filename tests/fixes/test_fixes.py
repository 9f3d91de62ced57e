"""Edits that apply, and those that rightly do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuadvisor.evidence.findings import Location
from gpuadvisor.fixes import FIXES, apply_edits, edits_for

KERNEL = """\
constexpr int kTile = 32;
__global__ void k(float* out, int n) {
    %s
    out[n] = tile[threadIdx.x][threadIdx.y];
}
"""


def fixed(fix: str, text: str, line: int, column: int | None = None) -> str:
    location = Location("a.cu", line, line, column)
    return apply_edits(text, edits_for(fix, text, location))


@pytest.mark.parametrize(
    ("declared", "padded"),
    [
        ("__shared__ float tile[32][32];", "__shared__ float tile[32][32 + 1];"),
        ("__shared__ float tile[kTile][kTile];", "__shared__ float tile[kTile][kTile + 1];"),
        ("__shared__ float a[8], tile[4][8 * 4];", "__shared__ float a[8], tile[4][8 * 4 + 1];"),
        ("__shared__ double tile[2][n ? 1 : 2];", "__shared__ double tile[2][(n ? 1 : 2) + 1];"),
        ("__shared__ double tile[2][4][8];", "__shared__ double tile[2][4][8 + 1];"),
        ("alignas(16) __shared__ float tile[4][1 << 5];",
         "alignas(16) __shared__ float tile[4][(1 << 5) + 1];"),
    ],
)  # fmt: skip
def test_a_shared_array_is_padded(declared: str, padded: str) -> None:
    assert fixed("pad-shared-array", KERNEL % declared, 4) == KERNEL % padded


@pytest.mark.parametrize(
    "declared",
    [
        "__shared__ float tile[32][32 + 1];",  # padded already
        "__shared__ float tile[32][kTile+1];",
        "float tile[32][32];",  # not shared
        "__shared__ float tile[1024];",  # one dimension
        "extern __shared__ float tile[];",
        "__shared__ float other[32][32];",  # not the array accessed
    ],
)
def test_an_array_is_left_alone(declared: str) -> None:
    assert edits_for("pad-shared-array", KERNEL % declared, Location("a.cu", 4, 4)) == []


def test_two_arrays_on_one_line_need_a_column() -> None:
    text = (
        "__global__ void k(float* out) {\n"
        "    __shared__ float a[32][32], b[32][32];\n"
        "    a[threadIdx.x][0] = b[0][threadIdx.x];\n"
        "}\n"
    )
    assert edits_for("pad-shared-array", text, Location("a.cu", 3, 3)) == []
    assert "b[32][32 + 1]" in fixed("pad-shared-array", text, 3, 25)


def test_the_array_of_another_function_is_not_meant() -> None:
    text = (
        "__global__ void one() { __shared__ float tile[32][32]; }\n"
        "__global__ void two(float (*tile)[32]) {\n"
        "    tile[threadIdx.x][0] = 1;\n"
        "}\n"
    )
    assert edits_for("pad-shared-array", text, Location("a.cu", 3, 3)) == []


def test_the_measured_sample_becomes_the_padded_one(shared: Path) -> None:
    text = (shared / "reports/h200/samples/transpose.cu").read_text()
    lines = fixed("pad-shared-array", text, 37).split("\n")
    assert lines[26] == lines[41]


def test_double_literals_get_a_suffix() -> None:
    text = "__global__ void k(float* x) {\n    x[0] = x[1] * 2.0 + 1e-3 + .5 + 1. + 0x1.8p3;\n}\n"
    expected = text.replace("2.0", "2.0f").replace("1e-3", "1e-3f").replace(".5", ".5f")
    expected = expected.replace("1. ", "1.f ").replace("0x1.8p3", "0x1.8p3f")
    assert fixed("float-literal", text, 2) == expected


@pytest.mark.parametrize("literal", ["2.0f", "2", "0x10", "2.0L", "1'000", "3u", "1e3F"])
def test_other_literals_stay(literal: str) -> None:
    text = f"__global__ void k(float* x) {{\n    x[0] = x[1] * {literal};\n}}\n"
    assert edits_for("float-literal", text, Location("a.cu", 2, 2)) == []


def test_literals_of_other_lines_stay() -> None:
    text = "__global__ void k(float* x) {\n    x[0] = 2.0;\n    x[1] = 3.0; // 4.0\n}\n"
    assert fixed("float-literal", text, 3) == text.replace("3.0;", "3.0f;")


def test_text_before_may_be_of_any_kind() -> None:
    text = "__global__ void k(float* x) {\r\n    /* \U0001f680é */ x[0] = 2.0;\r\n}\r\n"
    assert fixed("float-literal", text, 2) == text.replace("2.0", "2.0f")


@pytest.mark.parametrize(
    ("bounds", "raised"),
    [
        ("__launch_bounds__(1024, 2) ", "__launch_bounds__(1024) "),
        ("__launch_bounds__(N(1, 2), 4, 1) ", "__launch_bounds__(N(1, 2)) "),
        ("__launch_bounds__(256) ", "__launch_bounds__(256) "),
        ("", ""),
    ],
)
def test_launch_bounds(bounds: str, raised: str) -> None:
    text = "__global__ void %sk(float* x) {\n    x[0] = 1;\n}\n"
    assert fixed("raise-launch-bounds", text % bounds, 2) == text % raised


@pytest.mark.parametrize("fix", sorted(FIXES))
@pytest.mark.parametrize(
    "text", ["", "\n", "}{", "__global__", "x[", "\r", "\ufeff", "__shared__ float a[1][", "\x00"]
)
@pytest.mark.parametrize("line", [1, 99])
def test_no_text_is_too_odd(fix: str, text: str, line: int) -> None:
    assert edits_for(fix, text, Location("a.cu", line, line, 5, 9)) == []


def test_an_unknown_fix_does_nothing() -> None:
    assert edits_for("no-such-fix", "int x;", Location("a.cu", 1, 1)) == []


def test_every_edit_that_rules_offer_exists() -> None:
    from gpuadvisor.rules.load import load_rules

    offered = {
        fix.id
        for rule in load_rules().rules
        for fix in rule.fixes
        if fix.applicability != "display-only"
    }
    assert offered <= set(FIXES)
