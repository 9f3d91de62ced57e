"""Telling kernels apart."""

from __future__ import annotations

import pytest

from gpuadvisor.render.names import display_names, signature
from tests.render.conftest import kernel


@pytest.mark.parametrize(
    ("demangled", "shown"),
    [
        ("f(int)", "f"),
        ("void f<int>(int *)", "f<int>"),
        ("void ns::f<(int)3, float>(T1 (*)(int), int)", "ns::f<(int)3, float>"),
        ("void (anonymous namespace)::f<int>(int)", "(anonymous namespace)::f<int>"),
        ("triton_poi_fused_0", "triton_poi_fused_0"),
        ("", ""),
    ],
)
def test_signature(demangled: str, shown: str) -> None:
    assert signature(demangled) == shown


def test_unique_names_stay_plain() -> None:
    assert display_names([kernel("a"), kernel("b")]) == {"a#0": "a", "b#0": "b"}


def test_instantiations_are_told_apart_by_their_arguments() -> None:
    one = kernel("f", id="1", demangled="void f<int>(int *)")
    two = kernel("f", id="2", demangled="void f<float>(float *)")
    assert display_names([one, two]) == {"1": "f<int>", "2": "f<float>"}


def test_launch_shapes_tell_apart_what_names_do_not() -> None:
    one = kernel("f", id="1", grid=(1, 1, 1))
    two = kernel("f", id="2", grid=(2, 1, 1))
    assert display_names([one, two])["2"] == "f [grid 2, block 32 x 32]"


def test_inputs_tell_apart_the_same_kernel_of_two_reports() -> None:
    one, two = kernel("f", id="1", input="a.ncu-rep"), kernel("f", id="2", input="b.ncu-rep")
    assert display_names([one, two]) == {"1": "f (a.ncu-rep)", "2": "f (b.ncu-rep)"}


def test_ids_tell_apart_the_rest() -> None:
    assert display_names([kernel("f", id="1"), kernel("f", id="2")]) == {"1": "f (1)", "2": "f (2)"}
