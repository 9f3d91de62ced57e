// Light probes that walk to their cell: 96 coefficients wait in registers all the way, which leaves room for few warps.
#include "../sample.cuh"

constexpr int kCoefficients = 96;

__device__ float lit(const float* coefficient, float direction) {
    float sum = 0.f, basis = 1.f;
#pragma unroll
    for (int k = 0; k < kCoefficients; ++k) {
        sum = fmaf(coefficient[k], basis, sum);
        basis *= direction;
    }
    return sum;
}

// ruleid: register-limited-occupancy
// allow: dependent-load-chain, memory-latency-bound, scattered-gather, uncoalesced-global-access
__global__ void light_probes(const float* coefficients, const int* next, const float* direction, float* out, int probes,
                             int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= probes) return;
    float mine[kCoefficients];
#pragma unroll
    for (int k = 0; k < kCoefficients; ++k) mine[k] = coefficients[size_t(k) * probes + i];
    float before = lit(mine, direction[i]);
    int cell = i;
    for (int s = 0; s < steps; ++s) cell = next[cell];
    out[i] = before + lit(mine, direction[cell]);
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int probes = 1 << 18, steps = 64;
    float* coefficients = sample.array<float>(size_t(probes) * kCoefficients, unit);
    int* next = sample.array<int>(probes, [](size_t i) { return hashed(i) % probes; }, probes);
    float* direction = sample.array<float>(probes, unit);
    float* out = sample.zeros<float>(probes);
    sample.run("light_probes", [&] {
        light_probes<<<probes / 128, 128>>>(coefficients, next, direction, out, probes, steps);
    });
    sample.checksum("light_probes", out, probes);
}
