// 8x8 cosine transform of image blocks, one block a thread; the bound leaves 128 registers, and the 64 live values fit.
#include "../sample.cuh"

__constant__ float basis[8][8];

__device__ __forceinline__ void transform8(float& a, float& b, float& c, float& d, float& e, float& f, float& g,
                                           float& h) {
    const float in[8] = {a, b, c, d, e, f, g, h};
    float out[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        out[k] = 0.f;
#pragma unroll
        for (int j = 0; j < 8; ++j) out[k] = fmaf(basis[k][j], in[j], out[k]);
    }
    a = out[0], b = out[1], c = out[2], d = out[3], e = out[4], f = out[5], g = out[6], h = out[7];
}

// ok: register-spill
__global__ void __launch_bounds__(256, 2) dct8x8(const float* pixels, float* coefficients, int blocks) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= blocks) return;
    float v[64];
#pragma unroll
    // ok: register-spill
    for (int k = 0; k < 64; ++k) v[k] = pixels[size_t(k) * blocks + i];
#pragma unroll
    for (int r = 0; r < 64; r += 8) {
        // ok: register-spill
        transform8(v[r], v[r + 1], v[r + 2], v[r + 3], v[r + 4], v[r + 5], v[r + 6], v[r + 7]);
    }
#pragma unroll
    for (int c = 0; c < 8; ++c) {
        // ok: register-spill
        transform8(v[c], v[c + 8], v[c + 16], v[c + 24], v[c + 32], v[c + 40], v[c + 48], v[c + 56]);
    }
#pragma unroll
    // ok: register-spill
    for (int k = 0; k < 64; ++k) coefficients[size_t(k) * blocks + i] = v[k];
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int blocks = 1 << 20;
    float host[8][8];
    for (int k = 0; k < 8; ++k) {
        for (int j = 0; j < 8; ++j) host[k][j] = (k ? 0.5f : 0.353553f) * cosf((2 * j + 1) * k * 0.19634954f);
    }
    CHECK(cudaMemcpyToSymbol(basis, host, sizeof(host)));
    float* pixels = sample.array<float>(size_t(blocks) * 64, unit, (size_t(1) << 20) + 77);
    float* coefficients = sample.zeros<float>(size_t(blocks) * 64);
    sample.run("dct8x8", [&] { dct8x8<<<blocks / 256, 256>>>(pixels, coefficients, blocks); });
    sample.checksum("dct8x8", coefficients, size_t(blocks) * 64);
}
