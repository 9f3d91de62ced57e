// Logistic maps of many growth rates, sixteen a thread: 1064 long blocks on 1056 places, so eight of them run alone at the end.
#include "../sample.cuh"

constexpr int kEach = 16;

__device__ float settle(float rate, int steps) {
    float x = 0.5f;
    for (int s = 0; s < steps; ++s) x = rate * x * (1.f - x);
    return x;
}

// ruleid: tail-wave
__global__ void logistic_map(const float* rate, float* end, int maps, int steps) {
    int first = blockIdx.x * blockDim.x * kEach + threadIdx.x;
    for (int k = 0; k < kEach; ++k) {
        int i = first + k * blockDim.x;
        if (i < maps) end[i] = settle(rate[i], steps);
    }
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int maps = 1064 * 256 * kEach, steps = 300;
    float* rate = sample.array<float>(maps, [](size_t i) { return 2.5f + 0.9f * unit(i); });
    float* end = sample.zeros<float>(maps);
    // ruleid: tail-wave
    sample.run("logistic_map", [&] { logistic_map<<<1064, 256>>>(rate, end, maps, steps); });
    sample.checksum("logistic_map", end, maps);
}
