// Gaussian blur of 15 x 15 taps as one sum of 225 products: the multiply-add pipe is full and nothing is left to repair inside.
#include "../sample.cuh"

constexpr int kTaps = 15, kRadius = kTaps / 2, kRows = 8, kTileX = 64, kTileY = 32;
constexpr int kSpanX = kTileX + kTaps - 1, kSpanY = kTileY + kTaps - 1;
__constant__ float tap[kTaps];

// ruleid: compute-bound
__global__ void blur(const float* image, float* out, int width, int height) {
    __shared__ float tile[kSpanY][kSpanX];
    int left = blockIdx.x * kTileX, top = blockIdx.y * kTileY;
    for (int k = threadIdx.y * kTileX + threadIdx.x; k < kSpanX * kSpanY; k += kTileX * kTileY / kRows) {
        int x = min(max(left + k % kSpanX - kRadius, 0), width - 1);
        int y = min(max(top + k / kSpanX - kRadius, 0), height - 1);
        tile[k / kSpanX][k % kSpanX] = image[y * width + x];
    }
    __syncthreads();
    float sum[kRows] = {};
    for (int c = 0; c < kTaps; ++c) {
        float column[kRows] = {};
#pragma unroll
        for (int r = 0; r < kRows + kTaps - 1; ++r) {
            float v = tile[threadIdx.y * kRows + r][threadIdx.x + c] * tap[c];
#pragma unroll
            for (int o = 0; o < kRows; ++o) {
                if (r - o >= 0 && r - o < kTaps) column[o] = fmaf(tap[r - o], v, column[o]);
            }
        }
#pragma unroll
        for (int o = 0; o < kRows; ++o) sum[o] += column[o];
    }
    for (int o = 0; o < kRows; ++o) out[(top + threadIdx.y * kRows + o) * width + left + threadIdx.x] = sum[o];
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
    dim3 block(kTileX, kTileY / kRows), grid(width / kTileX, height / kTileY);
    sample.run("blur", [&] { blur<<<grid, block>>>(image, out, width, height); });
    sample.checksum("blur", out, width * height);
}
