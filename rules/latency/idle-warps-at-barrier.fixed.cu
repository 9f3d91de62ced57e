// Loudness of audio frames evened out: every warp adds up its own 32 squares with shuffles, then all read the eight sums.
#include "../sample.cuh"

constexpr int kFrame = 256, kWarps = kFrame / 32;

__global__ void even_loudness(const float* audio, float* out) {
    __shared__ float partial[kWarps];
    int t = threadIdx.x, i = blockIdx.x * kFrame + t;
    float v = audio[i], sum = v * v;
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
    if (t % 32 == 0) partial[t / 32] = sum;
    // ok: idle-warps-at-barrier
    __syncthreads();
    float energy = 0.f;
#pragma unroll
    for (int k = 0; k < kWarps; ++k) energy += partial[k];
    out[i] = v * rsqrtf(energy / kFrame + 1e-6f);
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int frames = 1 << 17;
    float* audio = sample.array<float>(frames * kFrame, [](size_t i) { return unit(i) - 0.5f; });
    float* out = sample.zeros<float>(frames * kFrame);
    sample.run("even_loudness", [&] { even_loudness<<<frames, kFrame>>>(audio, out); });
    sample.checksum("even_loudness", out, frames * kFrame);
}
