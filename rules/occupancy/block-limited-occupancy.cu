// Lens correction, a block of 720 threads for each row of a 720-pixel image: only two such blocks fit on a multiprocessor.
#include "../sample.cuh"

__device__ float blend(const float* row, float x) {
    int left = int(x);
    return row[left] + (x - left) * (row[left + 1] - row[left]);
}

// ruleid: block-limited-occupancy
__global__ void correct_lens(const float* image, const float2* source, float* out, int width, int height) {
    int x = threadIdx.x, y = blockIdx.x;
    size_t i = size_t(y) * width + x;
    float2 from = source[i];
    int top = int(from.y);
    float upper = blend(image + size_t(top) * width, from.x), lower = blend(image + size_t(top + 1) * width, from.x);
    out[i] = upper + (from.y - top) * (lower - upper);
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int width = 720, height = 40000;
    float* image = sample.array<float>(size_t(width) * height, unit);
    std::vector<float2> map(size_t(width) * height);
    for (size_t i = 0; i < map.size(); ++i) {
        float x = float(i % width) - width / 2, y = float(i / width % height);
        map[i] = {width / 2 + x * (0.93f + 1.2e-7f * x * x), std::min(y * 0.9995f + 2e-5f * x * x, height - 2.f)};
    }
    float2* source = sample.array<float2>(map.size(), [&](size_t i) { return map[i]; }, map.size());
    float* out = sample.zeros<float>(map.size());
    sample.run("correct_lens", [&] { correct_lens<<<height, width>>>(image, source, out, width, height); });
    sample.checksum("correct_lens", out, map.size());
}
