// Softened clipping of 4096 values: the kernel is over after some microseconds, before many samples were taken.
#include "../sample.cuh"

// ruleid: too-few-samples
// allow: grid-too-small
__global__ void soft_clip(const float* x, float* y, int n, float drive) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = tanhf(drive * x[i]);
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int n = 1 << 12;
    float* x = sample.array<float>(n, [](size_t i) { return unit(i) - 0.5f; });
    float* y = sample.zeros<float>(n);
    sample.run("soft_clip", [&] { soft_clip<<<n / 256, 256>>>(x, y, n, 3.f); });
    sample.checksum("soft_clip", y, n);
}
