// Heat on many rods, eight cells a thread in registers: only the ends go through shared memory, and four warps meet instead
// of thirty-two.
#include "../sample.cuh"

constexpr int kCells = 1024, kEach = 8, kThreads = kCells / kEach;

__global__ void diffuse(const float* start, float* end, int steps) {
    __shared__ float left[2][kThreads + 2], right[2][kThreads + 2];
    int t = threadIdx.x;
    float cell[kEach];
    const float4* from = reinterpret_cast<const float4*>(start + blockIdx.x * kCells + t * kEach);
    *reinterpret_cast<float4*>(cell) = from[0];
    *reinterpret_cast<float4*>(cell + 4) = from[1];
    if (t < 2) left[t][kThreads + 1] = right[t][0] = 0.f;
    for (int s = 0; s < steps; ++s) {
        left[s & 1][t + 1] = cell[0];
        right[s & 1][t + 1] = cell[kEach - 1];
        // ok: barrier-stall
        __syncthreads();
        float before = right[s & 1][t], after = left[s & 1][t + 2];
#pragma unroll
        for (int k = 0; k < kEach; ++k) {
            float next = k + 1 < kEach ? cell[k + 1] : after, now = cell[k];
            cell[k] = now + 0.2f * (before - 2.f * now + next);
            before = now;
        }
    }
    float4* to = reinterpret_cast<float4*>(end + blockIdx.x * kCells + t * kEach);
    to[0] = make_float4(cell[0], cell[1], cell[2], cell[3]);
    to[1] = make_float4(cell[4], cell[5], cell[6], cell[7]);
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int rods = 132 * 16, steps = 500;
    float* start = sample.array<float>(rods * kCells, unit);
    float* end = sample.zeros<float>(rods * kCells);
    sample.run("diffuse", [&] { diffuse<<<rods, kThreads>>>(start, end, steps); });
    sample.checksum("diffuse", end, rods * kCells);
}
