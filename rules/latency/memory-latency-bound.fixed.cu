// Decay of a field towards its source: each thread has four float4 of both arrays under way before it uses the first.
#include "../sample.cuh"

constexpr int kAhead = 4;

__device__ float4 decayed(float4 f, float4 s, float rate) {
    return make_float4(f.x + rate * (s.x - f.x), f.y + rate * (s.y - f.y), f.z + rate * (s.z - f.z),
                       f.w + rate * (s.w - f.w));
}

__global__ void decay(float4* __restrict__ field, const float4* __restrict__ source, float rate, int vectors) {
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += threads * kAhead) {
        float4 f[kAhead], s[kAhead];
#pragma unroll
        for (int k = 0; k < kAhead; ++k) {
            int j = i + k * threads;
            // ok: memory-latency-bound
            if (j < vectors) f[k] = field[j], s[k] = source[j];
        }
#pragma unroll
        for (int k = 0; k < kAhead; ++k) {
            int j = i + k * threads;
            if (j < vectors) field[j] = decayed(f[k], s[k], rate);
        }
    }
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int cells = 1 << 25;
    float* field = sample.array<float>(cells, unit);
    float* source = sample.array<float>(cells, [](size_t i) { return unit(i + 12345); });
    sample.run("decay", [&] {
        decay<<<132 * 4, 128>>>(reinterpret_cast<float4*>(field), reinterpret_cast<float4*>(source), 0.25f, cells / 4);
    });
    sample.checksum("decay", field, cells);
}
