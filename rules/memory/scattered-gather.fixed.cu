// Density of the cell that each particle sits in; the particles are kept sorted by cell, so a warp reads neighbouring cells.
#include "../sample.cuh"

__global__ void sample_density(const float* density, const int* cell, float* out, int particles) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= particles) return;
    // ok: scattered-gather
    out[i] = 2.f * density[cell[i]] + 1.f;
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int cells = 1 << 26, particles = 1 << 24;
    float* density = sample.array<float>(cells, unit);
    std::vector<int> order(particles);
    for (int i = 0; i < particles; ++i) order[i] = hashed(i) & (cells - 1);
    std::sort(order.begin(), order.end());
    int* cell = sample.array<int>(particles, [&](size_t i) { return order[i]; }, particles);
    float* out = sample.zeros<float>(particles);
    sample.run("sample_density", [&] { sample_density<<<particles / 256, 256>>>(density, cell, out, particles); });
    sample.checksum("sample_density", out, particles);
}
