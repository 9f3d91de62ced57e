// Density of the cell that each particle sits in; the particles are in no order, so each lane reads a sector of its own.
#include "../sample.cuh"

__global__ void sample_density(const float* density, const int* cell, float* out, int particles) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= particles) return;
    // ruleid: scattered-gather, uncoalesced-global-access
    out[i] = 2.f * density[cell[i]] + 1.f;
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int cells = 1 << 26, particles = 1 << 24;
    float* density = sample.array<float>(cells, unit);
    int* cell = sample.array<int>(particles, [](size_t i) { return hashed(i) & (cells - 1); }, particles);
    float* out = sample.zeros<float>(particles);
    sample.run("sample_density", [&] { sample_density<<<particles / 256, 256>>>(density, cell, out, particles); });
    sample.checksum("sample_density", out, particles);
}
