"""Plain names from whatever the report gives."""

from __future__ import annotations

import pytest

from gpuadvisor.readers.ncu.names import plain_name


@pytest.mark.parametrize(
    ("function", "demangled", "name"),
    [
        ("transpose_naive", "transpose_naive(const float *, float *, int, int)", "transpose_naive"),
        ("gemm", "void gemm<(int)128, (int)8>(float *, float *)", "gemm"),
        ("", "void gemm<(int)128, (int)8>(float *, float *)", "gemm"),
        ("", "void at::native::elementwise<4, at::native::F<long>>(int, T2, T3)", "elementwise"),
        ("", "void at::<unnamed>::stride_kernel<float>(int)", "stride_kernel"),
        ("", "void (anonymous namespace)::kernel<float (*)(int)>(int)", "kernel"),
        ("", "void matrixMulCUDA<int=32>(float*,float*)", "matrixMulCUDA"),
        ("", "std::pair<int, int> ns::make<(a::b)3>(T)", "make"),
        ("ns::kernel<int>", "", "kernel"),
        ("silu_kernel_non_strided", "", "silu_kernel_non_strided"),
        ("triton_poi_fused__to_copy_0d1d2de", "", "triton_poi_fused__to_copy_0d1d2de"),
    ],
)
def test_plain_names(function: str, demangled: str, name: str) -> None:
    assert plain_name(function, demangled, "_Zmangled") == name


def test_something_is_always_shown() -> None:
    assert plain_name("", "", "_Z3fooi") == "_Z3fooi"
    assert plain_name("<<<", "", "") == "<<<"
