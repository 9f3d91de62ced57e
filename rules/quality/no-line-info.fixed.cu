// Stereo to mid and side, built with -lineinfo: every instruction has its line.
#include "../sample.cuh"

// ok: no-line-info
__global__ void mid_side(const float* stereo, float* mid, float* side, int frames) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= frames) return;
    float left = stereo[i], right = stereo[i + frames];
    mid[i] = 0.5f * (left + right);
    side[i] = 0.5f * (left - right);
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int frames = 1 << 24;
    float* stereo = sample.array<float>(frames * 2, unit);
    float* mid = sample.zeros<float>(frames);
    float* side = sample.zeros<float>(frames);
    sample.run("mid_side", [&] { mid_side<<<frames / 256, 256>>>(stereo, mid, side, frames); });
    sample.checksum("mid_side", mid, frames);
}
