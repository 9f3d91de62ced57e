// Loops of uneven length, lanes that leave early, and branches that cost nothing.
// pair: warp-divergence collatz -> collatz_grouped
// pair: warp-divergence odd_lanes -> odd_packed
#include "../../../rules/sample.cuh"

__device__ int steps_to_one(unsigned long long v) {
    int steps = 0;
    while (v > 1) {
        // ruleid[collatz]: warp-divergence
        v = v & 1 ? 3 * v + 1 : v / 2;
        // ruleid[collatz]: warp-divergence
        ++steps;
    }
    return steps;
}

__global__ void collatz(const unsigned* start, int* steps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // ruleid: warp-divergence
    if (i < n) steps[i] = steps_to_one(start[i]);
}

// The numbers come grouped by their number of steps.
// allow: warp-divergence
__global__ void collatz_grouped(const unsigned* start, int* steps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) steps[i] = steps_to_one(start[i]);
}

__device__ float refine(float v, int rounds) {
    for (int r = 0; r < rounds; ++r) v = 0.5f * (v + __fdividef(2.f, v)) + 0.001f * v * v;
    return v;
}

// Red-black relaxation: every second lane has nothing to do.
__global__ void odd_lanes(const float* in, float* out, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // ruleid: warp-divergence
    if (i % 2 == 0) return;
    // ruleid: warp-divergence
    out[i] = refine(in[i], rounds);
}

// As many threads as there is work; the accesses have a stride of two, which is little beside the arithmetic.
// allow: uncoalesced-global-access
__global__ void odd_packed(const float* in, float* out, int n, int rounds) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1;
    // ok: warp-divergence
    if (i < n) out[i] = refine(in[i], rounds);
}

// A warp takes one side or the other: no divergence in spite of the branch.
__global__ void by_warp(const float* in, float* out, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i];
    // ok: warp-divergence
    if (i / 32 % 2) v = refine(v + 1.f, rounds);
    else for (int r = 0; r < rounds; ++r) v = fmaf(v, 0.99f, 0.02f);
    out[i] = v;
}

// Clamps and borders: short branches that become predicates.
__global__ void clamp_border(const float* in, float* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float v = 0.f;
    // ok: warp-divergence
    if (x > 2 && x < width - 3 && y > 2 && y < height - 3) v = in[y * width + x];
    if (v > 0.9f) v = 0.9f;
    out[y * width + x] = v;
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int n = 1 << 21;
    std::vector<std::pair<int, unsigned>> by_steps(n);
    for (int i = 0; i < n; ++i) {
        unsigned first = 3 + hashed(i) % 1000000;
        int steps = 0;
        for (unsigned long long v = first; v > 1; ++steps) v = v & 1 ? 3 * v + 1 : v / 2;
        by_steps[i] = {steps, first};
    }
    unsigned* start = sample.array<unsigned>(n, [&](size_t i) { return by_steps[i].second; }, n);
    std::sort(by_steps.begin(), by_steps.end());
    unsigned* grouped = sample.array<unsigned>(n, [&](size_t i) { return by_steps[i].second; }, n);
    int* steps = sample.zeros<int>(n);
    sample.run("collatz", [&] { collatz<<<n / 256, 256>>>(start, steps, n); });
    sample.checksum("collatz", steps, n);
    sample.run("collatz_grouped", [&] { collatz_grouped<<<n / 256, 256>>>(grouped, steps, n); });
    sample.checksum("collatz", steps, n);
    const int cells = 1 << 24;
    float* in = sample.array<float>(cells, [](size_t i) { return 0.5f + unit(i); });
    float* out = sample.zeros<float>(cells);
    sample.run("odd_lanes", [&] { odd_lanes<<<cells / 256, 256>>>(in, out, cells, 48); });
    sample.checksum("odd", out, cells);
    sample.run("odd_packed", [&] { odd_packed<<<cells / 512, 256>>>(in, out, cells, 48); });
    sample.checksum("odd", out, cells);
    sample.run("by_warp", [&] { by_warp<<<cells / 256, 256>>>(in, out, cells, 48); });
    sample.checksum("by_warp", out, cells);
    sample.run("clamp_border", [&] {
        clamp_border<<<dim3(4096 / 32, 4096 / 8), dim3(32, 8)>>>(in, out, 4096, 4096);
    });
    sample.checksum("clamp_border", out, cells);
}
