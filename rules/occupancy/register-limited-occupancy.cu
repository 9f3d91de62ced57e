// Features of graph nodes from random neighbours: 96 sums a thread leave room for few warps, and each step waits for a gather.
#include "../sample.cuh"

constexpr int kFeatures = 96, kDegree = 16;
__constant__ float weight[kFeatures];

// ruleid: register-limited-occupancy
__global__ void gather_features(const float* value, const int* neighbour, float* features, int nodes, int degree) {
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes) return;
    float sum[kFeatures] = {};
    for (int k = 0; k < degree; ++k) {
        float v = value[neighbour[size_t(k) * nodes + node]];
#pragma unroll
        for (int f = 0; f < kFeatures; ++f) sum[f] += fmaxf(v * weight[f], sum[f]);
    }
#pragma unroll
    for (int f = 0; f < kFeatures; ++f) features[size_t(f) * nodes + node] = sum[f];
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int nodes = 1 << 18;
    float host[kFeatures];
    for (int f = 0; f < kFeatures; ++f) host[f] = 0.01f * (f + 1);
    CHECK(cudaMemcpyToSymbol(weight, host, sizeof(host)));
    float* value = sample.array<float>(nodes, unit);
    int* neighbour = sample.array<int>(size_t(nodes) * kDegree, [](size_t i) { return hashed(i) % nodes; },
                                       size_t(nodes) * kDegree);
    float* features = sample.zeros<float>(size_t(nodes) * kFeatures);
    sample.run("gather_features", [&] {
        gather_features<<<nodes / 128, 128>>>(value, neighbour, features, nodes, kDegree);
    });
    sample.checksum("gather_features", features, size_t(nodes) * kFeatures);
}
