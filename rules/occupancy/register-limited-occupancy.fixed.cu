// Light probes that walk to their cell first and read their 96 coefficients after: few registers are live on the way.
#include "../sample.cuh"

constexpr int kCoefficients = 96;

// ok: register-limited-occupancy
// allow: dependent-load-chain, memory-latency-bound, scattered-gather, uncoalesced-global-access
__global__ void light_probes(const float* coefficients, const int* next, const float* direction, float* out, int probes,
                             int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= probes) return;
    int cell = i;
    for (int s = 0; s < steps; ++s) cell = next[cell];
    float from = direction[i], to = direction[cell], before = 0.f, after = 0.f, from_basis = 1.f, to_basis = 1.f;
#pragma unroll 8
    for (int k = 0; k < kCoefficients; ++k) {
        float coefficient = coefficients[size_t(k) * probes + i];
        before = fmaf(coefficient, from_basis, before);
        after = fmaf(coefficient, to_basis, after);
        from_basis *= from;
        to_basis *= to;
    }
    out[i] = before + after;
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
