// Contrast of an image whose rows are 4099 pixels long and packed: rows start in the middle of a sector.
#include "../sample.cuh"

__global__ void stretch_contrast(const float* image, float* out, int width, int height, int pitch, float gain) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    size_t i = size_t(y) * pitch + x;
    // ruleid: misaligned-global-access
    out[i] = (image[i] - 0.5f) * gain + 0.5f;
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int width = 4099, height = 8192, pitch = width;
    float* image = sample.array<float>(size_t(pitch) * height, unit);
    float* out = sample.zeros<float>(size_t(pitch) * height);
    dim3 block(128, 2), grid((width + 127) / 128, height / 2);
    sample.run("stretch_contrast", [&] {
        stretch_contrast<<<grid, block>>>(image, out, width, height, pitch, 1.2f);
    });
    sample.checksum("stretch_contrast", out, size_t(pitch) * height);
}
