"""User code is told from the toolkit's and other libraries'."""

from __future__ import annotations

import pytest

from gpuadvisor.evidence import Frame
from gpuadvisor.readers.lines import is_user_path, place


@pytest.mark.parametrize(
    "path",
    [
        "/src/samples/transpose.cu",
        "/home/me/thrust/kernels/reduce.cu",
        "/home/me/project/include/kernel.cuh",
        "C:\\Users\\me\\app\\kernel.cu",
        "/root/cutlass/examples/13_two_tensor_op_fusion/kernel/b2b_gemm.h",
        "/home/me/cs599k/silu/silu-triton.py",
        "/tmp/torchinductor_me/ab/cabc.py",
        "/home/me/cuda/kernels/gemm.cu",
        "/data/My_CUDA_gemm_All_version/gemm_v1_alter.cu",
        "kernel.cu",
        "/home/me/cuda_mma.hpp",
    ],
)
def test_own_code(path: str) -> None:
    assert is_user_path(path)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "<built-in>",
        "/usr/local/cuda/targets/x86_64-linux/include/cuda_fp16.hpp",
        "/usr/local/cuda-12.4/targets/x86_64-linux/include/driver_types.h",
        "/usr/local/cuda/include/sm_30_intrinsics.hpp",
        "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v12.6\\include\\crt\\mma.hpp",
        "/opt/conda/envs/x/include/cuda_bf16.hpp",
        "/usr/local/cuda-13.0/include/cccl/cub/block/block_scan.cuh",
        "/home/me/cccl/libcudacxx/include/cuda/std/__atomic/types.h",
        "/home/me/thrust/thrust/system/cuda/detail/reduce.h",
        "/root/cutlass/include/cutlass/gemm/kernel/gemm.h",
        "/root/cutlass/include/cute/arch/util.hpp",
        "/root/cutlass/tools/util/include/cutlass/util/reference/device/gemm.h",
        "/usr/lib/gcc/x86_64-linux-gnu/12/include/stddef.h",
        "/usr/include/c++/12/bits/stl_algo.h",
        "/usr/lib/python3/dist-packages/triton/language/standard.py",
        "/opt/venv/lib/python3.11/site-packages/torch/include/ATen/native/cuda/Loops.cuh",
        "/home/me/triton/python/triton/language/core.py",
        "/build/_deps/fmt-src/include/fmt/core.h",
        "/home/me/app/third_party/eigen/Eigen/src/Core/util.h",
    ],
)
def test_library_code(path: str) -> None:
    assert not is_user_path(path)


USER = Frame("/src/a.cu", 10, "kernel")
HELPER = Frame("/src/util.cuh", 4, "helper")
HEADER = Frame("/usr/local/cuda/include/cuda_fp16.hpp", 708, "__half2float")


def test_the_nearest_own_line_is_the_place_and_headers_are_related() -> None:
    found = place((HEADER, HELPER, USER))
    assert found is not None
    assert found.frame == HELPER
    assert found.inlined == (HEADER,)
    assert found.user


def test_own_code_needs_no_related_line() -> None:
    found = place((USER,))
    assert found is not None
    assert (found.frame, found.inlined, found.user) == (USER, (), True)


def test_a_pure_library_kernel_says_so() -> None:
    other = Frame("/root/cutlass/include/cutlass/device_kernel.h", 80, "Kernel")
    found = place((HEADER, other))
    assert found is not None
    assert (found.frame, found.inlined, found.user) == (other, (HEADER,), False)


def test_the_caller_may_know_better() -> None:
    found = place((HEADER, USER), lambda path: path.endswith(".hpp"))
    assert found is not None
    assert found.frame == HEADER


def test_an_empty_chain_has_no_place() -> None:
    assert place(()) is None
