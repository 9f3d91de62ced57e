// Decay of a field towards its source: the in-place store keeps the compiler from loading ahead, so each warp waits for one
// element after the other.
#include "../sample.cuh"

__global__ void decay(float* field, const float* source, float rate, int cells) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < cells; i += gridDim.x * blockDim.x) {
        // ruleid: memory-latency-bound
        field[i] = field[i] + rate * (source[i] - field[i]);
    }
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int cells = 1 << 25;
    float* field = sample.array<float>(cells, unit);
    float* source = sample.array<float>(cells, [](size_t i) { return unit(i + 12345); });
    sample.run("decay", [&] { decay<<<132 * 4, 128>>>(field, source, 0.25f, cells); });
    sample.checksum("decay", field, cells);
}
