// Bias and activation of a layer fused into one kernel: the sum stays in registers, half of the bytes are gone.
#include "../sample.cuh"

__device__ float activated(float v, float slope) { return fmaxf(v, v * slope); }

// ruleid: dram-bandwidth-bound
__global__ void bias_leaky_relu(const float4* x, const float4* bias, float4* y, int vectors, int bias_vectors,
                                float slope) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= vectors) return;
    float4 a = x[i], b = bias[i & (bias_vectors - 1)];
    y[i] = make_float4(activated(a.x + b.x, slope), activated(a.y + b.y, slope), activated(a.z + b.z, slope),
                       activated(a.w + b.w, slope));
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int n = 1 << 27, channels = 4096;
    float* x = sample.array<float>(n, [](size_t i) { return unit(i) - 0.5f; });
    float* bias = sample.array<float>(channels, [](size_t i) { return 0.1f * unit(i + 7); });
    float* y = sample.zeros<float>(n);
    sample.run("bias_leaky_relu", [&] {
        bias_leaky_relu<<<n / 4 / 256, 256>>>(reinterpret_cast<float4*>(x), reinterpret_cast<float4*>(bias),
                                              reinterpret_cast<float4*>(y), n / 4, channels / 4, 0.1f);
    });
    sample.checksum("leaky_relu", y, n);
}
