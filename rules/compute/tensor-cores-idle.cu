// Product of half-precision matrices through shared memory, with ordinary multiply-adds: the tensor cores do nothing.
#include <cuda_fp16.h>

#include "../sample.cuh"

constexpr int kTile = 32;

__global__ void matmul(const __half* a, const __half* b, float* c, int n) {
    __shared__ __half tile_a[kTile][kTile], tile_b[kTile][kTile];
    int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
    float sum = 0.f;
    for (int k = 0; k < n; k += kTile) {
        tile_a[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + col];
        __syncthreads();
        for (int j = 0; j < kTile; ++j) {
            // ruleid: tensor-cores-idle
            sum += __half2float(tile_a[threadIdx.y][j]) * __half2float(tile_b[j][threadIdx.x]);
        }
        __syncthreads();
    }
    c[row * n + col] = sum;
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int n = 2048;
    __half* a = sample.array<__half>(n * n, [](size_t i) { return __float2half(unit(i) - 0.4f); });
    __half* b = sample.array<__half>(n * n, [](size_t i) { return __float2half(unit(i + 99) - 0.4f); });
    float* c = sample.zeros<float>(n * n);
    dim3 block(kTile, kTile), grid(n / kTile, n / kTile);
    sample.run("matmul", [&] { matmul<<<grid, block>>>(a, b, c, n); });
    sample.checksum("matmul", c, n * n);
}
