// Volume padded with zeros on all sides: a three-dimensional grid gives the coordinates without a division.
#include "../sample.cuh"

struct Size {
    int depth, height, width;
};

__global__ void pad_volume(const float* in, float* out, Size from, Size to, int margin) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= to.width) return;
    // ok: integer-division
    int x = i - margin, y = int(blockIdx.y) - margin, z = int(blockIdx.z) - margin;
    bool inside = x >= 0 && x < from.width && y >= 0 && y < from.height && z >= 0 && z < from.depth;
    out[(blockIdx.z * to.height + blockIdx.y) * to.width + i] =
        inside ? in[(z * from.height + y) * from.width + x] : 0.f;
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int margin = 8;
    Size from = {240, 496, 496}, to = {256, 512, 512};
    const int voxels = to.depth * to.height * to.width;
    float* in = sample.array<float>(from.depth * from.height * from.width, unit);
    float* out = sample.zeros<float>(voxels);
    sample.run("pad_volume", [&] {
        pad_volume<<<dim3((to.width + 255) / 256, to.height, to.depth), 256>>>(in, out, from, to, margin);
    });
    sample.checksum("pad_volume", out, voxels);
}
