// Light on the vertices of a mesh that is kept as one array for each member: only the normals are read, all of each sector.
#include "../sample.cuh"

struct Mesh {
    const float *nx, *ny, *nz;
};

__global__ void shade(Mesh mesh, float* light, float3 sun, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    // ok: strided-struct-access
    float towards = mesh.nx[i] * sun.x + mesh.ny[i] * sun.y + mesh.nz[i] * sun.z;
    light[i] = fmaxf(towards, 0.f);
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int count = 1 << 24;
    auto member = [&](size_t k) {
        return sample.array<float>(count, [k](size_t i) { return unit(k * 4096 + i % 4096); });
    };
    Mesh mesh = {member(3), member(4), member(5)};
    float* light = sample.zeros<float>(count);
    float3 sun = {0.3f, 0.5f, 0.8f};
    sample.run("shade", [&] { shade<<<count / 256, 256>>>(mesh, light, sun, count); });
    sample.checksum("shade", light, count);
}
