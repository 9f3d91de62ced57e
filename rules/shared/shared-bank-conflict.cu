// Median over time of each pixel: every thread sorts its own row of a shared array, and all rows start in the same banks.
#include "../sample.cuh"

constexpr int kBlock = 256, kFrames = 16;

__global__ void temporal_median(const float* video, float* median, int pixels, int frames) {
    __shared__ float window[kBlock][kFrames];
    int t = threadIdx.x, i = blockIdx.x * kBlock + t;
    for (int f = 0; f < frames; ++f) {
        // ruleid: shared-bank-conflict
        window[t][f] = video[size_t(f) * pixels + i];
    }
    for (int pass = 0; pass < frames; ++pass) {
        for (int f = pass & 1; f + 1 < frames; f += 2) {
            // ruleid: shared-bank-conflict
            float a = window[t][f], b = window[t][f + 1];
            // ruleid: shared-bank-conflict
            window[t][f] = fminf(a, b);
            // ruleid: shared-bank-conflict
            window[t][f + 1] = fmaxf(a, b);
        }
    }
    median[i] = window[t][frames / 2];
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
