// Features of graph nodes from random neighbours: four threads share the 96 sums of a node, so four times the warps fit.
#include "../sample.cuh"

constexpr int kFeatures = 96, kDegree = 16, kEach = 24;
__constant__ float weight[kFeatures];

// ok: register-limited-occupancy
__global__ void gather_features(const float* value, const int* neighbour, float* features, int nodes, int degree) {
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes) return;
    int first = blockIdx.y * kEach;
    float sum[kEach] = {};
    for (int k = 0; k < degree; ++k) {
        float v = value[neighbour[size_t(k) * nodes + node]];
#pragma unroll
        for (int f = 0; f < kEach; ++f) sum[f] += fmaxf(v * weight[first + f], sum[f]);
    }
#pragma unroll
    for (int f = 0; f < kEach; ++f) features[size_t(first + f) * nodes + node] = sum[f];
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
        gather_features<<<dim3(nodes / 128, kFeatures / kEach), 128>>>(value, neighbour, features, nodes, kDegree);
    });
    sample.checksum("gather_features", features, size_t(nodes) * kFeatures);
}
