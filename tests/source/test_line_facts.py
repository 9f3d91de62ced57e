"""What lines access and compute, read off kernels of the kinds that people write."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gpuadvisor.source.line_facts import LineFacts, facts_table
from gpuadvisor.source.syntax import CudaSource

HEAD = """\
struct Particle { float x, y, z, vx, vy, vz, mass; int id; };
struct Rgb { unsigned char r, g, b; };
struct Node { int value; Node* next; };
struct Shape { int width, height; float* data; };
#define T 32
#define IDX(r, c, ld) ((r) * (ld) + (c))
#define FLOAT4(p) (reinterpret_cast<float4*>(&(p))[0])
constexpr int kPad = 33;
__constant__ float coefficients[64];
__device__ int global_index() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ int row_of(int i, int width) { return i / width; }
template <int N, typename V>
__global__ void k(float* a, const float* b, const int* idx, double* d, Particle* p, Rgb* rgb,
                  float4* v, V* typed, unsigned char* bytes, Shape shape, Node* list, float f,
                  int n, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int tid = threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    __shared__ float tile[T][T], padded[T][kPad], line[1024];
    __shared__ double wide[T][T];
    __shared__ float4 quads[256];
    float local[16], small[N];
"""
LINE = HEAD.count("\n") + 1


def facts_of(body: str) -> LineFacts:
    """The facts of the line of `body` that is marked with a comment, its first by default."""
    lines = body.split("\n")
    marked = next((at for at, line in enumerate(lines) if "// here" in line), 0)
    source = CudaSource.parse(HEAD + body + "\n}\n")
    assert source.problems == ()
    return source.facts.at(LINE + marked)


@pytest.mark.parametrize(
    ("body", "stride", "ratio"),
    [
        ("a[x] = f;", 1, 1),
        ("a[n - x] = f;", -1, 1),
        ("a[2 * x] = f;", 2, 2),
        ("a[x * 32] = f;", 32, 8),
        ("a[x / 32] = f;", 0, 0.25),
        ("a[y] = f;", 0, 0.25),
        ("a[blockIdx.x] = f;", 0, 0.25),
        ("a[x + width * height] = f;", 1, 1),
        ("a[y * width + x] = f;", 1, 1),
        ("a[(y * height + 3) * width + x] = f;", 1, 1),
        ("a[IDX(y, x, width)] = f;", 1, 1),
        ("int i = global_index(); // \n a[i] = f; // here", 1, 1),
        ("int r = x / width, c = x % width;\n a[r * width + c] = f; // here", 1, 1),
        ("int r = row_of(x, width), c = x - r * width;\n a[r * width + c] = f; // here", 1, 1),
        ("int c = x % width;\n a[c] = f; // here", 1, 1),
        ("a[min(x, n - 1)] = f;", 1, 1),
        ("a[warp * 32 + lane] = f;", 1, 1),
        ("a[(x >> 5) * 64 + lane] = f;", 1, 1),
        ("a[x & 31] = f;", 1, 1),
        ("a[(unsigned)x << 1] = f;", 2, 2),
        ("float* q = a + x; q += n;\n *q = f; // here", 1, 1),
        ("float* q = a + y * width;\n q[x] = f; // here", 1, 1),
        ("float* q = &a[y * width];\n q[x] = f; // here", 1, 1),
        ("for (int i = x; i < n; i += gridDim.x * blockDim.x)\n a[i] = f; // here", 1, 1),
        ("for (int i = x; i < n; i += 256)\n a[i] = f; // here", 1, 1),
        ("int i = x;\nwhile (i < n) {\n a[i] = f; // here\n i += blockDim.x; }", 1, 1),
        ("for (int i = 0; i < n; ++i)\n a[i * width + x] = f; // here", 1, 1),
        ("for (int i = 0; i < 8; ++i) { int at = i * 256 + tid;\n a[at] = f; // here\n }", 1, 1),
        ("for (int i = 0; i < n; ++i)\n a[x * 4 + i] = f; // here", 4, 4),
        ("shape.data[x] = f;", 1, 1),
        ("if (x < n) a[x] = f; else a[0] = f;", 1, 1),
        ("v[x] = make_float4(f, f, f, f);", 1, 1),
        ("FLOAT4(a[4 * x]) = v[0];", 1, 1),
        ("reinterpret_cast<float4*>(&a[4 * x])[0] = v[0];", 1, 1),
        ("float (&row)[16] = local; a[x] = row[0];", 1, 1),
        ("reinterpret_cast<float4*>(a)[x] = v[0];", 1, 1),
        ("*(float2*)(a + 2 * x) = *(float2*)a;", 1, 1),
        ("bytes[x] = 0;", 1, 1),
        ("d[x] = 0;", 1, 1),
        ("cooperative_groups::thread_block g = cg::this_thread_block();\n"
         "a[g.thread_rank()] = f; // here", 1, 1),
    ],
)  # fmt: skip
def test_store_stride(body: str, stride: float, ratio: float) -> None:
    facts = facts_of(body)
    assert facts.store_stride == stride
    assert facts.store_sectors_ratio in (ratio, None)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("a[x * height + y] = f;", "height"),
        ("a[x * width * height + y] = f;", "height * width"),
        ("a[x * (width + 1)] = f;", "width + 1"),
        ("a[2 * x * height] = f;", "2 * height"),
        ("a[IDX(x, y, width)] = f;", "width"),
        ("a[x * shape.width + y] = f;", "shape.width"),
        ("a[x * N] = f;", "N"),
        ("size_t at = (size_t)x * width;\n a[at + y] = f; // here", "width"),
        ("float* q = a + x * width;\n for (int i = 0; i < n; ++i)\n q[i] = f; // here", "width"),
        ("int c = x % width, r = x / width;\n a[c * height + r] = f; // here", "height"),
        ("v[x * width] = v[0];", "width"),
    ],
)
def test_symbolic_stride(body: str, text: str) -> None:
    facts = facts_of(body)
    assert facts.store_stride is None
    assert facts.store_stride_text == text


@pytest.mark.parametrize(
    "body",
    [
        "a[x * x] = f;",
        "a[x ^ n] = f;",
        "a[unknown(x)] = f;",
        "a[undeclared] = f;",
        "int i = f > 0 ? x : y;\n a[i] = f; // here",
        "int i = x; if (b[x] > 0) i = 0;\n a[i] = f; // here",
        "int i = 0; for (int j = 0; j < n; ++j) if (b[x + j] > 0) ++i;\n a[i] = f; // here",
        "int i = x;\n while (b[i] > 0) i = (i * 7) % n;\n a[i] = f; // here",
        "int i; read(&i);\n a[i] = f; // here",
        "a[x / 3] = f;",
        "a[__float_as_int(b[x])] = f;",
    ],
)
def test_unknown_stride_stays_unknown(body: str) -> None:
    facts = facts_of(body)
    assert facts.store_base == "a"
    assert facts.store_stride is None
    assert facts.store_stride_text == ""
    assert facts.store_sectors_ratio is None


@pytest.mark.parametrize(
    ("body", "struct", "size", "member", "ratio"),
    [
        ("a[x] = p[x].mass;", "Particle", 32, "mass", 8),
        ("Particle q = p[x];", "Particle", 32, "", 8),
        ("const Particle& q = p[x];\n a[x] = q.vx; // here", "Particle", 32, "vx", 8),
        ("Particle* q = p + x;\n a[x] = q->vx; // here", "Particle", 32, "vx", 8),
        ("a[x] = (*(p + x)).y;", "Particle", 32, "y", 8),
        ("a[x] = v[x].w;", "float4", 16, "w", 4),
        ("a[x] = reinterpret_cast<const float3*>(b)[x].y;", "float3", 12, "y", 3),
        ("double3 q = reinterpret_cast<double3*>(d)[x];", "double3", 24, "", 3),
        ("Rgb q = rgb[x];", "Rgb", 3, "", 3),
    ],
)
def test_struct_access(body: str, struct: str, size: int, member: str, ratio: float) -> None:
    facts = facts_of(body)
    assert (facts.struct, facts.struct_bytes, facts.member) == (struct, size, member)
    assert facts.load_sectors_ratio == ratio


def test_whole_vectors_are_no_structs() -> None:
    facts = facts_of("float4 q = v[x]; v[x] = q;")
    assert (facts.struct, facts.load_bytes, facts.load_sectors_ratio) == ("", 16, 1)
    assert facts_of("float4 q = v[0]; a[x] = q.x + q.y;").struct == ""


@pytest.mark.parametrize(
    ("body", "array"),
    [
        ("a[x] = b[idx[x]];", "idx"),
        ("int i = idx[x];\n a[x] = b[i]; // here", "idx"),
        ("a[x] = b[__ldg(&idx[x])];", "idx"),
        ("a[idx[x]] = f;", "idx"),
        ("a[x] = p[idx[x]].mass;", "idx"),
        ("int i = idx[x] * width + y;\n a[x] = b[i]; // here", "idx"),
        ("for (int e = idx[x]; e < idx[x + 1]; ++e)\n a[x] += b[idx[e]]; // here", "idx"),
    ],
)
def test_gather(body: str, array: str) -> None:
    assert facts_of(body).index_array == array


@pytest.mark.parametrize(
    "body",
    [
        "a[x] = b[idx[blockIdx.x] + tid];",
        "for (int e = idx[x]; e < n; ++e)\n a[x] += b[e]; // here",
        "int i = idx[0];\n a[x + i] = f; // here",
    ],
)
def test_no_gather(body: str) -> None:
    """An index that all lanes share moves the access as a whole; a run has a start of its own."""
    assert facts_of(body).index_array == ""


def test_run_of_each_lane() -> None:
    facts = facts_of("for (int e = idx[x]; e < idx[x + 1]; ++e)\n a[x] += b[e]; // here")
    assert facts.run_array == "idx"


@pytest.mark.parametrize(
    ("body", "ways"),
    [
        ("tile[threadIdx.y][tid] = f;", 1),
        ("tile[tid][threadIdx.y] = f;", 32),
        ("padded[tid][threadIdx.y] = f;", 1),
        ("tile[lane][warp] = f;", 32),
        ("tile[0][0] = f;", 1),
        ("line[tid] = f;", 1),
        ("line[2 * tid] = f;", 2),
        ("line[tid * 3] = f;", 1),
        ("line[tid * 16] = f;", 16),
        ("line[tid ^ 5] = f;", 1),
        ("line[tid / 2] = f;", 1),
        ("wide[threadIdx.y][tid] = f;", 1),
        ("wide[tid][threadIdx.y] = f;", 16),
        ("quads[tid] = v[0];", 1),
        ("quads[tid].x = f;", 4),
        ("if (tid < 2)\n tile[tid][0] = f; // here", 2),
        ("if (tid == 0)\n tile[tid][0] = f; // here", 1),
        ("for (int i = 0; i < T; ++i)\n tile[tid][i] = f; // here", 32),
        ("for (int i = 0; i < T; ++i)\n a[x] += tile[i][tid]; // here", 1),
        ("line[idx[x] * 32 + lane] = f;", 1),
        ("line[idx[x]] = f;", None),
        ("line[tid * n] = f;", None),
        ("float* q = line + tid;\n q[n] = f; // here", 1),
    ],
)
def test_bank_conflicts(body: str, ways: int | None) -> None:
    facts = facts_of(body)
    assert facts.shared_ways == ways


def test_shared_declaration_is_named() -> None:
    facts = facts_of("tile[tid][threadIdx.y] = f;")
    assert facts.shared_declaration == "float tile[T][T]"
    assert HEAD.split("\n")[(facts.shared_line or 0) - 1].lstrip().startswith("__shared__ float")


@pytest.mark.parametrize(
    ("body", "subscript"),
    [
        ("local[3] = f;", "constant"),
        ("local[T / 4] = f;", "constant"),
        ("for (int i = 0; i < 16; ++i)\n local[i] = f; // here", "loop"),
        ("for (int i = 0; i < 16; ++i)\n local[(i * 7 + 3) % 16] = f; // here", "loop"),
        ("for (int i = 0; i < N; ++i)\n small[i] = f; // here", "loop"),
        ("for (int s = 8; s > 0; s /= 2)\n local[s] = f; // here", "loop"),
        ("for (int i = 0; i < n; ++i)\n local[i] = f; // here", "runtime"),
        ("#pragma unroll 2\nfor (int i = 0; i < 16; ++i)\n local[i] = f; // here", "runtime"),
        ("#pragma unroll 1\nfor (int i = 0; i < 16; ++i)\n local[i] = f; // here", "runtime"),
        ("local[idx[x] & 15] = f;", "runtime"),
        ("local[tid & 15] = f;", "runtime"),
        ("local[width] = f;", "runtime"),
        ("int top = 0; for (int i = 0; i < n; ++i)\n local[top++] = f; // here", "runtime"),
    ],
)
def test_local_subscript(body: str, subscript: str) -> None:
    facts = facts_of(body)
    assert facts.local_subscript == subscript
    assert facts.local_base in ("local", "small")
    assert facts.local_bytes == (64 if facts.local_base == "local" else None)


# What nvcc 12.8 makes of each (64-bit float instructions in the PTX for sm_90 or none).
@pytest.mark.parametrize(
    ("body", "literals"),
    [
        ("a[x] = f * 0.5;", ""),
        ("a[x] = f * 0.1;", "0.1"),
        ("a[x] = f + 1.0;", ""),
        ("a[x] = f / 3.0;", ""),
        ("a[x] = 1.0 / f;", ""),
        ("a[x] = f * 0.5 + 1.0;", "0.5, 1.0"),
        ("a[x] = f * 0.5 * f;", "0.5"),
        ("a[x] = 1.0 - f * 0.3;", "1.0, 0.3"),
        ("a[x] = f * -0.1;", "-0.1"),
        ("if (f > 0.5) a[x] = 1;", ""),
        ("if (f > 0.1) a[x] = 1;", "0.1"),
        ("f *= 2.0;", ""),
        ("f += 0.1;", "0.1"),
        ("float z = 0.1; a[x] = f * z;", ""),
        ("a[x] = f > 0.f ? f : 0.1;", ""),
        ("a[x] = f > 0.f ? f * 0.1 : f;", "0.1"),
        ("a[x] = max(f, 0.0);", "0.0"),
        ("a[x] = exp(f * 0.5);", "0.5"),
        ("a[x] = pow(f, 2.0);", "2.0"),
        ("a[x] = powf(f, 3.0);", ""),
        ("a[x] = fmaf(f, 0.1, 1.0);", ""),
        ("atomicAdd(a, 0.1);", ""),
        ("a[x] = n * 0.5;", "0.5"),
        ("a[x] = f * (float)0.1;", ""),
        ("a[x] = (int)(f + 0.5);", "0.5"),
        ("a[x] = f * M_PI;", "M_PI"),
        ("auto q = f * 0.1; a[x] = q;", "0.1"),
        ("d[x] = f * 0.1;", ""),
        ("double q = d[x] * 0.1; d[x] = q;", ""),
        ("a[x] = f * 0.1f;", ""),
        ("a[x] = 2 * 3;", ""),
    ],
)
def test_double_literals(body: str, literals: str) -> None:
    facts = facts_of(body)
    assert facts.double_literal_text == literals
    assert facts.double_literals == len([one for one in literals.split(", ") if one])


@pytest.mark.parametrize(
    ("body", "math", "double", "exponent"),
    [
        ("a[x] = sinf(f) + expf(f) * sinf(f);", "sinf, expf", "", None),
        ("a[x] = sin(f);", "sinf", "", None),
        ("a[x] = sqrt(f);", "sqrtf", "", None),
        ("a[x] = fabs(f);", "", "", None),
        ("a[x] = __sinf(f);", "", "", None),
        ("a[x] = sin(d[x]);", "", "sin", None),
        ("a[x] = sqrt(n);", "", "sqrt", None),
        ("a[x] = powf(f, 2.0f);", "powf", "", 2),
        ("a[x] = pow(f, 2);", "", "pow", 2),
        ("a[x] = pow(f, 3.0f);", "powf", "", 3),
        ("a[x] = powf(f, 2.5f);", "powf", "", None),
        ("a[x] = powf(f, b[x]);", "powf", "", None),
        ("a[x] = std::exp(f);", "expf", "", None),
    ],
)
def test_math(body: str, math: str, double: str, exponent: int | None) -> None:
    facts = facts_of(body)
    assert (facts.math, facts.double_math, facts.pow_exponent) == (math, double, exponent)


@pytest.mark.parametrize(
    ("body", "runtime", "constant"),
    [
        ("a[x / width] = f;", 1, 0),
        ("int r = x / width, c = x % width;", 2, 0),
        ("int r = x % 7;", 0, 1),
        ("int r = x / N;", 0, 1),
        ("int r = x / (T * 2);", 0, 1),
        ("float r = f / width;", 0, 0),
        ("float r = 1.f / n;", 0, 0),
        ("int r = (int)f / width;", 1, 0),
        ("x /= width;", 1, 0),
        ("int r = x >> 3;", 0, 0),
        ("int r = T / 2;", 0, 0),
    ],
)
def test_divisions(body: str, runtime: int, constant: int) -> None:
    facts = facts_of(body)
    assert (facts.divisions, facts.constant_divisions) == (runtime, constant)


@pytest.mark.parametrize(
    ("body", "lanes", "addresses", "per_grid"),
    [
        ("atomicAdd(a, f);", "uniform", 1, True),
        ("atomicAdd(&a[0], f);", "uniform", 1, True),
        ("atomicAdd(&a[blockIdx.x], f);", "uniform", 1, False),
        ("atomicAdd(a + (x & 1), f);", "few", 2, False),
        ("atomicAdd(&a[x % 4], f);", "few", 4, False),
        ("atomicAdd(&a[x], f);", "spread", 32, False),
        ("atomicAdd(&a[x * width], f);", "spread", None, False),
        ("atomicAdd(&a[idx[x]], f);", "data", None, False),
        ("atomicAdd(&a[idx[x] % 8], f);", "few", 8, False),
        ("for (int i = 0; i < n; ++i)\n atomicAdd(&a[i], f); // here", "uniform", 1, True),
        ("atomicAdd(&a[hash(x)], f);", "unknown", None, False),
        ("atomicMax(&shape.data[0], f);", "uniform", 1, True),
    ],
)
def test_atomics(body: str, lanes: str, addresses: int | None, per_grid: bool) -> None:
    facts = facts_of(body)
    assert facts.atomic.startswith("atomic")
    assert (facts.atomic_lanes, facts.atomic_addresses) == (lanes, addresses)
    assert facts.atomic_per_grid == per_grid


@pytest.mark.parametrize(
    ("condition", "threads", "splits"),
    [
        ("tid == 0", 1, True),
        ("!tid", 1, True),
        ("tid < 32", 32, False),
        ("tid < 16", 16, True),
        ("tid >= 32", 992, False),
        ("lane == 0", 32, True),
        ("warp == 0", 32, False),
        ("x % 4 == 0", 256, True),
        ("tid % 2", 512, True),
        ("x == 0", 1, True),
        ("tid == 0 && n > 3", 1, True),
    ],
)
def test_guards(condition: str, threads: int, splits: bool) -> None:
    facts = facts_of(f"if ({condition}) {{\n a[0] = f; // here\n}}")
    assert (facts.guard_threads, facts.guard_splits) == (threads, splits)
    assert facts.guard_line == LINE
    assert facts.guard_text == condition


@pytest.mark.parametrize(
    "condition",
    [
        "x < n",
        "x < width && y < height",
        "n > 3",
        "f > 0",
        "N > 2",
        "blockIdx.x == 0",
        "shape.width > x",
    ],
)
def test_no_guards(condition: str) -> None:
    """Bounds checks and what all threads agree on."""
    facts = facts_of(f"if ({condition}) {{\n a[0] = f; // here\n}}")
    assert (facts.guard_text, facts.guard_threads) == ("", None)


@pytest.mark.parametrize(
    ("body", "divergent", "bounds"),
    [
        ("__syncthreads();", False, False),
        ("if (tid < 32) {\n __syncthreads(); // here\n}", True, False),
        ("if (b[x] > 0) {\n __syncthreads(); // here\n}", True, False),
        ("if (x < n) {\n __syncthreads(); // here\n}", False, True),
        ("if (n > 3 || f > 0) {\n __syncthreads(); // here\n}", False, False),
        ("for (int i = 0; i < n; ++i) {\n __syncthreads(); // here\n}", False, False),
        ("if (x >= n) return;\n __syncthreads(); // here", False, False),
        ("if (line[0] > 0) {\n __syncthreads(); // here\n}", False, False),
        ("float q = b[x]; bool go = q > f;\n if (go) {\n __syncthreads(); // here\n}", True, False),
        ("if (others(n)) {\n __syncthreads(); // here\n}", False, False),
        ("bool last = b[0] > f;\n if (last) {\n __syncthreads(); // here\n}", False, False),
    ],
)
def test_barriers(body: str, divergent: bool, bounds: bool) -> None:
    facts = facts_of(body)
    assert facts.barrier == "__syncthreads"
    assert (facts.barrier_divergent, facts.barrier_bounds) == (divergent, bounds)


@pytest.mark.parametrize(
    ("body", "array"),
    [
        ("for (int i = 0; i < n; ++i)\n x = idx[x]; // here", "idx"),
        ("for (int i = 0; i < n; ++i) {\n int q = idx[x]; // here\n x = q + 1; }", "idx"),
        ("while (list)\n list = list->next; // here", "list->next"),
        ("while (x < n) {\n if (b[x] > f) x = 2 * x + 1; else x = 2 * x + 2; // here\n}", "b"),
        ("for (int i = 0; i < n; ++i)\n y += idx[i]; // here", ""),
        ("for (int i = 0; i < n; ++i)\n y = idx[i]; // here", ""),
        ("for (int i = 0; i < n; ++i)\n x = (int)local[x & 15]; // here", ""),
    ],
)
def test_chains(body: str, array: str) -> None:
    assert facts_of(body).chain_array == array


@pytest.mark.parametrize(
    ("body", "offset", "shift"),
    [
        ("a[x] = b[x];", 0, ""),
        ("a[x] = b[x + 1];", 4, ""),
        ("a[x] = b[x + 8];", 0, ""),
        ("a[x] = b[x + n];", None, "n"),
        ("a[x] = b[y * width + x];", None, ""),
    ],
)
def test_alignment(body: str, offset: int | None, shift: str) -> None:
    facts = facts_of(body)
    assert (facts.load_offset_bytes, facts.load_shift) == (offset, shift)


def test_element_types() -> None:
    assert facts_of("bytes[x] = 1;").store_bytes == 1
    assert facts_of("typed[x] = 1;").store_bytes is None
    assert facts_of("typed[x] = 1;").store_stride == 1
    assert facts_of("a[x] = coefficients[3];").load_base == ""
    assert facts_of("half* h = (half*)a;\n h[x] = h[0]; // here").half


def test_loop_depth() -> None:
    body = "for (int i = 0; i < n; ++i)\n for (int j = 0; j < n; ++j)\n a[x] = f; // here"
    assert facts_of(body).loop_depth == 2


def test_block_shape_of_the_launch_decides_lanes() -> None:
    text = """\
__global__ void k(float* a, int n) {
    __shared__ float tile[16][16];
    tile[threadIdx.x][threadIdx.y] = a[threadIdx.y * n + threadIdx.x];
    if (threadIdx.x == 0) a[threadIdx.y] = 1.f;
}
void run(float* a, int n) { k<<<n, dim3(16, 16)>>>(a, n); }
"""
    source = CudaSource.parse(text)
    assert source.facts.at(3).shared_ways == 8
    assert source.facts.at(4).guard_threads == 16
    wider = CudaSource.parse(text.replace("dim3(16, 16)", "dim3(32, 8)"))
    assert wider.facts.at(3).shared_ways == 16
    assert wider.facts.at(4).guard_threads == 8


def test_rows_narrower_than_a_warp_keep_their_stride() -> None:
    """Two rows of 16 threads a warp; the arrays' extents are template parameters."""
    text = """\
template <int R, int S> __global__ void k(float* a, const float* b, int n) {
    float sum[R][S];
    for (int i = 0; i < R; ++i)
        for (int j = 0; j < S; ++j)
            sum[i][j] = b[(threadIdx.y * R + i) * n + threadIdx.x * S + j];
    a[threadIdx.y * n + threadIdx.x] = sum[0][0] * b[threadIdx.y * n];
}
void run(float* a, float* b, int n) { k<8, 4><<<n, dim3(16, 16)>>>(a, b, n); }
"""
    facts = CudaSource.parse(text).facts
    assert facts.at(5).load_stride_text == "S"
    assert facts.at(5).local_subscript == "loop"
    assert facts.at(6).store_stride == 1
    assert facts.at(6).load_stride == 0


DEVICE_FUNCTION = """\
__device__ float at(const float* p, int i, int ld) {
    return p[i * ld];
}
__device__ float alone(const float* p, int i) {
    return p[4 * i];
}
__global__ void k(const float* in, float* out, int ld) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = at(in + i, 3, ld)%s;
}
"""


def test_device_function_is_judged_as_called() -> None:
    source = CudaSource.parse(DEVICE_FUNCTION % "")
    assert source.facts.at(2).load_stride == 1
    assert source.facts.at(2).load_base == "in"
    assert source.facts.at(5).load_stride is None


REFERENCES = """\
__device__ float4& as_vector(float& first) { return reinterpret_cast<float4*>(&first)[0]; }
__device__ void split(int i, int width, int& row, int& column) {
    row = i / width;
    column = i - row * width;
}
__global__ void k(float* a, float* b, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, row, column, other = 0;
    split(i, width, row, column);
    a[row * width + column] = 1.f;
    as_vector(a[4 * i]) = as_vector(b[width * i]);
    read(&other);
    a[other] = 2.f;
}
"""


def test_references_are_followed() -> None:
    facts = CudaSource.parse(REFERENCES).facts
    assert facts.at(9).store_stride == 1
    assert (facts.at(10).store_stride, facts.at(10).store_bytes) == (1, 16)
    assert facts.at(10).load_stride_text == "4 * width bytes"
    assert facts.at(12).store_stride is None


def test_worst_of_several_calls_counts() -> None:
    source = CudaSource.parse(DEVICE_FUNCTION % " + at(in, i, ld)")
    assert source.facts.at(2).load_stride_text == "ld"


def test_statement_over_lines_has_the_facts_of_all() -> None:
    source = CudaSource.parse(
        "__global__ void k(float* a, int n) {\n    a[threadIdx.x * n]\n        =\n        1.f;\n}\n"
    )
    assert source.facts.at(3).store_stride_text == "n"
    assert source.facts.at(4) == source.facts.at(3)


def test_table_columns() -> None:
    rows = [facts_of("a[x * n] = f / width;"), None, facts_of("tile[tid][0] = f;")]
    table = facts_table(rows)
    assert len(table) == 3
    assert table["src_store_base"].tolist() == ["a", "", ""]
    assert np.isnan(table["src_store_stride"]).all()
    assert table["src_shared_ways"][2] == 32
    assert np.isnan(table["src_shared_ways"][:2]).all()
    assert np.isnan(table["src_loop_depth"][1])
    assert table["src_half"].dtype == bool


def expectations() -> list[tuple[str, int, str]]:
    cases = json.loads((Path(__file__).parents[1] / "data" / "cases" / "cases.json").read_text())
    return [
        (case["file"], one["line"], one["rule"])
        for case in cases
        if case["needs"] == "source"
        for one in case["expect"]
    ]


SIGNS: dict[str, Callable[[LineFacts], bool]] = {
    "uncoalesced-global-access": lambda f: bool(
        {f.load_stride_text, f.store_stride_text} - {"", "0", "1"}
    ),
    "strided-struct-access": lambda f: (
        f.struct != "" and max(f.load_sectors_ratio or 0, f.store_sectors_ratio or 0) > 1.5
    ),
    "misaligned-global-access": lambda f: f.load_shift == "offset",
    "contended-atomic": lambda f: f.atomic_lanes == "uniform",
    "pow-small-exponent": lambda f: f.pow_exponent == 2,
    "double-promotion": lambda f: f.double_literals == 3,
    "integer-division": lambda f: f.divisions == 2,
    "tensor-cores-idle": lambda f: f.half and f.loop_depth == 1,
}


@pytest.mark.parametrize(
    ("file", "line", "rule"), [one for one in expectations() if one[2] in SIGNS]
)
def test_cases_show_their_sign(file: str, line: int, rule: str) -> None:
    path = Path(__file__).parents[1] / "data" / "cases" / file
    facts = CudaSource.parse(path.read_text()).facts.at(line)
    assert SIGNS[rule](facts)


def test_clean_case_shows_none() -> None:
    path = Path(__file__).parents[1] / "data" / "cases" / "32_clean_negative_control.cu"
    source = CudaSource.parse(path.read_text())
    for line in source.facts.lines():
        facts = source.facts.at(line)
        assert facts.load_sectors_ratio in (None, 1)
        assert facts.store_sectors_ratio in (None, 1)
        assert not facts.divisions
        assert not facts.guard_text
