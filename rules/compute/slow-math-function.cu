// Height of a sea as a sum of 48 waves: the exact sinf and powf with their range reduction and special cases take the time.
#include "../sample.cuh"

__global__ void sea_height(const float* where, float* height, int points, int waves, float time) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= points) return;
    float x = where[i], sum = 0.f;
    for (int w = 1; w <= waves; ++w) {
        // ruleid: slow-math-function
        float phase = sinf(x * w + time);
        // ruleid: slow-math-function
        sum += powf(0.5f + 0.5f * phase, 1.f + 0.1f * w);
    }
    height[i] = sum;
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int points = 1 << 21;
    float* where = sample.array<float>(points, [](size_t i) { return 3.f * unit(i); });
    float* height = sample.zeros<float>(points);
    sample.run("sea_height", [&] { sea_height<<<points / 256, 256>>>(where, height, points, 48, 0.7f); });
    sample.checksum("sea_height", height, points);
}
