// Softened clipping of a whole recording at once: thousands of samples tell where the time goes.
#include "../sample.cuh"

// ok: too-few-samples
__global__ void soft_clip(const float* x, float* y, int n, float drive) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = tanhf(drive * x[i]);
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int n = 1 << 26;
    float* x = sample.array<float>(n, [](size_t i) { return unit(i) - 0.5f; });
    float* y = sample.zeros<float>(n);
    sample.run("soft_clip", [&] { soft_clip<<<n / 256, 256>>>(x, y, n, 3.f); });
    sample.checksum("soft_clip", y, n);
}
