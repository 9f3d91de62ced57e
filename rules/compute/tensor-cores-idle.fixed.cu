// Product of half-precision matrices on the tensor cores: each warp keeps a 32 x 32 piece of the result in fragments.
#include <cuda_fp16.h>
#include <mma.h>

#include "../sample.cuh"

using namespace nvcuda;

constexpr int kWarp = 32, kWarps = 4;  // a block of 4 x 2 warps makes 64 x 128 of the result

__global__ void matmul(const __half* a, const __half* b, float* c, int n) {
    int warp = threadIdx.x / 32;
    int row = blockIdx.y * 2 * kWarp + warp / kWarps * kWarp, col = (blockIdx.x * kWarps + warp % kWarps) * kWarp;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
    for (auto& line : sum) {
        for (auto& piece : line) wmma::fill_fragment(piece, 0.f);
    }
    for (int k = 0; k < n; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left[2];
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right[2];
        for (int i = 0; i < 2; ++i) {
            wmma::load_matrix_sync(left[i], a + (row + 16 * i) * n + k, n);
            wmma::load_matrix_sync(right[i], b + k * n + col + 16 * i, n);
        }
        for (int i = 0; i < 2; ++i) {
            // ok: tensor-cores-idle
            for (int j = 0; j < 2; ++j) wmma::mma_sync(sum[i][j], left[i], right[j], sum[i][j]);
        }
    }
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            wmma::store_matrix_sync(c + (row + 16 * i) * n + col + 16 * j, sum[i][j], n, wmma::mem_row_major);
        }
    }
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int n = 2048;
    __half* a = sample.array<__half>(n * n, [](size_t i) { return __float2half(unit(i) - 0.4f); });
    __half* b = sample.array<__half>(n * n, [](size_t i) { return __float2half(unit(i + 99) - 0.4f); });
    float* c = sample.zeros<float>(n * n);
    dim3 grid(n / (kWarps * kWarp), n / (2 * kWarp));
    sample.run("matmul", [&] { matmul<<<grid, 256>>>(a, b, c, n); });
    sample.checksum("matmul", c, n * n);
}
