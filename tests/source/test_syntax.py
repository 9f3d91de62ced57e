"""What a source holds: functions, launches, arrays, statements, spans."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuadvisor.source.layout import CType, TypeTable, struct_layout
from gpuadvisor.source.model import Span
from gpuadvisor.source.syntax import CudaSource

HEADS = """\
#define GLOBAL_FN __global__ void
#define HD __host__ __device__ inline
#define NAMED(name) name##_kernel
constexpr int kThreads = 4 * 64;
enum { kMin = 2, kMax };

extern "C" __global__ void __launch_bounds__(kThreads, kMin) plain(float* __restrict__ x) { }
template <typename T, int N = 4> __global__ __launch_bounds__(N) void templated(T* p) { p[N] = 1; }
namespace a { namespace {
__launch_bounds__(128) __global__ static void inner(const int n) { int k = n; }
} }
GLOBAL_FN hidden(int* x) { x[threadIdx.x] = 0; }
UNSEEN_GLOBAL void unseen(int* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 0; }
HD float both(float x) { return x; }
struct __align__(16) Ops {
    float x;
    template <class T> __device__ __forceinline__ T operator()(T v) const { return v; }
    static __device__ int pick(int i) { return i; }
};
__device__ __noinline__ float4 wide(const float4& v);
__device__ __noinline__ float4 wide(const float4& v) { return v; }
__global__ void declared(int n);
void host(int n) { for (;;) {} }
int main() { host(1); }
"""


def test_functions() -> None:
    source = CudaSource.parse(HEADS)
    found = {one.name: one for one in source.functions if one.has_body}
    assert {name: one.kind for name, one in found.items()} == {
        "plain": "kernel",
        "templated": "kernel",
        "inner": "kernel",
        "hidden": "kernel",
        "unseen": "kernel",
        "both": "host-device",
        "operator()": "device",
        "pick": "device",
        "wide": "device",
        "host": "host",
        "main": "host",
    }
    assert found["plain"].launch_bounds == (256, 2)
    assert found["templated"].launch_bounds == (None,)
    assert found["templated"].templates == ("N",)
    assert found["templated"].type_templates == ("T",)
    assert found["inner"].launch_bounds == (128,)
    assert [one.name for one in source.functions if not one.has_body] == ["wide", "declared"]
    assert found["plain"].name_span.line == 7


def test_parameters() -> None:
    text = (
        "__global__ void k(const float* __restrict__ a, unsigned char *b, int (&c)[3][4],\n"
        "                  const unsigned long long n, ns::Shape shape, float** rows) {}\n"
    )
    parameters = {one.name: one for one in CudaSource.parse(text).functions[0].parameters}
    assert parameters["a"].type == CType("float", 1, const=True, restrict=True)
    assert parameters["b"].type == CType("unsigned char", 1)
    assert parameters["c"].dims == (3, 4)
    assert parameters["c"].type.reference
    assert parameters["n"].type.name == "unsigned long long"
    assert parameters["shape"].type.name == "Shape"
    assert parameters["rows"].type.pointers == 2


def test_macro_that_makes_the_name() -> None:
    source = CudaSource.parse("__global__ void KERNEL(foo)(float* x) { x[threadIdx.x] = 1; }")
    assert (source.functions[0].name, source.functions[0].kind) == ("foo", "kernel")
    assert source.functions[0].parameters[0].name == "x"


def test_macros_of_headers_that_are_not_here() -> None:
    text = """\
template <typename T>
struct Reader {
    T* data;

    LIB_HOST_DEVICE
    Reader(T* p) : data(p) {}

    LIB_DEVICE
    T read(int i) const {
        LIB_PRAGMA_UNROLL
        for (int j = 0; j < 4; ++j) i += j;
        return data[i];
    }
};
LIB_GLOBAL void k(Reader<float> r, float* out) { out[threadIdx.x] = r.read(0); }
"""
    source = CudaSource.parse(text)
    assert source.problems == ()
    kinds = {one.name: one.kind for one in source.functions}
    assert kinds == {"Reader": "host-device", "read": "device", "k": "kernel"}


LAUNCHES = """\
constexpr int kTile = 16;
__global__ void k(float* x, int n);
void run(float* x, int n, cudaStream_t s, void** args) {
    dim3 block(kTile, kTile);
    dim3 grid((n + kTile - 1) / kTile, 2), one{1, 2, 3};
    k<<<grid, block>>>(x, n);
    k<<<(n + 207) / 208, 208, 1024, s>>>(x, n);
    ns::pair<float, 4><<<dim3(2, 3), dim3(32)>>>(x);
    cudaLaunchKernel((const void*)k, grid, dim3(64, 4), args, 0, s);
    cudaLaunchCooperativeKernel((void*)&k, 132, one, args);
    int threads = 64;
    threads = n;
    k<<<1, threads>>>(x, n);
    k<<<1, pick(n)>>>(x, n);
}
"""


def test_launches() -> None:
    found = CudaSource.parse(LAUNCHES).launches
    assert [(one.callee, one.how, one.span.line) for one in found] == [
        ("k", "chevrons", 6),
        ("k", "chevrons", 7),
        ("pair", "chevrons", 8),
        ("k", "cudaLaunchKernel", 9),
        ("k", "cudaLaunchCooperativeKernel", 10),
        ("k", "chevrons", 13),
        ("k", "chevrons", 14),
    ]
    assert [one.block for one in found] == [
        (16, 16, 1),
        (208, 1, 1),
        (32, 1, 1),
        (64, 4, 1),
        (1, 2, 3),
        (None, None, None),
        (None, None, None),
    ]
    assert found[0].grid == (None, 2, 1)
    assert (found[1].block_text, found[1].shared_text, found[1].stream_text) == ("208", "1024", "s")
    assert found[1].block_span == Span(7, 26, 7, 29)
    assert found[1].arguments == ("x", "n")
    assert found[0].function == "run"


def test_block_of_a_kernel_needs_agreement() -> None:
    text = "__global__ void k(int* x) {}\nvoid run(int* x) { k<<<1, dim3(32, 4)>>>(x); %s }\n"
    assert CudaSource.parse(text % "").blocks["k"] == (32, 4, 1)
    assert CudaSource.parse(text % "k<<<1, dim3(32, 8)>>>(x);").blocks["k"] == (32, None, 1)


def test_arrays() -> None:
    text = """\
#define ROWS 8
template <int N> __global__ void k(float* x) {
    __shared__ __align__(16) double tile[ROWS][ROWS + 1], *p;
    extern __shared__ float dynamic[];
    float a[N], b[4][sizeof(int)];
    int scalar = 1;
    Unknown u[3];
}
"""
    found = {one.name: one for one in CudaSource.parse(text).arrays}
    assert set(found) == {"tile", "p", "dynamic", "a", "b", "u"}
    assert (found["tile"].space, found["tile"].dims, found["tile"].bytes) == ("shared", (8, 9), 576)
    assert (found["dynamic"].dims, found["dynamic"].bytes) == ((None,), None)
    assert (found["a"].space, found["a"].dims) == ("local", (None,))
    assert (found["b"].dims, found["b"].bytes) == ((4, 4), 64)
    assert found["u"].bytes is None
    assert found["tile"].span == Span(3, 37, 3, 57)


@pytest.mark.parametrize(
    ("declared", "size"),
    [
        ("struct S { float x, y, z; int id; };", 16),
        ("struct S { char c; double d; short s; };", 24),
        ("struct S { float v[3]; char c; };", 16),
        ("struct S { float3 a; float4 b; };", 32),
        ("struct S { float* p; bool b; };", 16),
        ("struct __align__(32) S { float a; };", 32),
        ("struct alignas(8) S { float a[3]; };", 16),
        ("union S { double d; char c[9]; };", 16),
        ("typedef struct { float x; int y[2]; } S;", 12),
        ("struct In { double d; }; struct S { char c; In in; };", 16),
        ("typedef float real; struct S { real r; half h; };", 8),
        ("struct S { float a; __device__ float get() const { return a; } static int n; };", 4),
        ("struct S { double3 a; uchar4 b; half2 c; };", 32),
    ],
)
def test_struct_sizes(declared: str, size: int) -> None:
    """Sizes as nvcc lays them out."""
    assert CudaSource.parse(declared).structs["S"].size == size


def test_unknown_member_leaves_a_struct_unknown() -> None:
    assert "S" not in CudaSource.parse("struct S { Other o; int x; };").structs
    assert struct_layout("S", [("a", CType("int"), (None,))], TypeTable()) is None


STATEMENTS = """\
__global__ void k(float* x, int n) {
    int i = blockIdx.x * blockDim.x
          + threadIdx.x;

    if (i < n &&
        i > 2) {
        x[i] = x[i]
             + 1.f;  // tail
    } else
        x[0] = 2.f;
    for (int j = 0; j < n; ++j)
        x[j] += 1.f;
    // a comment
    while (
        i < n
    ) { ++i; }
    call(x,
         "}");
}
"""


@pytest.mark.parametrize(
    ("line", "statement"),
    [
        (1, (1, 1)),
        (2, (2, 3)),
        (3, (2, 3)),
        (4, (4, 4)),
        (5, (5, 6)),
        (6, (5, 6)),
        (7, (7, 8)),
        (8, (7, 8)),
        (9, (9, 9)),
        (10, (10, 10)),
        (11, (11, 11)),
        (12, (12, 12)),
        (13, (13, 13)),
        (15, (14, 16)),
        (18, (17, 18)),
        (19, (19, 19)),
        (99, (99, 99)),
    ],
)
def test_statement_at(line: int, statement: tuple[int, int]) -> None:
    assert CudaSource.parse(STATEMENTS).statement_at(line) == statement


def test_closing_brace() -> None:
    source = CudaSource.parse(STATEMENTS + "};  // namespace\n} )\n{\n")
    closing = [line for line in range(1, 24) if source.is_closing_brace(line)]
    assert closing == [19, 20, 21]


SPANS = """\
struct P { float x, y; };
__global__ void k(float* out, const P* in, const int* idx, int n) {
    __shared__ float tile[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i * n] = in[idx[i]].x * 0.1 + sinf(out[i]);
    /* é */ tile[threadIdx.x] = out[i] / (i % n);
    atomicAdd(&out[0],
              1.f);
    __syncthreads();
}
"""


@pytest.mark.parametrize(
    ("line", "kind", "text"),
    [
        (5, "global-store", "out[i * n]"),
        (5, "global-load", "idx[i]"),
        (5, "member", "in[idx[i]].x"),
        (5, "double", "0.1"),
        (5, "math", "sinf(out[i])"),
        (6, "shared", "tile[threadIdx.x]"),
        (6, "division", "i % n"),
        (9, "barrier", "__syncthreads()"),
        (3, "array", "tile[32]"),
        (4, "atomic", "int i = blockIdx.x * blockDim.x + threadIdx.x;"),
    ],
)
def test_expression_span(line: int, kind: str, text: str) -> None:
    span = CudaSource.parse(SPANS).expression_span(line, kind)
    assert span.line == span.end_line == line
    assert SPANS.split("\n")[line - 1][span.column - 1 : span.end_column - 1] == text


def test_expression_span_of_a_later_line_of_the_statement() -> None:
    assert CudaSource.parse(SPANS).expression_span(8, "atomic") == Span(7, 5, 8, 19)


def test_problems_name_lines_and_do_not_stop() -> None:
    source = CudaSource.parse(
        "__global__ void k(float* x) {\n    x[threadIdx.x] = 1;\n    )))\n}\n"
    )
    assert source.problems
    assert source.facts.at(2).store_stride == 1


def test_function_at() -> None:
    source = CudaSource.parse(HEADS)
    assert [getattr(source.function_at(line), "name", None) for line in (7, 9, 17, 18)] == [
        "plain",
        None,
        "operator()",
        "pick",
    ]


def test_cases_parse_whole(root: Path) -> None:
    for path in sorted((root / "tests" / "data" / "cases").glob("*.cu")):
        source = CudaSource.parse(path.read_text())
        assert source.problems == (), path.name
        assert source.kernels, path.name
