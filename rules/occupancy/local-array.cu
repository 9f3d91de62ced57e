// Most frequent level of each pixel over time: a histogram of 16 bins a thread, subscripted by data, so it lives in local memory.
#include "../sample.cuh"

constexpr int kLevels = 16;

__global__ void most_frequent(const int* level, int* mode, int pixels, int frames) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels) return;
    // ruleid: local-array
    int counts[kLevels] = {};
    // ruleid: local-array
    for (int f = 0; f < frames; ++f) ++counts[level[size_t(f) * pixels + i]];
    int best = 0;
    for (int k = 1; k < kLevels; ++k) {
        // ruleid: local-array
        if (counts[k] > counts[best]) best = k;
    }
    mode[i] = best;
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int pixels = 1 << 20, frames = 64;
    int* level = sample.array<int>(size_t(pixels) * frames, [](size_t i) { return hashed(i) % kLevels; },
                                   (size_t(1) << 20) + 77);
    int* mode = sample.zeros<int>(pixels);
    sample.run("most_frequent", [&] { most_frequent<<<pixels / 256, 256>>>(level, mode, pixels, frames); });
    sample.checksum("most_frequent", mode, pixels);
}
