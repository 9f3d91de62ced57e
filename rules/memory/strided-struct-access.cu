// Light on the vertices of a mesh: each lane reads the normal out of a 32-byte vertex, so most of every sector is waste.
#include "../sample.cuh"

struct Vertex {
    float x, y, z;
    float nx, ny, nz;
    float u, v;
};

__global__ void shade(const Vertex* vertices, float* light, float3 sun, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    // ruleid: strided-struct-access, uncoalesced-global-access
    float towards = vertices[i].nx * sun.x + vertices[i].ny * sun.y + vertices[i].nz * sun.z;
    light[i] = fmaxf(towards, 0.f);
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int count = 1 << 24;
    float* raw = sample.array<float>(size_t(count) * 8, [](size_t i) { return unit(i % 8 * 4096 + i / 8 % 4096); });
    float* light = sample.zeros<float>(count);
    float3 sun = {0.3f, 0.5f, 0.8f};
    sample.run("shade", [&] {
        shade<<<count / 256, 256>>>(reinterpret_cast<const Vertex*>(raw), light, sun, count);
    });
    sample.checksum("shade", light, count);
}
