// Faults that are rarer: one chain of sums, atomics in shared memory, conversions, indexed constants, fences, uneven blocks.
// pair: low-ilp polynomial_chain -> polynomial_split
// pair: shared-atomic-contention vote_block -> vote_warps
// pair: type-conversion ramp_integer -> ramp_float
// pair: constant-cache-miss tone_curve_constant -> tone_curve_shared
// pair: memory-fence-stall publish_each -> publish_once
// pair: workload-imbalance triangle_rows -> triangle_folded
// pair: unfused-multiply-add accumulate_rounded -> accumulate_fused
// pair: single-thread-kernel sum_serial -> sum_parallel
// pair: shared-limited-occupancy level_counts_words -> level_counts_bytes
#include "../../../rules/sample.cuh"

// Few warps and one long chain of dependent multiply-adds in each.
__global__ void polynomial_chain(const float* x, float* y, int terms) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i], sum = 0.f;
    for (int k = 0; k < terms; ++k) {
        // ruleid: low-ilp
        sum = fmaf(sum, v, 0.25f);
    }
    y[i] = sum;
}

// The same sum as four interleaved chains in powers of v^4.
__global__ void polynomial_split(const float* x, float* y, int terms) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i], v4 = v * v * v * v, a = 0.f, b = 0.f, c = 0.f, d = 0.f;
    for (int k = 0; k < terms; k += 4) {
        // ok: low-ilp
        a = fmaf(a, v4, 0.25f), b = fmaf(b, v4, 0.25f), c = fmaf(c, v4, 0.25f), d = fmaf(d, v4, 0.25f);
    }
    y[i] = a + v * (b + v * (c + v * d));
}

__global__ void vote_block(const int* choice, int* votes, int n) {
    __shared__ int counts[4];
    if (threadIdx.x < 4) counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        // ruleid: shared-atomic-contention
        atomicAdd(&counts[choice[i]], 1);
    }
    __syncthreads();
    if (threadIdx.x < 4) atomicAdd(&votes[threadIdx.x], counts[threadIdx.x]);
}

__global__ void vote_warps(const int* choice, int* votes, int n) {
    int mine[4] = {};
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int c = choice[i];
#pragma unroll
        for (int k = 0; k < 4; ++k) mine[k] += c == k;
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        int sum = __reduce_add_sync(~0u, mine[k]);
        // ok: shared-atomic-contention, contended-atomic
        if (threadIdx.x % 32 == 0) atomicAdd(&votes[k], sum);
    }
}

// An integer counter that is turned into a float in every round.
__global__ void ramp_integer(const int* step, float* y, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = i & 255, by = step[i];
    float sum = 0.f;
    for (int k = 0; k < rounds; ++k) {
        at += by;
        // ruleid: type-conversion
        sum += float(at);
    }
    y[i] = sum;
}

__global__ void ramp_float(const int* step, float* y, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float at = i & 255, by = step[i], sum = 0.f;
    for (int k = 0; k < rounds; ++k) {
        at += by;
        // ok: type-conversion
        sum += at;
    }
    y[i] = sum;
}

__constant__ float curve[1024];

// Lanes want different entries of constant memory, which serves one address at a time.
__global__ void tone_curve_constant(const int* tone, float* out, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int at = tone[i];
    float sum = 0.f;
    for (int k = 0; k < rounds; ++k) {
        // ruleid: constant-cache-miss
        sum += curve[at];
        at = (at * 5 + 1) & 1023;
    }
    out[i] = sum;
}

__global__ void tone_curve_shared(const int* tone, float* out, int n, int rounds) {
    __shared__ float copy[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) copy[k] = curve[k];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int at = tone[i];
    float sum = 0.f;
    for (int k = 0; k < rounds; ++k) {
        // ok: constant-cache-miss
        sum += copy[at];
        at = (at * 5 + 1) & 1023;
    }
    out[i] = sum;
}

// A fence after every element, where one before the flag is enough.
__global__ void publish_each(const float* in, float* out, int n) {
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        out[i] = in[i] * 2.f;
        // ruleid: memory-fence-stall
        __threadfence();
    }
}

__global__ void publish_once(const float* in, float* out, int n) {
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) out[i] = in[i] * 2.f;
    // ok: memory-fence-stall
    __threadfence();
}

__device__ float row_energy(const float* x, int row, int n) {
    float sum = 0.f;
    for (int c = threadIdx.x; c <= row; c += blockDim.x) {
        float d = x[c] - x[row];
        sum += rsqrtf(d * d + 0.01f);
    }
    return sum;
}

// Row r of a triangle has r + 1 elements, and the long rows come last.
// ruleid: workload-imbalance
__global__ void triangle_rows(const float* x, float* out, int n, int each) {
    float sum = 0.f;
    for (int k = 0; k < each; ++k) sum += row_energy(x, blockIdx.x * each + k, n);
    atomicAdd(&out[threadIdx.x], sum);
}

// Short and long rows in one block.
// ok: workload-imbalance
__global__ void triangle_folded(const float* x, float* out, int n, int each) {
    float sum = 0.f;
    for (int k = 0; k < each; k += 2) {
        int row = blockIdx.x * each / 2 + k / 2;
        sum += row_energy(x, row, n) + row_energy(x, n - 1 - row, n);
    }
    atomicAdd(&out[threadIdx.x], sum);
}

__global__ void accumulate_rounded(const float* x, float* y, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i], a = 0.f, b = 1.f;
    for (int k = 0; k < rounds; ++k) {
        // ruleid: unfused-multiply-add
        a = __fadd_rn(__fmul_rn(a, v), b);
        // ruleid: unfused-multiply-add
        b = __fadd_rn(__fmul_rn(b, v), 0.5f);
    }
    y[i] = a;
}

__global__ void accumulate_fused(const float* x, float* y, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i], a = 0.f, b = 1.f;
    for (int k = 0; k < rounds; ++k) {
        a = fmaf(a, v, b);
        // ok: unfused-multiply-add
        b = fmaf(b, v, 0.5f);
    }
    y[i] = a;
}

// ruleid: single-thread-kernel, grid-too-small
// allow: tiny-block, memory-latency-bound, grid-too-small, warp-divergence, block-limited-occupancy
__global__ void sum_serial(const float* x, float* total, int n) {
    float sum = 0.f;
    for (int i = 0; i < n; ++i) sum += x[i];
    *total = sum;
}

// allow: kernel-too-short
__global__ void sum_parallel(const float* x, float* total, int n) {
    float sum = 0.f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
    for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(~0u, sum, o);
    if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}

// A histogram of 192 levels for each thread, 96 KB of shared memory a block.
template <typename Count>
__device__ int busiest(const int* level, int pixels, int n) {
    extern __shared__ unsigned char memory[];
    Count* counts = reinterpret_cast<Count*>(memory) + threadIdx.x;
    int i = blockIdx.x * 128 + threadIdx.x, best = 0;
    for (int k = 0; k < 192; ++k) counts[k * 128] = 0;
    for (int p = 0; p < pixels; ++p) ++counts[level[size_t(p) * n + i] * 128];
    for (int k = 1; k < 192; ++k) best = counts[k * 128] > counts[best * 128] ? k : best;
    return best;
}

// ruleid: shared-limited-occupancy
__global__ void level_counts_words(const int* level, int* mode, int pixels, int n) {
    mode[blockIdx.x * 128 + threadIdx.x] = busiest<int>(level, pixels, n);
}

// Counters of a byte: four times the blocks fit.
// ok: shared-limited-occupancy
// allow: shared-limited-occupancy
__global__ void level_counts_bytes(const int* level, int* mode, int pixels, int n) {
    mode[blockIdx.x * 128 + threadIdx.x] = busiest<unsigned char>(level, pixels, n);
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int n = 1 << 24, few = 132 * 4 * 64, many = 1 << 20;
    float* x = sample.array<float>(n, [](size_t i) { return 0.9f * unit(i); });
    float* y = sample.zeros<float>(n);
    sample.run("polynomial_chain", [&] { polynomial_chain<<<few / 64, 64>>>(x, y, 40000); });
    sample.checksum("polynomial", y, few);
    sample.run("polynomial_split", [&] { polynomial_split<<<few / 64, 64>>>(x, y, 40000); });
    sample.checksum("polynomial", y, few);
    int* choice = sample.array<int>(n, [](size_t i) { return hashed(i) % 4; });
    int* votes = sample.zeros<int>(8);
    sample.run("vote_block", [&] { vote_block<<<132 * 4, 512>>>(choice, votes, n); });
    sample.run("vote_warps", [&] { vote_warps<<<132 * 4, 512>>>(choice, votes + 4, n); });
    sample.checksum("votes", votes, 4);
    sample.checksum("votes", votes + 4, 4);
    sample.run("ramp_integer", [&] { ramp_integer<<<many / 256, 256>>>(choice, y, 400); });
    sample.checksum("ramp", y, many);
    sample.run("ramp_float", [&] { ramp_float<<<many / 256, 256>>>(choice, y, 400); });
    sample.checksum("ramp", y, many);
    std::vector<float> host(1024);
    for (int k = 0; k < 1024; ++k) host[k] = sqrtf(k / 1023.f);
    CHECK(cudaMemcpyToSymbol(curve, host.data(), 4096));
    int* tone = sample.array<int>(many, [](size_t i) { return hashed(i) & 1023; });
    sample.run("tone_curve_constant", [&] { tone_curve_constant<<<many / 256, 256>>>(tone, y, many, 32); });
    sample.checksum("tone", y, many);
    sample.run("tone_curve_shared", [&] { tone_curve_shared<<<many / 256, 256>>>(tone, y, many, 32); });
    sample.checksum("tone", y, many);
    sample.run("publish_each", [&] { publish_each<<<132 * 8, 256>>>(x, y, n); });
    sample.checksum("publish", y, n);
    sample.run("publish_once", [&] { publish_once<<<132 * 8, 256>>>(x, y, n); });
    sample.checksum("publish", y, n);
    const int rows = 132 * 4 * 64, each = 64;
    float* sums = sample.zeros<float>(512);
    sample.run("triangle_rows", [&] { triangle_rows<<<rows / each, 256>>>(x, sums, rows, each); });
    sample.run("triangle_folded", [&] { triangle_folded<<<rows / each, 256>>>(x, sums + 256, rows, each); });
    sample.checksum("triangle", sums, 256);
    sample.checksum("triangle", sums + 256, 256);
    sample.run("accumulate_rounded", [&] { accumulate_rounded<<<many / 256, 256>>>(x, y, 1000); });
    sample.checksum("accumulate", y, many);
    sample.run("accumulate_fused", [&] { accumulate_fused<<<many / 256, 256>>>(x, y, 1000); });
    sample.checksum("accumulate", y, many);
    float* total = sample.zeros<float>(2);
    sample.run("sum_serial", [&] { sum_serial<<<1, 1>>>(x, total, 1 << 17); });
    sample.run("sum_parallel", [&] { sum_parallel<<<128, 256>>>(x, total + 1, 1 << 17); });
    sample.checksum("sum", total, 1);
    sample.checksum("sum", total + 1, 1);
    const int columns = 1 << 18, pixels = 64;
    int* level = sample.array<int>(size_t(columns) * pixels, [](size_t i) { return hashed(i) % 192; }, columns * 3 + 7);
    int* mode = sample.zeros<int>(columns);
    CHECK(cudaFuncSetAttribute(level_counts_words, cudaFuncAttributeMaxDynamicSharedMemorySize, 192 * 128 * 4));
    sample.run("level_counts_words", [&] {
        level_counts_words<<<columns / 128, 128, 192 * 128 * 4>>>(level, mode, pixels, columns);
    });
    sample.checksum("levels", mode, columns);
    sample.run("level_counts_bytes", [&] {
        level_counts_bytes<<<columns / 128, 128, 192 * 128>>>(level, mode, pixels, columns);
    });
    sample.checksum("levels", mode, columns);
}
