// Bias and activation of a layer in two kernels: each is as fast as memory allows, but the sum goes to memory and back.
#include "../sample.cuh"

// ruleid: dram-bandwidth-bound
__global__ void add_bias(const float4* x, const float4* bias, float4* sum, int vectors, int bias_vectors) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= vectors) return;
    float4 a = x[i], b = bias[i & (bias_vectors - 1)];
    sum[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

// ruleid: dram-bandwidth-bound
__global__ void leaky_relu(const float4* sum, float4* y, int vectors, float slope) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= vectors) return;
    float4 v = sum[i];
    y[i] = make_float4(fmaxf(v.x, v.x * slope), fmaxf(v.y, v.y * slope), fmaxf(v.z, v.z * slope),
                       fmaxf(v.w, v.w * slope));
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int n = 1 << 27, channels = 4096;
    float* x = sample.array<float>(n, [](size_t i) { return unit(i) - 0.5f; });
    float* bias = sample.array<float>(channels, [](size_t i) { return 0.1f * unit(i + 7); });
    float4* sum = sample.zeros<float4>(n / 4);
    float* y = sample.zeros<float>(n);
    const int blocks = n / 4 / 256;
    sample.run("add_bias", [&] {
        add_bias<<<blocks, 256>>>(reinterpret_cast<float4*>(x), reinterpret_cast<float4*>(bias), sum, n / 4,
                                  channels / 4);
    });
    sample.run("leaky_relu", [&] { leaky_relu<<<blocks, 256>>>(sum, reinterpret_cast<float4*>(y), n / 4, 0.1f); });
    sample.checksum("leaky_relu", y, n);
}
