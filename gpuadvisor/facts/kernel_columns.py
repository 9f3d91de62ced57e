"""Kernel columns that need more than the kernel's own metrics: lines, pipes, library kernels."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gpuadvisor.evidence import Table
from gpuadvisor.facts.kernels import Kernel
from gpuadvisor.facts.lines import KernelLines
from gpuadvisor.facts.verdict import SHORT_NS

BLOCKS_PER_CYCLE = 0.83
"""Blocks that an H200 starts in a cycle at the most: a million empty blocks take 633 us at 1.98 GHz
whatever they do. Not known for other architectures, so not used there."""

PIPES = {
    "pipe_fma_pct": "FMA pipe",
    "pipe_alu_pct": "integer pipe",
    "pipe_fp64_pct": "FP64 pipe",
    "pipe_fp16_pct": "FP16 pipe",
    "pipe_xu_pct": "special-function pipe",
    "pipe_tensor_pct": "tensor core",
    "pipe_lsu_pct": "load/store pipe",
    "constant_pct": "constant cache",
}

_LIBRARY_KERNEL = re.compile(
    r"^(void )?(at::|c10::|cub::|thrust::|cutlass::|cutlass_|cudnn|cublas|nvjet|magma_|"
    r"(ampere|volta|turing|sm\d+|maxwell|hopper)_\w*(gemm|conv|fprop|dgrad|wgrad)|gemv\w*T|"
    r"dot_kernel|reduce_1Block|splitKreduce|implicit_convolve|nccl|ncclKernel|ncclDevKernel|"
    r"flash::|pytorch_flash|native::|rocblas|cask_|xmma_|_ZN2at|triton_poi_fused_ones)"
)
"""Names of kernels that libraries bring; the user calls them and cannot edit them."""

_SETUP_KERNEL = re.compile(
    r"(distribution_elementwise|FillFunctor|fill_kernel|vectorized_elementwise_kernel|"
    r"__uninitialized_fill|__tabulate|__fill|__generate|__sequence|unrolled_elementwise_kernel|elementwise_kernel|CatArrayBatchedCopy|arange|random_|curand|"
    r"generate_seed|copy_kernel|direct_copy|index_elementwise|init_|initialize|set_to|memset)",
    re.IGNORECASE,
)
"""Library kernels that fill, copy, cast or draw random numbers."""


def is_library_kernel(demangled: str) -> bool:
    """Whether a kernel's name says that it comes from a library."""
    return bool(_LIBRARY_KERNEL.match(demangled))


def is_setup_kernel(demangled: str) -> bool:
    """Whether a kernel prepares data for a framework; only library kernels count."""
    return is_library_kernel(demangled) and bool(_SETUP_KERNEL.search(demangled))


_LOW_PRECISION = (
    (re.compile(r"__half|__half2|c10::Half|\bhalf\b"), "half"),
    (re.compile(r"bfloat16|BFloat16"), "bfloat16"),
    (re.compile(r"__nv_fp8|Float8"), "8-bit float"),
)


def low_precision(signature: str) -> str:
    """The narrow float type that a kernel's demangled signature names, empty for none."""
    return next((name for pattern, name in _LOW_PRECISION if pattern.search(signature)), "")


def kernel_columns(
    kernels: Sequence[Kernel], table: Table, lines: Mapping[str, KernelLines], rows: Table
) -> dict[str, np.ndarray[Any, Any]]:
    """Columns: `has_instructions`, `has_line_info`, `has_source`, `library_kernel`,
    `kernel_short`, `block_rate_pct` (blocks started against the most that can start),
    `l1_elapsed_pct`, `busiest_pipe` and its `busiest_pipe_pct`,
    `double_parameters`, `low_precision_type`, `collect_command`."""
    has_lines, full, source, library = [], [], [], []
    known_source = _kernels_with_source(rows)
    for kernel in kernels:
        found = lines.get(kernel.id)
        placed = found is not None and any(found.places.files)
        has_lines.append(found is not None)
        full.append(placed)
        source.append(kernel.id in known_source)
        by_name = is_library_kernel(kernel.launch.demangled or kernel.launch.name)
        # with line information the lines tell: a library's template that the user instantiates
        # and builds shows the user's own lines
        users = placed and found is not None and any(found.places.user)
        library.append(not users if placed else by_name)
    pipes = np.vstack([np.nan_to_num(table[name], nan=-1.0) for name in PIPES])
    top = pipes.argmax(axis=0) if len(table) else np.zeros(0, np.int64)
    values = pipes.max(axis=0) if len(table) else np.zeros(0)
    names = list(PIPES.values())
    with np.errstate(all="ignore"):
        rate = np.where(
            table["cc"] == 90,
            100 * table["grid_blocks"] / (BLOCKS_PER_CYCLE * table["cycles_elapsed"]),
            np.nan,
        )
        active = table["sm_cycles_active_avg"] / table["cycles_elapsed"]
        l1 = table["l1_pct"] * np.where(np.isnan(active), 1.0, np.minimum(active, 1.0))
        l1 = np.fmax(l1, table["lsu_wavefronts_pct"])
        short = table["duration_ns"] < SHORT_NS
    return {
        "has_instructions": np.array(has_lines, bool),
        "has_line_info": np.array(full, bool),
        "has_source": np.array(source, bool),
        "library_kernel": np.array(library, bool),
        "block_rate_pct": rate,
        "kernel_short": short,
        "l1_elapsed_pct": l1,
        "busiest_pipe_pct": np.where(values >= 0, values, np.nan),
        "busiest_pipe": np.array(
            [
                names[index] if value >= 0 else ""
                for index, value in zip(top.tolist(), values.tolist(), strict=True)
            ],
            np.str_,
        ),
        "double_parameters": np.array(
            [bool(re.search(r"\bdouble\b", k.launch.demangled)) for k in kernels], bool
        ),
        "low_precision_type": np.array(
            [low_precision(kernel.launch.demangled) for kernel in kernels], np.str_
        ),
        "collect_command": np.array([_collect(kernel.launch.name) for kernel in kernels], np.str_),
    }


def _kernels_with_source(rows: Table) -> set[str]:
    if "has_source" not in rows:
        return set()
    return set(rows["kernel"][rows["has_source"]].tolist())


def _collect(name: str) -> str:
    import shlex

    words = [
        "ncu",
        "--set",
        "full",
        "--import-source",
        "yes",
        "-k",
        name,
        "-c",
        "1",
        "-o",
        "report",
    ]
    return shlex.join(words) + " ./app"
