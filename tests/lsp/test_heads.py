"""Kernels found in a text by their declaration."""

from __future__ import annotations

from gpuadvisor.lsp.heads import find_heads


def heads(text: str, *names: str, python: bool = False) -> dict[str, tuple[int, int, int]]:
    found = find_heads(text.split("\n"), names, python)
    return {name: (head.line, head.column, head.end_column) for name, head in found.items()}


def test_a_kernel_is_where_its_name_is() -> None:
    text = "template <int N>\n__global__ void\nscale(float* x) {\n}\n"
    assert heads(text, "scale", "other") == {"scale": (3, 0, 5)}


def test_attributes_between_do_not_matter() -> None:
    text = 'extern "C" __global__ void __launch_bounds__(256, 2) k(float* x) {}'
    assert heads(text, "k") == {"k": (1, 53, 54)}


def test_comments_strings_and_calls_are_no_declarations() -> None:
    text = (
        "// __global__ void k(int) {}\n"
        "/* __global__ void k(int) {} */\n"
        'const char* s = "__global__ void k(int) {}";\n'
        "void f() { k(1); }\n"
        "__global__ void k(int) {}\n"
    )
    assert heads(text, "k") == {"k": (5, 16, 17)}


def test_a_definition_comes_before_a_declaration() -> None:
    text = "__global__ void k(int);\n__global__ void k(int a) { }\n__global__ void k(float) { }\n"
    assert heads(text, "k") == {"k": (2, 16, 17)}
    assert heads("__global__ void k(int);\n", "k") == {"k": (1, 16, 17)}
    assert not find_heads(["__global__ void k(int);"], ["k"], python=False)["k"].defined


def test_python() -> None:
    text = "import triton\n\n@triton.jit\ndef add(x_ptr):\n    pass\n"
    assert heads(text, "add", python=True) == {"add": (4, 4, 7)}
    assert heads(text, "add") == {}
