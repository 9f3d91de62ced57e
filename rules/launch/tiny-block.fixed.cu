// Mix of two sound tracks in blocks of 256 threads: eight of them fill a multiprocessor.
#include "../sample.cuh"

// ok: tiny-block, block-limited-occupancy
__global__ void mix(const float* left, const float* right, float* out, float balance, int samples) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < samples) out[i] = left[i] + balance * (right[i] - left[i]);
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int samples = 1 << 25;
    float* left = sample.array<float>(samples, unit);
    float* right = sample.array<float>(samples, [](size_t i) { return unit(i + 31); });
    float* out = sample.zeros<float>(samples);
    // ok: tiny-block, block-limited-occupancy
    sample.run("mix", [&] { mix<<<samples / 256, 256>>>(left, right, out, 0.3f, samples); });
    sample.checksum("mix", out, samples);
}
