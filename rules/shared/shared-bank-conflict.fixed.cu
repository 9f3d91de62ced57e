// Median over time of each pixel: the shared array is turned round, so that the lanes of a warp use 32 different banks.
#include "../sample.cuh"

constexpr int kBlock = 256, kFrames = 16;

__global__ void temporal_median(const float* video, float* median, int pixels, int frames) {
    __shared__ float window[kFrames][kBlock];
    int t = threadIdx.x, i = blockIdx.x * kBlock + t;
    for (int f = 0; f < frames; ++f) {
        // ok: shared-bank-conflict
        window[f][t] = video[size_t(f) * pixels + i];
    }
    for (int pass = 0; pass < frames; ++pass) {
        for (int f = pass & 1; f + 1 < frames; f += 2) {
            // ok: shared-bank-conflict
            float a = window[f][t], b = window[f + 1][t];
            // ok: shared-bank-conflict
            window[f][t] = fminf(a, b);
            // ok: shared-bank-conflict
            window[f + 1][t] = fmaxf(a, b);
        }
    }
    median[i] = window[frames / 2][t];
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int pixels = 1 << 21;
    float* video = sample.array<float>(size_t(pixels) * kFrames, unit, size_t(pixels) * 2 + 37);
    float* median = sample.zeros<float>(pixels);
    sample.run("temporal_median", [&] {
        temporal_median<<<pixels / kBlock, kBlock>>>(video, median, pixels, kFrames);
    });
    sample.checksum("temporal_median", median, pixels);
}
