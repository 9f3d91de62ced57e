// Particles of four kinds take turns in memory, and every kind has its own force law: each warp runs all four laws in turn.
#include "../sample.cuh"

enum Kind { kSpring, kGravity, kDrag, kField };

__device__ float force(int kind, float x, int rounds) {
    float f = 0.f;
    switch (kind) {
        case kSpring:
            // ruleid: warp-divergence
            for (int r = 0; r < rounds; ++r) f = fmaf(-0.9f, x + f, 0.01f);
            break;
        case kGravity:
            // ruleid: warp-divergence
            for (int r = 0; r < rounds; ++r) f = rsqrtf(x * x + f * f + 0.01f);
            break;
        case kDrag:
            // ruleid: warp-divergence
            for (int r = 0; r < rounds; ++r) f = 0.5f * f - x * fabsf(x + f);
            break;
        default:
            // ruleid: warp-divergence
            for (int r = 0; r < rounds; ++r) f = __expf(-fabsf(x + f));
    }
    return f;
}

__global__ void apply_forces(const float* position, const int* kind, float* out, int particles, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // ruleid: warp-divergence
    if (i < particles) out[i] = force(kind[i], position[i], rounds);
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int particles = 1 << 22;
    float* position = sample.array<float>(particles, unit, particles);
    int* kind = sample.array<int>(particles, [](size_t i) { return i % 4; });
    float* out = sample.zeros<float>(particles);
    sample.run("apply_forces", [&] { apply_forces<<<particles / 256, 256>>>(position, kind, out, particles, 64); });
    sample.checksum("apply_forces", out, particles);
}
