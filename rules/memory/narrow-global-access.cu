// Threshold of an 8-bit image, one byte a thread: a warp moves 32 bytes an instruction, and the issue of loads is the limit.
#include "../sample.cuh"

__global__ void threshold(const unsigned char* image, unsigned char* mask, int pixels, unsigned char level) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels) return;
    // ruleid: narrow-global-access
    mask[i] = image[i] > level ? 255 : 0;
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int pixels = 1 << 28;
    auto* image = sample.array<unsigned char>(pixels, [](size_t i) { return hashed(i) & 255; });
    auto* mask = sample.zeros<unsigned char>(pixels);
    sample.run("threshold", [&] { threshold<<<pixels / 256, 256>>>(image, mask, pixels, 127); });
    sample.checksum("threshold", mask, pixels);
}
