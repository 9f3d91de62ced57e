// Waiting for addresses: search trees, hash probes, and loads that are independent.
// pair: dependent-load-chain search_sorted -> search_merged
// pair: memory-latency-bound probe_one -> probe_eight
#include "../../../rules/sample.cuh"

// Binary search of random keys: 24 loads, each after the last.
__global__ void search_sorted(const int* sorted, const int* key, int* place, int n, int keys) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= keys) return;
    int low = 0, high = n, k = key[i];
    while (low < high) {
        int middle = (low + high) / 2;
        // ruleid: dependent-load-chain, memory-latency-bound, scattered-gather
        if (sorted[middle] < k) low = middle + 1;
        else high = middle;
    }
    place[i] = low;
}

// The keys are sorted too: neighbouring lanes take the same way down, and the caches serve it.
// allow: dependent-load-chain, memory-latency-bound
__global__ void search_merged(const int* sorted, const int* key, int* place, int n, int keys) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= keys) return;
    int low = 0, high = n, k = key[i];
    while (low < high) {
        int middle = (low + high) / 2;
        // ok: scattered-gather
        if (sorted[middle] < k) low = middle + 1;
        else high = middle;
    }
    place[i] = low;
}

__device__ int slot_of(unsigned key, int slots) { return (key * 2654435761u >> 7) & (slots - 1); }

// A few persistent threads fetch one table entry after the other; nothing else is under way.
// allow: scattered-gather, uncoalesced-global-access
__global__ void probe_one(const unsigned* key, const float* table, float* out, int n, int slots) {
    float sum = 0.f;
    int threads = gridDim.x * blockDim.x;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        // ruleid: memory-latency-bound
        sum += table[slot_of(key[i], slots)];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Eight keys and then eight entries at a time.
// allow: scattered-gather, uncoalesced-global-access
__global__ void probe_eight(const unsigned* key, const float* table, float* out, int n, int slots) {
    float sum = 0.f;
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 8 * threads) {
        unsigned k[8];
#pragma unroll
        for (int j = 0; j < 8; ++j) k[j] = key[i + j * threads];
#pragma unroll
        // ok: memory-latency-bound
        for (int j = 0; j < 8; ++j) sum += table[slot_of(k[j], slots)];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Many loads in flight by plain unrolling; runs at the memory's speed.
__global__ void sum_planes(const float* planes, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.f;
#pragma unroll
    // ok: memory-latency-bound
    for (int p = 0; p < 16; ++p) sum += planes[size_t(p) * n + i];
    out[i] = sum;
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int n = 1 << 24, keys = 1 << 21;
    int* sorted = sample.array<int>(n, [](size_t i) { return 64 * int(i); }, n);
    int* random = sample.array<int>(keys, [](size_t i) { return int(hashed(i) >> 2); }, keys);
    std::vector<int> order(keys);
    for (int i = 0; i < keys; ++i) order[i] = int(hashed(i) >> 2);
    std::sort(order.begin(), order.end());
    int* ordered = sample.array<int>(keys, [&](size_t i) { return order[i]; }, keys);
    int* place = sample.zeros<int>(keys);
    sample.run("search_sorted", [&] { search_sorted<<<keys / 256, 256>>>(sorted, random, place, n, keys); });
    sample.checksum("search", place, keys);
    sample.run("search_merged", [&] { search_merged<<<keys / 256, 256>>>(sorted, ordered, place, n, keys); });
    sample.checksum("search", place, keys);

    const int slots = 1 << 24, probes = 132 * 256 * 8 * 32;
    unsigned* key = sample.array<unsigned>(probes, hashed, probes);
    float* table = sample.array<float>(slots, unit);
    float* out = sample.zeros<float>(1 << 24);
    sample.run("probe_one", [&] { probe_one<<<132 * 2, 128>>>(key, table, out, probes, slots); });
    sample.checksum("probe", out, 132 * 256);
    sample.run("probe_eight", [&] { probe_eight<<<132 * 2, 128>>>(key, table, out, probes, slots); });
    sample.checksum("probe", out, 132 * 256);
    const int cells = 1 << 23;
    float* planes = sample.array<float>(size_t(cells) * 16, unit);
    sample.run("sum_planes", [&] { sum_planes<<<cells / 256, 256>>>(planes, out, cells); });
    sample.checksum("sum_planes", out, cells);
}
