// Registers and local memory: spills of doubles, a stack in local memory, wide states that are fine, and arrays that stay in registers.
// pair: register-spill correlate_bands_capped -> correlate_bands
// pair: local-array blend_palette -> blend_palette_shared
#include "../../../rules/sample.cuh"

// Thomas algorithm for 24 unknowns, all of them in registers (if they fit).
template <int N>
__device__ __forceinline__ void thomas(const double* right, double* x, int n, int i) {
    double c[N], d[N];
    c[0] = 0.25, d[0] = right[i] * 0.25;
#pragma unroll
    for (int k = 1; k < N; ++k) {
        double m = 1.0 / (4.0 - c[k - 1]);
        c[k] = m;
        // ruleid[correlate_bands_capped]: register-spill
        d[k] = (right[size_t(k) * n + i] + d[k - 1]) * m;
    }
    x[size_t(N - 1) * n + i] = d[N - 1];
#pragma unroll
    for (int k = N - 2; k >= 0; --k) {
        // ruleid[correlate_bands_capped]: register-spill
        d[k] += c[k] * d[k + 1];
        // ruleid[correlate_bands_capped]: register-spill
        x[size_t(k) * n + i] = d[k];
    }
}

// Products of all pairs keep 2 x 16 inputs and 16 sums alive.
__device__ __forceinline__ void correlate(const double* a, const double* b, double* out, int n, int i) {
    double x[16], y[16], sum[16] = {};
#pragma unroll
    // ruleid[correlate_bands_capped]: register-spill
    for (int k = 0; k < 16; ++k) x[k] = a[size_t(k) * n + i], y[k] = b[size_t(k) * n + i];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
#pragma unroll
        for (int k = 0; k < 16; ++k) {
#pragma unroll
            // ruleid[correlate_bands_capped]: register-spill
            for (int j = 0; j < 16; ++j) sum[k] = fma(x[(k + j) % 16], y[j], sum[k]);
        }
#pragma unroll
        // ruleid[correlate_bands_capped]: register-spill
        for (int k = 0; k < 16; ++k) x[k] = y[k] - sum[k] * 0.01, y[k] = sum[(k + 1) % 16] * 0.02;
    }
#pragma unroll
    // ruleid[correlate_bands_capped]: register-spill
    for (int k = 0; k < 16; ++k) out[size_t(k) * n + i] = sum[k] + x[k];
}

// ruleid: register-spill
__global__ void __launch_bounds__(128, 12) correlate_bands_capped(const double* a, const double* b, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) correlate(a, b, out, n, i);
}

// ok: register-spill
__global__ void __launch_bounds__(128, 4) correlate_bands(const double* a, const double* b, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) correlate(a, b, out, n, i);
}

// Arrays with constant subscripts never touch local memory.
__global__ void thomas_rows(const double* right, double* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // ok: local-array, register-spill
    if (i < n) thomas<24>(right, x, n, i);
}

// Visits of a binary tree of intervals with a stack of node numbers: in local memory, but neighbours go the same way and L1
// holds it.
// allow: local-array
__global__ void traverse_stack(const float2* node, const float* query, int* hits, int queries, int nodes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= queries) return;
    float q = query[i];
    int stack[32], top = 0, found = 0;
    stack[top++] = 0;
    while (top > 0) {
        int at = stack[--top];
        float2 range = node[at];
        if (q < range.x || q > range.y) continue;
        if (2 * at + 2 < nodes) {
            stack[top++] = 2 * at + 1;
            stack[top++] = 2 * at + 2;
        } else {
            ++found;
        }
    }
    hits[i] = found;
}

// The same walk: in a complete tree the way back up is arithmetic.
__global__ void traverse_packed(const float2* node, const float* query, int* hits, int queries, int nodes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= queries) return;
    float q = query[i];
    int at = 0, found = 0;
    while (true) {
        float2 range = node[at];
        bool inside = q >= range.x && q <= range.y, leaf = 2 * at + 2 >= nodes;
        if (inside && !leaf) {
            at = 2 * at + 1;
            continue;
        }
        found += inside;
        while (at > 0 && at % 2 == 0) at = (at - 1) / 2;  // from right children up
        if (at == 0) break;
        // ok: local-array
        ++at;
    }
    hits[i] = found;
}

// A palette of 48 colours mixed for each thread and then looked up by pixel value: the look-up puts it into local memory.
__global__ void blend_palette(const int* pixel, const float* base, float* out, int n, int pixels) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // ruleid: local-array
    float palette[48];
    float shade = base[i];
#pragma unroll
    // ruleid: local-array
    for (int k = 0; k < 48; ++k) palette[k] = shade * k + 1.f;
    float sum = 0.f;
    // ruleid: local-array
    for (int p = 0; p < pixels; ++p) sum += palette[pixel[size_t(p) * n + i]];
    out[i] = sum;
}

__global__ void blend_palette_shared(const int* pixel, const float* base, float* out, int n, int pixels) {
    // ok: local-array
    __shared__ float palette[48][128];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    float shade = base[i];
#pragma unroll
    for (int k = 0; k < 48; ++k) palette[k][t] = shade * k + 1.f;
    float sum = 0.f;
    for (int p = 0; p < pixels; ++p) sum += palette[pixel[size_t(p) * n + i]][t];
    out[i] = sum;
}

// Sums over random neighbours, 96 in each thread: few warps fit, and yet there is enough to do in each of them.
template <int Features>
__device__ __forceinline__ void gather(const float* value, const int* neighbour, float* out, int nodes, int degree,
                                       int node) {
    float sum[Features] = {};
    for (int k = 0; k < degree; ++k) {
        float v = value[neighbour[size_t(k) * nodes + node]];
#pragma unroll
        for (int f = 0; f < Features; ++f) sum[f] = fmaf(sum[f], 0.5f, v * (f + 1));
    }
#pragma unroll
    for (int f = 0; f < Features; ++f) out[size_t(f) * nodes + node] = sum[f];
}

// ok: register-limited-occupancy
// allow: scattered-gather, uncoalesced-global-access, dram-bandwidth-bound
__global__ void gather_wide(const float* value, const int* neighbour, float* out, int nodes, int degree) {
    gather<96>(value, neighbour, out, nodes, degree, blockIdx.x * blockDim.x + threadIdx.x);
}

// Four times the warps, and each gathers the same neighbours again.
// ok: register-limited-occupancy
// allow: scattered-gather, uncoalesced-global-access, memory-latency-bound
__global__ void gather_narrow(const float* value, const int* neighbour, float* out, int nodes, int degree) {
    gather<24>(value, neighbour, out + size_t(blockIdx.y) * 24 * nodes, nodes, degree,
               blockIdx.x * blockDim.x + threadIdx.x);
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int n = 1 << 20;
    double* a = sample.array<double>(size_t(n) * 24, unit);
    double* b = sample.array<double>(size_t(n) * 16, [](size_t i) { return unit(i + 3); });
    double* out = sample.zeros<double>(size_t(n) * 24);
    sample.run("correlate_bands_capped", [&] { correlate_bands_capped<<<n / 128, 128>>>(a, b, out, n); });
    sample.checksum("correlate", out, size_t(n) * 16);
    sample.run("correlate_bands", [&] { correlate_bands<<<n / 128, 128>>>(a, b, out, n); });
    sample.checksum("correlate", out, size_t(n) * 16);
    sample.run("thomas_rows", [&] { thomas_rows<<<n / 128, 128>>>(a, out, n); });
    sample.checksum("thomas", out, size_t(n) * 24);

    const int leaves = 1 << 12, intervals = 2 * leaves - 1;
    std::vector<float2> tree(intervals);
    for (int k = intervals - 1; k >= 0; --k) {
        float centre = (k - leaves + 1 + 0.5f) / leaves;
        tree[k] = k >= leaves - 1 ? make_float2(centre - 0.0006f, centre + 0.0006f)
                                  : make_float2(tree[2 * k + 1].x, tree[2 * k + 2].y);
    }
    float2* node = sample.array<float2>(intervals, [&](size_t i) { return tree[i]; });
    float* query = sample.array<float>(n, [](size_t i) { return (i + unit(i)) / float(n); }, n);
    int* hits = sample.zeros<int>(n);
    sample.run("traverse_stack", [&] { traverse_stack<<<n / 256, 256>>>(node, query, hits, n, intervals); });
    sample.checksum("hits", hits, n);
    sample.run("traverse_packed", [&] { traverse_packed<<<n / 256, 256>>>(node, query, hits, n, intervals); });
    sample.checksum("hits", hits, n);

    int* pixel = sample.array<int>(size_t(n) * 32, [](size_t i) { return hashed(i) % 48; }, n + 77);
    float* base = sample.array<float>(n, unit);
    float* blended = sample.zeros<float>(n);
    sample.run("blend_palette", [&] { blend_palette<<<n / 128, 128>>>(pixel, base, blended, n, 32); });
    sample.checksum("palette", blended, n);
    sample.run("blend_palette_shared", [&] { blend_palette_shared<<<n / 128, 128>>>(pixel, base, blended, n, 32); });
    sample.checksum("palette", blended, n);

    const int nodes = 1 << 18, degree = 16;
    int* neighbour = sample.array<int>(size_t(nodes) * degree, [](size_t i) { return hashed(i) % nodes; },
                                       size_t(nodes) * degree);
    float* value = sample.array<float>(nodes, unit);
    float* features = sample.zeros<float>(size_t(nodes) * 96);
    sample.run("gather_wide", [&] { gather_wide<<<nodes / 128, 128>>>(value, neighbour, features, nodes, degree); });
    sample.checksum("gather_first", features, size_t(nodes));
    sample.run("gather_narrow", [&] {
        gather_narrow<<<dim3(nodes / 128, 4), 128>>>(value, neighbour, features, nodes, degree);
    });
    sample.checksum("gather_first", features, size_t(nodes));
}
