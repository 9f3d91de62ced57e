// Most frequent level of each pixel over time: the 16 bins of a thread are a column of a shared array, each in its own bank.
#include "../sample.cuh"

constexpr int kLevels = 16, kBlock = 256;

__global__ void most_frequent(const int* level, int* mode, int pixels, int frames) {
    // ok: local-array
    __shared__ int counts[kLevels][kBlock];
    int t = threadIdx.x, i = blockIdx.x * kBlock + t;
    if (i >= pixels) return;
    for (int k = 0; k < kLevels; ++k) counts[k][t] = 0;
    for (int f = 0; f < frames; ++f) ++counts[level[size_t(f) * pixels + i]][t];
    int best = 0, highest = counts[0][t];
    for (int k = 1; k < kLevels; ++k) {
        if (counts[k][t] > highest) highest = counts[k][t], best = k;
    }
    mode[i] = best;
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int pixels = 1 << 20, frames = 64;
    int* level = sample.array<int>(size_t(pixels) * frames, [](size_t i) { return hashed(i) % kLevels; },
                                   (size_t(1) << 20) + 77);
    int* mode = sample.zeros<int>(pixels);
    sample.run("most_frequent", [&] { most_frequent<<<pixels / kBlock, kBlock>>>(level, mode, pixels, frames); });
    sample.checksum("most_frequent", mode, pixels);
}
