// Volume padded with zeros on all sides: the flat index of every voxel is taken apart with three divisions by run-time sizes.
#include "../sample.cuh"

struct Size {
    int depth, height, width;
};

__global__ void pad_volume(const float* in, float* out, Size from, Size to, int margin, int voxels) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= voxels) return;
    // ruleid: integer-division
    int x = i % to.width - margin;
    // ruleid: integer-division
    int y = i / to.width % to.height - margin;
    // ruleid: integer-division
    int z = i / (to.width * to.height) % to.depth - margin;
    bool inside = x >= 0 && x < from.width && y >= 0 && y < from.height && z >= 0 && z < from.depth;
    out[i] = inside ? in[(z * from.height + y) * from.width + x] : 0.f;
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int margin = 8;
    Size from = {240, 496, 496}, to = {256, 512, 512};
    const int voxels = to.depth * to.height * to.width;
    float* in = sample.array<float>(from.depth * from.height * from.width, unit);
    float* out = sample.zeros<float>(voxels);
    sample.run("pad_volume", [&] { pad_volume<<<voxels / 256, 256>>>(in, out, from, to, margin, voxels); });
    sample.checksum("pad_volume", out, voxels);
}
