// Heat on many rods, one cell a thread: 1024 threads meet at a barrier for every step of four additions.
#include "../sample.cuh"

constexpr int kCells = 1024;

__global__ void diffuse(const float* start, float* end, int steps) {
    __shared__ float rod[2][kCells + 2];
    int t = threadIdx.x;
    rod[0][t + 1] = start[blockIdx.x * kCells + t];
    if (t < 2) rod[t][0] = rod[t][kCells + 1] = 0.f;
    __syncthreads();
    for (int s = 0; s < steps; ++s) {
        const float* now = rod[s & 1];
        rod[(s + 1) & 1][t + 1] = now[t + 1] + 0.2f * (now[t] - 2.f * now[t + 1] + now[t + 2]);
        // ruleid: barrier-stall
        __syncthreads();
    }
    end[blockIdx.x * kCells + t] = rod[steps & 1][t + 1];
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int rods = 132 * 16, steps = 500;
    float* start = sample.array<float>(rods * kCells, unit);
    float* end = sample.zeros<float>(rods * kCells);
    sample.run("diffuse", [&] { diffuse<<<rods, kCells>>>(start, end, steps); });
    sample.checksum("diffuse", end, rods * kCells);
}
