// Gaussian blur of 15 x 15 taps as 15 along the rows and then 15 along the columns: an eighth of the products.
#include "../sample.cuh"

constexpr int kTaps = 15, kRadius = kTaps / 2, kTileX = 64, kTileY = 32, kBlockY = 4;
constexpr int kSpanX = kTileX + kTaps - 1, kSpanY = kTileY + kTaps - 1;
__constant__ float tap[kTaps];

__global__ void blur(const float* image, float* out, int width, int height) {
    __shared__ float tile[kSpanY][kSpanX], rows[kSpanY][kTileX];
    int left = blockIdx.x * kTileX, top = blockIdx.y * kTileY;
    for (int k = threadIdx.y * kTileX + threadIdx.x; k < kSpanX * kSpanY; k += kTileX * kBlockY) {
        int x = min(max(left + k % kSpanX - kRadius, 0), width - 1);
        int y = min(max(top + k / kSpanX - kRadius, 0), height - 1);
        tile[k / kSpanX][k % kSpanX] = image[y * width + x];
    }
    __syncthreads();
    for (int y = threadIdx.y; y < kSpanY; y += kBlockY) {
        float sum = 0.f;
#pragma unroll
        for (int c = 0; c < kTaps; ++c) sum = fmaf(tap[c], tile[y][threadIdx.x + c], sum);
        rows[y][threadIdx.x] = sum;
    }
    __syncthreads();
    for (int y = threadIdx.y; y < kTileY; y += kBlockY) {
        float sum = 0.f;
#pragma unroll
        // ok: compute-bound
        for (int r = 0; r < kTaps; ++r) sum = fmaf(tap[r], rows[y + r][threadIdx.x], sum);
        out[(top + y) * width + left + threadIdx.x] = sum;
    }
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int width = 8192, height = 4096;
    float host[kTaps], total = 0;
    for (int k = 0; k < kTaps; ++k) total += host[k] = expf(-0.06f * (k - kRadius) * (k - kRadius));
    for (float& t : host) t /= total;
    CHECK(cudaMemcpyToSymbol(tap, host, sizeof(host)));
    float* image = sample.array<float>(width * height, unit, (1 << 20) + 77);
    float* out = sample.zeros<float>(width * height);
    dim3 block(kTileX, kBlockY), grid(width / kTileX, height / kTileY);
    sample.run("blur", [&] { blur<<<grid, block>>>(image, out, width, height); });
    sample.checksum("blur", out, width * height);
}
