// Visits per country out of a web log: counted in registers, summed in the warp, then in the block; one atomic a block and
// counter is left.
#include "../sample.cuh"

template <int Countries>
__global__ void count_visits(const int* country, int* visits, int records) {
    __shared__ int block[Countries];
    if (threadIdx.x < Countries) block[threadIdx.x] = 0;
    __syncthreads();
    int mine[Countries] = {};
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < records; i += gridDim.x * blockDim.x) {
        int c = country[i];
#pragma unroll
        for (int k = 0; k < Countries; ++k) mine[k] += c == k;
    }
#pragma unroll
    for (int k = 0; k < Countries; ++k) {
        int sum = __reduce_add_sync(~0u, mine[k]);
        if (threadIdx.x % 32 == 0) atomicAdd(&block[k], sum);
    }
    __syncthreads();
    // ok: contended-atomic
    if (threadIdx.x < Countries) atomicAdd(&visits[threadIdx.x], block[threadIdx.x]);
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int records = 1 << 24, countries = 8;
    int* country = sample.array<int>(records, [](size_t i) { return hashed(i) % countries; });
    int* visits = sample.zeros<int>(countries);
    sample.run("count_visits", [&] { count_visits<countries><<<132 * 4, 512>>>(country, visits, records); });
    sample.checksum("count_visits", visits, countries);
}
