// Weight of each bag of items, kept as one array in which item k of all bags stand together: all addresses are known at once.
#include "../sample.cuh"

__global__ void bag_weights(const float* item_weights, float* weights, int bags, int length) {
    int bag = blockIdx.x * blockDim.x + threadIdx.x;
    if (bag >= bags) return;
    float sum = 0.f;
    for (int k = 0; k < length; ++k) {
        // ok: dependent-load-chain
        sum += item_weights[size_t(k) * bags + bag];
    }
    weights[bag] = sum;
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int bags = 1 << 16, length = 64, count = bags * length;
    float* item_weights = sample.array<float>(count, [](size_t i) { return unit(i % bags * length + i / bags); }, count);
    float* weights = sample.zeros<float>(bags);
    sample.run("bag_weights", [&] { bag_weights<<<bags / 128, 128>>>(item_weights, weights, bags, length); });
    sample.checksum("bag_weights", weights, bags);
}
