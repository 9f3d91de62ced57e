// Transposes of doubles and half-precision numbers through shared memory: conflicts, padding, swizzle, and none of it.
// pair: uncoalesced-global-access transpose_direct -> transpose_padded
// pair: shared-bank-conflict transpose_square_tile -> transpose_padded
// pair: shared-bank-conflict lookup_columns -> lookup_columns_padded
#include "../../../rules/sample.cuh"

constexpr int kTile = 32;

__global__ void transpose_direct(const double* in, double* out, int n) {
    int x = blockIdx.x * kTile + threadIdx.x;
    for (int k = threadIdx.y; k < kTile; k += blockDim.y) {
        int y = blockIdx.y * kTile + k;
        // ruleid: uncoalesced-global-access
        out[size_t(x) * n + y] = in[size_t(y) * n + x];
    }
}

template <int Pad, bool Swizzle>
__device__ void through_tile(const double* in, double* out, int n) {
    __shared__ double tile[kTile][kTile + Pad];
    int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile;
    for (int k = threadIdx.y; k < kTile; k += blockDim.y) {
        int column = Swizzle ? threadIdx.x ^ k : threadIdx.x;
        tile[k][column] = in[size_t(y + k) * n + x];
    }
    __syncthreads();
    x = blockIdx.y * kTile + threadIdx.x, y = blockIdx.x * kTile;
    for (int k = threadIdx.y; k < kTile; k += blockDim.y) {
        int column = Swizzle ? threadIdx.x ^ k : k;
        // ruleid[transpose_square_tile]: shared-bank-conflict
        out[size_t(y + k) * n + x] = tile[threadIdx.x][column];
    }
}

// allow: barrier-stall
__global__ void transpose_square_tile(const double* in, double* out, int n) { through_tile<0, false>(in, out, n); }
__global__ void transpose_padded(const double* in, double* out, int n) { through_tile<1, false>(in, out, n); }
__global__ void transpose_swizzled(const double* in, double* out, int n) { through_tile<0, true>(in, out, n); }

// Each thread follows its own table of 32 entries in shared memory: a struct of arrays turned the wrong way round.
template <int Pitch>
__device__ float follow(const float* tables, const float* in, int n, int steps) {
    __shared__ float table[128 * Pitch];
    int t = threadIdx.x;
    for (int k = 0; k < 32; ++k) table[t * Pitch + k] = tables[k * 128 + t];
    float v = in[blockIdx.x * 128 + t];
    for (int s = 0; s < steps; ++s) {
        // ruleid[lookup_columns]: shared-bank-conflict
        v = fmaf(v, 0.5f, table[t * Pitch + (s & 31)]);
    }
    return v;
}

__global__ void lookup_columns(const float* tables, const float* in, float* out, int n, int steps) {
    out[blockIdx.x * 128 + threadIdx.x] = follow<32>(tables, in, n, steps);
}

__global__ void lookup_columns_padded(const float* tables, const float* in, float* out, int n, int steps) {
    out[blockIdx.x * 128 + threadIdx.x] = follow<33>(tables, in, n, steps);
}

// 16-byte shared accesses need four wavefronts a warp: that is no conflict.
__global__ void reverse_vectors(const float4* in, float4* out) {
    __shared__ float4 line[256];
    int t = threadIdx.x;
    line[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    // ok: shared-bank-conflict
    out[blockIdx.x * 256 + t] = line[255 - t];
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int n = 4096;
    double* in = sample.array<double>(n * n, unit, n * 77);
    double* out = sample.zeros<double>(n * n);
    dim3 block(kTile, 8), grid(n / kTile, n / kTile);
    sample.run("transpose_direct", [&] { transpose_direct<<<grid, block>>>(in, out, n); });
    sample.run("transpose_square_tile", [&] { transpose_square_tile<<<grid, block>>>(in, out, n); });
    sample.run("transpose_padded", [&] { transpose_padded<<<grid, block>>>(in, out, n); });
    sample.run("transpose_swizzled", [&] { transpose_swizzled<<<grid, block>>>(in, out, n); });
    sample.checksum("transpose", out, n * n);
    float* tables = sample.array<float>(32 * 128, unit);
    const int threads = 1 << 20;
    float* start = sample.array<float>(threads, unit);
    float* end = sample.zeros<float>(threads);
    sample.run("lookup_columns", [&] { lookup_columns<<<threads / 128, 128>>>(tables, start, end, threads, 256); });
    sample.checksum("lookup", end, threads);
    sample.run("lookup_columns_padded", [&] {
        lookup_columns_padded<<<threads / 128, 128>>>(tables, start, end, threads, 256);
    });
    sample.checksum("lookup", end, threads);
    float4* vectors = reinterpret_cast<float4*>(in);
    sample.run("reverse_vectors", [&] { reverse_vectors<<<n * n / 2 / 256, 256>>>(vectors, reinterpret_cast<float4*>(out)); });
    sample.checksum("reverse", out, n * n);
}
