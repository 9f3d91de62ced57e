// European options at 32 strikes each; the constants of the normal distribution have no f, so the sums run in double.
#include "../sample.cuh"

__device__ float normal_cdf(float d) {
    // ruleid: double-promotion
    float k = 1.0 / (1.0 + 0.2316419 * fabsf(d));
    // ruleid: double-promotion
    float tail = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    // ruleid: double-promotion
    tail *= 0.39894228 * __expf(-0.5f * d * d);
    // ruleid: double-promotion
    return d < 0 ? tail : 1.0 - tail;
}

__global__ void price_calls(const float* spot, float* price, float rate, float volatility, int options, int strikes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= options) return;
    float s = spot[i], sum = 0.f;
    for (int k = 0; k < strikes; ++k) {
        float strike = 80.f + 2.f * k;
        // ruleid: double-promotion
        float d1 = (__logf(s / strike) + rate + 0.5 * volatility * volatility) / volatility;
        sum += s * normal_cdf(d1) - strike * __expf(-rate) * normal_cdf(d1 - volatility);
    }
    price[i] = sum;
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int options = 1 << 20;
    float* spot = sample.array<float>(options, [](size_t i) { return 80.f + 40.f * unit(i); });
    float* price = sample.zeros<float>(options);
    sample.run("price_calls", [&] { price_calls<<<options / 256, 256>>>(spot, price, 0.02f, 0.3f, options, 32); });
    sample.checksum("price_calls", price, options);
}
