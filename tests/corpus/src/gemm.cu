// Matrix products: bf16 and int8 without tensor cores and with them, and single precision in its usual three shapes.
// pair: tensor-cores-idle project_bf16 -> project_bf16_wmma
// pair: tensor-cores-idle score_int8 -> score_int8_wmma
#include <cuda_bf16.h>
#include <mma.h>

#include "../../../rules/sample.cuh"

using namespace nvcuda;
using bf16 = __nv_bfloat16;

// Each thread makes four neighbouring results from packed pairs.
__global__ void project_bf16(const bf16* x, const bf16* w, float* y, int n) {
    int col = 4 * (blockIdx.x * blockDim.x + threadIdx.x), row = blockIdx.y * blockDim.y + threadIdx.y;
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int k = 0; k < n; ++k) {
        // ruleid: tensor-cores-idle
        float a = __bfloat162float(x[row * n + k]);
        const __nv_bfloat162* b = reinterpret_cast<const __nv_bfloat162*>(w + k * n + col);
        // ruleid: tensor-cores-idle
        float2 b01 = __bfloat1622float2(b[0]), b23 = __bfloat1622float2(b[1]);
        // ruleid: tensor-cores-idle
        s0 += a * b01.x, s1 += a * b01.y, s2 += a * b23.x, s3 += a * b23.y;
    }
    *reinterpret_cast<float4*>(y + row * n + col) = make_float4(s0, s1, s2, s3);
}

template <typename In, typename Sum, typename Out>
__device__ void wmma_product(const In* a, const In* b, Out* c, int n) {
    int warp = threadIdx.x / 32, row = blockIdx.y * 64 + warp / 4 * 32, col = blockIdx.x * 128 + warp % 4 * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, Sum> sum[2][2];
    for (int i = 0; i < 4; ++i) wmma::fill_fragment(sum[i / 2][i % 2], Sum(0));
    for (int k = 0; k < n; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, In, wmma::row_major> left[2];
        wmma::fragment<wmma::matrix_b, 16, 16, 16, In, wmma::row_major> right[2];
        for (int i = 0; i < 2; ++i) {
            wmma::load_matrix_sync(left[i], a + (row + 16 * i) * n + k, n);
            wmma::load_matrix_sync(right[i], b + k * n + col + 16 * i, n);
        }
        for (int i = 0; i < 4; ++i) wmma::mma_sync(sum[i / 2][i % 2], left[i / 2], right[i % 2], sum[i / 2][i % 2]);
    }
    for (int i = 0; i < 4; ++i) {
        wmma::store_matrix_sync(c + (row + i / 2 * 16) * n + col + i % 2 * 16, sum[i / 2][i % 2], n,
                                wmma::mem_row_major);
    }
}

__global__ void project_bf16_wmma(const bf16* x, const bf16* w, float* y, int n) {
    // ok: tensor-cores-idle
    wmma_product<bf16, float>(x, w, y, n);
}

__global__ void score_int8(const signed char* a, const signed char* b, int* c, int n) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    int sum = 0;
    for (int k = 0; k < n; ++k) {
        // ruleid: tensor-cores-idle
        sum += int(a[row * n + k]) * int(b[k * n + col]);
    }
    c[row * n + col] = sum;
}

__global__ void score_int8_wmma(const signed char* a, const signed char* b, int* c, int n) {
    // ok: tensor-cores-idle
    wmma_product<signed char, int>(a, b, c, n);
}

// Single precision, one result a thread, straight from global memory.
// allow: memory-latency-bound
__global__ void sgemm_plain(const float* a, const float* b, float* c, int n) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.f;
    // ok: tensor-cores-idle, uncoalesced-global-access
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

__global__ void sgemm_tiled(const float* a, const float* b, float* c, int n) {
    __shared__ float ta[32][32], tb[32][32];
    int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * 32 + tx, row = blockIdx.y * 32 + ty;
    float sum = 0.f;
    for (int k = 0; k < n; k += 32) {
        ta[ty][tx] = a[row * n + k + tx];
        tb[ty][tx] = b[(k + ty) * n + col];
        __syncthreads();
        // ok: shared-bank-conflict
        for (int j = 0; j < 32; ++j) sum += ta[ty][j] * tb[j][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

// 128 x 128 a block and 8 x 8 a thread: few warps, all of them busy. Low occupancy is the price of the register tile.
// allow: compute-bound
__global__ void __launch_bounds__(256) sgemm_registers(const float* a, const float* b, float* c, int n) {
    __shared__ float ta[8][128 + 4], tb[8][128];
    int t = threadIdx.x, row0 = blockIdx.y * 128, col0 = blockIdx.x * 128, ty = t / 16 * 4, tx = t % 16 * 4;
    float sum[8][8] = {};
    for (int k = 0; k < n; k += 8) {
        float4 va = *reinterpret_cast<const float4*>(a + (row0 + t / 2) * n + k + t % 2 * 4);
        float4 vb = *reinterpret_cast<const float4*>(b + (k + t / 32) * n + col0 + t % 32 * 4);
        __syncthreads();
        int kk = t % 2 * 4, r = t / 2;
        ta[kk][r] = va.x, ta[kk + 1][r] = va.y, ta[kk + 2][r] = va.z, ta[kk + 3][r] = va.w;
        *reinterpret_cast<float4*>(&tb[t / 32][t % 32 * 4]) = vb;
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            float left[8], right[8];
#pragma unroll
            for (int h = 0; h < 2; ++h) {
                *reinterpret_cast<float4*>(left + 4 * h) = *reinterpret_cast<const float4*>(&ta[j][ty + 64 * h]);
                *reinterpret_cast<float4*>(right + 4 * h) = *reinterpret_cast<const float4*>(&tb[j][tx + 64 * h]);
            }
#pragma unroll
            for (int u = 0; u < 8; ++u) {
#pragma unroll
                // ok: register-limited-occupancy
                for (int v = 0; v < 8; ++v) sum[u][v] = fmaf(left[u], right[v], sum[u][v]);
            }
        }
    }
    for (int u = 0; u < 8; ++u) {
        float* line = c + (row0 + ty + u % 4 + u / 4 * 64) * n + col0 + tx;
        *reinterpret_cast<float4*>(line) = make_float4(sum[u][0], sum[u][1], sum[u][2], sum[u][3]);
        *reinterpret_cast<float4*>(line + 64) = make_float4(sum[u][4], sum[u][5], sum[u][6], sum[u][7]);
    }
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int n = 2048;
    bf16* x = sample.array<bf16>(n * n, [](size_t i) { return __float2bfloat16(unit(i) - 0.4f); });
    bf16* w = sample.array<bf16>(n * n, [](size_t i) { return __float2bfloat16(unit(i + 9) - 0.4f); });
    float* y = sample.zeros<float>(n * n);
    sample.run("project_bf16", [&] { project_bf16<<<dim3(n / 128, n / 8), dim3(32, 8)>>>(x, w, y, n); });
    sample.checksum("project", y, n * n);
    sample.run("project_bf16_wmma", [&] { project_bf16_wmma<<<dim3(n / 128, n / 64), 256>>>(x, w, y, n); });
    sample.checksum("project", y, n * n);

    auto* a = sample.array<signed char>(n * n, [](size_t i) { return int(hashed(i) % 15) - 6; });
    auto* b = sample.array<signed char>(n * n, [](size_t i) { return int(hashed(i + 4) % 15) - 6; });
    int* c = sample.zeros<int>(n * n);
    sample.run("score_int8", [&] { score_int8<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, c, n); });
    sample.checksum("score", c, n * n);
    sample.run("score_int8_wmma", [&] { score_int8_wmma<<<dim3(n / 128, n / 64), 256>>>(a, b, c, n); });
    sample.checksum("score", c, n * n);

    float* fa = sample.array<float>(n * n, [](size_t i) { return unit(i) - 0.4f; });
    float* fb = sample.array<float>(n * n, [](size_t i) { return unit(i + 2) - 0.4f; });
    sample.run("sgemm_plain", [&] { sgemm_plain<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(fa, fb, y, n); });
    sample.checksum("sgemm", y, n * n);
    sample.run("sgemm_tiled", [&] { sgemm_tiled<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(fa, fb, y, n); });
    sample.checksum("sgemm", y, n * n);
    sample.run("sgemm_registers", [&] { sgemm_registers<<<dim3(n / 128, n / 128), 256>>>(fa, fb, y, n); });
    sample.checksum("sgemm", y, n * n);
}
