// Logistic maps of many growth rates, one a thread: 17024 short blocks, and the last wave is a small part of the time.
#include "../sample.cuh"

__device__ float settle(float rate, int steps) {
    float x = 0.5f;
    for (int s = 0; s < steps; ++s) x = rate * x * (1.f - x);
    return x;
}

// ok: tail-wave
__global__ void logistic_map(const float* rate, float* end, int maps, int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < maps) end[i] = settle(rate[i], steps);
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int maps = 1064 * 256 * 16, steps = 300;
    float* rate = sample.array<float>(maps, [](size_t i) { return 2.5f + 0.9f * unit(i); });
    float* end = sample.zeros<float>(maps);
    sample.run("logistic_map", [&] { logistic_map<<<maps / 256, 256>>>(rate, end, maps, steps); });
    sample.checksum("logistic_map", end, maps);
}
