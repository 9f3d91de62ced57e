// Threshold of an 8-bit image, sixteen bytes a thread: one load and one store of a whole uint4.
#include "../sample.cuh"

__device__ unsigned select4(unsigned four, unsigned level4) { return __vcmpgtu4(four, level4); }

__global__ void threshold(const uint4* image, uint4* mask, int vectors, unsigned level4) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= vectors) return;
    // ok: narrow-global-access
    uint4 v = image[i];
    mask[i] = make_uint4(select4(v.x, level4), select4(v.y, level4), select4(v.z, level4), select4(v.w, level4));
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int pixels = 1 << 28, vectors = pixels / 16;
    auto* image = sample.array<unsigned char>(pixels, [](size_t i) { return hashed(i) & 255; });
    auto* mask = sample.zeros<unsigned char>(pixels);
    sample.run("threshold", [&] {
        threshold<<<vectors / 256, 256>>>(reinterpret_cast<uint4*>(image), reinterpret_cast<uint4*>(mask), vectors,
                                          127u * 0x01010101u);
    });
    sample.checksum("threshold", mask, pixels);
}
