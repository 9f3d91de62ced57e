// Histograms, sums, maxima and stream compaction: atomics that collide and atomics that do not.
// pair: contended-atomic gray_levels -> gray_levels_private
// pair: contended-atomic total_energy -> total_energy_blocks
// pair: contended-atomic brightest -> brightest_blocks
// pair: contended-atomic compact -> compact_blocks
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "../../../rules/sample.cuh"

namespace cg = cooperative_groups;

// A dark image: most pixels fall into a handful of the 256 bins.
__global__ void gray_levels(const unsigned* image, unsigned* bins, int words) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= words) return;
    unsigned four = image[i];
    for (int k = 0; k < 4; ++k) {
        // ruleid: contended-atomic
        atomicAdd(&bins[four >> (8 * k) & 255], 1u);
    }
}

__global__ void gray_levels_private(const unsigned* image, unsigned* bins, int words) {
    __shared__ unsigned mine[8][256];
    for (int k = threadIdx.x; k < 8 * 256; k += blockDim.x) mine[k / 256][k % 256] = 0;
    __syncthreads();
    unsigned* warp = mine[threadIdx.x / 32];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
        unsigned four = image[i];
        for (int k = 0; k < 4; ++k) atomicAdd(&warp[four >> (8 * k) & 255], 1u);
    }
    __syncthreads();
    unsigned sum = 0;
    for (int w = 0; w < 8; ++w) sum += mine[w][threadIdx.x];
    // ok: contended-atomic
    atomicAdd(&bins[threadIdx.x], sum);
}

__global__ void total_energy(const float* x, double* total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double e = double(x[i]) * x[i];
    // ruleid: contended-atomic
    atomicAdd(total, e);
}

__global__ void total_energy_blocks(const float* x, double* total, int n) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    double e = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) e += double(x[i]) * x[i];
    e = cg::reduce(warp, e, cg::plus<double>());
    __shared__ double partial[8];
    if (warp.thread_rank() == 0) partial[warp.meta_group_rank()] = e;
    block.sync();
    if (block.thread_rank() != 0) return;
    for (int w = 1; w < 8; ++w) e += partial[w];
    // ok: contended-atomic, double-promotion
    atomicAdd(total, e);
}

__global__ void brightest(const float* x, int* best, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // ruleid: contended-atomic
    if (i < n) atomicMax(best + threadIdx.x % 2, __float_as_int(x[i]));
}

__global__ void brightest_blocks(const float* x, int* best, int n) {
    int mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        mine = max(mine, __float_as_int(x[i]));
    }
    __shared__ int top;
    if (threadIdx.x == 0) top = 0;
    __syncthreads();
    mine = __reduce_max_sync(~0u, mine);
    if (threadIdx.x % 32 == 0) atomicMax(&top, mine);
    __syncthreads();
    // ok: contended-atomic
    if (threadIdx.x == 0) atomicMax(best, top);
}

// One counter for all: the compiler adds once a warp, but half a million warps still queue at one address.
__global__ void compact(const float* x, float* kept, int* count, float level, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    // ruleid: contended-atomic
    if (v > level) kept[atomicAdd(count, 1)] = v;
}

// Places inside the block first, then one addition for 1024 elements.
__global__ void compact_blocks(const float* x, float* kept, int* count, float level, int n) {
    __shared__ int start[33];
    int t = threadIdx.x, i = blockIdx.x * 1024 + t;
    float v = i < n ? x[i] : level;
    unsigned votes = __ballot_sync(~0u, v > level);
    if (t % 32 == 0) start[t / 32] = __popc(votes);
    __syncthreads();
    if (t < 32) {
        int mine = start[t], before = mine;
        for (int d = 1; d < 32; d *= 2) {
            int other = __shfl_up_sync(~0u, before, d);
            if (t >= d) before += other;
        }
        // ok: contended-atomic
        if (t == 31) start[32] = atomicAdd(count, before);
        start[t] = before - mine;
    }
    __syncthreads();
    if (v > level) kept[start[32] + start[t / 32] + __popc(votes & ((1u << t % 32) - 1))] = v;
}

// Atomics spread over many addresses in memory order.
__global__ void deposit(const float* charge, const int* cell, float* density, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // ok: contended-atomic
    if (i < n) atomicAdd(&density[cell[i]], charge[i]);
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int words = 1 << 22, n = 1 << 24;
    auto dark = [](size_t i) { return hashed(i) % 8 ? hashed(i + 3) % 4 : hashed(i + 3) % 256; };
    auto* image = sample.array<unsigned char>(size_t(words) * 4, dark);
    unsigned* bins = sample.zeros<unsigned>(256);
    unsigned* bins2 = sample.zeros<unsigned>(256);
    auto* four = reinterpret_cast<unsigned*>(image);
    sample.run("gray_levels", [&] { gray_levels<<<words / 256, 256>>>(four, bins, words); });
    sample.run("gray_levels_private", [&] { gray_levels_private<<<132 * 4, 256>>>(four, bins2, words); });
    sample.checksum("bins", bins, 4);
    sample.checksum("bins", bins2, 4);
    float* x = sample.array<float>(n, unit);
    double* total = sample.zeros<double>(2);
    const int few = 1 << 22;
    sample.run("total_energy", [&] { total_energy<<<few / 256, 256>>>(x, total, few); });
    sample.run("total_energy_blocks", [&] { total_energy_blocks<<<132 * 8, 256>>>(x, total + 1, few); });
    sample.checksum("energy", total, 1);
    sample.checksum("energy", total + 1, 1);
    int* best = sample.zeros<int>(4);
    sample.run("brightest", [&] { brightest<<<n / 256, 256>>>(x, best, n); });
    sample.run("brightest_blocks", [&] { brightest_blocks<<<132 * 8, 256>>>(x, best + 2, n); });
    sample.checksum("brightest", best, 1);
    sample.checksum("brightest", best + 2, 1);
    float* kept = sample.zeros<float>(n);
    int* count = sample.zeros<int>(1);
    sample.run("compact", [&] {
        CHECK(cudaMemsetAsync(count, 0, sizeof(int)));
        compact<<<n / 256, 256>>>(x, kept, count, 0.75f, n);
    });
    sample.checksum("compact", count, 1);
    sample.run("compact_blocks", [&] {
        CHECK(cudaMemsetAsync(count, 0, sizeof(int)));
        compact_blocks<<<n / 1024, 1024>>>(x, kept, count, 0.75f, n);
    });
    sample.checksum("compact", count, 1);
    int* cell = sample.array<int>(n, [](size_t i) { return i / 2; }, n);
    float* density = sample.zeros<float>(n);
    sample.run("deposit", [&] { deposit<<<n / 256, 256>>>(x, cell, density, n); });
    sample.checksum("deposit", density, n / 2);
}
