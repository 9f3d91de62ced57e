// Loudness of audio frames evened out: thread 0 adds up the 256 squares of the frame while the other warps wait.
#include "../sample.cuh"

constexpr int kFrame = 256;

__global__ void even_loudness(const float* audio, float* out) {
    __shared__ float square[kFrame];
    __shared__ float gain;
    int t = threadIdx.x, i = blockIdx.x * kFrame + t;
    float v = audio[i];
    square[t] = v * v;
    __syncthreads();
    // ruleid: idle-warps-at-barrier, barrier-stall
    if (t == 0) {
        float energy = 0.f;
        // ruleid: idle-warps-at-barrier, barrier-stall
        for (int k = 0; k < kFrame; ++k) energy += square[k];
        gain = rsqrtf(energy / kFrame + 1e-6f);
    }
    // ruleid: idle-warps-at-barrier, barrier-stall
    __syncthreads();
    out[i] = v * gain;
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int frames = 1 << 17;
    float* audio = sample.array<float>(frames * kFrame, [](size_t i) { return unit(i) - 0.5f; });
    float* out = sample.zeros<float>(frames * kFrame);
    sample.run("even_loudness", [&] { even_loudness<<<frames, kFrame>>>(audio, out); });
    sample.checksum("even_loudness", out, frames * kFrame);
}
