// Blocks that wait for themselves, and blocks that do not: scans, dynamic programming, asynchronous copies.
// pair: barrier-stall scan_steps -> scan_shuffles
// pair: idle-warps-at-barrier prefix_weights_serial -> prefix_weights_all
#include <cuda_pipeline.h>

#include "../../../rules/sample.cuh"

// Hillis-Steele in a block of 1024: two barriers for each of ten steps.
__global__ void scan_steps(const int* in, int* out) {
    __shared__ int line[1024];
    int t = threadIdx.x, i = blockIdx.x * 1024 + t;
    line[t] = in[i];
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
        int other = t >= d ? line[t - d] : 0;
        // ruleid: barrier-stall
        __syncthreads();
        line[t] += other;
        // ruleid: barrier-stall
        __syncthreads();
    }
    out[i] = line[t];
}

__device__ int warp_scan(int v) {
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_up_sync(~0u, v, d);
        if (threadIdx.x % 32 >= d) v += other;
    }
    return v;
}

// Four values a thread, shuffles inside the warp, one barrier.
__global__ void scan_shuffles(const int4* in, int4* out) {
    __shared__ int ends[8];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    int4 v = in[i];
    v.y += v.x, v.z += v.y, v.w += v.z;
    int before = warp_scan(v.w);
    if (t % 32 == 31) ends[t / 32] = before;
    // ok: barrier-stall
    __syncthreads();
    before -= v.w;
    for (int w = 0; w < t / 32; ++w) before += ends[w];
    out[i] = make_int4(v.x + before, v.y + before, v.z + before, v.w + before);
}

// Weights of a particle filter, normalised and accumulated by thread 0 alone.
__global__ void prefix_weights_serial(const float* log_weight, float* cumulative) {
    __shared__ float w[512];
    int t = threadIdx.x, i = blockIdx.x * 512 + t;
    w[t] = __expf(log_weight[i]);
    __syncthreads();
    // ruleid: idle-warps-at-barrier, barrier-stall
    if (t == 0) {
        // ruleid: idle-warps-at-barrier, barrier-stall
        for (int k = 1; k < 512; ++k) w[k] += w[k - 1];
    }
    // ruleid: idle-warps-at-barrier, barrier-stall
    __syncthreads();
    cumulative[i] = w[t] / w[511];
}

__device__ float running_sum(float v) {
    for (int d = 1; d < 32; d *= 2) {
        float other = __shfl_up_sync(~0u, v, d);
        if (threadIdx.x % 32 >= d) v += other;
    }
    return v;
}

// Warp 0 walks over all 512 with shuffles, fifteen warps wait; other blocks fill the gap.
// allow: idle-warps-at-barrier, barrier-stall
__global__ void prefix_weights_warp(const float* log_weight, float* cumulative) {
    __shared__ float w[512];
    int t = threadIdx.x, i = blockIdx.x * 512 + t;
    w[t] = __expf(log_weight[i]);
    __syncthreads();
    if (t < 32) {
        float run = 0.f;
        for (int k = 0; k < 16; ++k) {
            float v = running_sum(w[k * 32 + t]);
            w[k * 32 + t] = run + v;
            run += __shfl_sync(~0u, v, 31);
        }
    }
    __syncthreads();
    cumulative[i] = w[t] / w[511];
}

// Four weights a thread, all four warps at work.
__global__ void prefix_weights_all(const float4* log_weight, float4* cumulative) {
    __shared__ float ends[4];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    float4 v = log_weight[i];
    v.x = __expf(v.x), v.y = v.x + __expf(v.y), v.z = v.y + __expf(v.z), v.w = v.z + __expf(v.w);
    float inclusive = running_sum(v.w), before = inclusive - v.w, total = 0.f;
    if (t % 32 == 31) ends[t / 32] = inclusive;
    // ok: idle-warps-at-barrier
    __syncthreads();
#pragma unroll
    for (int w = 0; w < 4; ++w) {
        before += w < t / 32 ? ends[w] : 0.f;
        total += ends[w];
    }
    float scale = 1.f / total;
    cumulative[i] = make_float4((before + v.x) * scale, (before + v.y) * scale, (before + v.z) * scale,
                                (before + v.w) * scale);
}

// Two stages of asynchronous copies: the next tile arrives while this one is worked on.
// allow: memory-latency-bound
__global__ void filter_pipelined(const float4* in, float4* out, int tiles, int rounds) {
    __shared__ float4 stage[2][256];
    int t = threadIdx.x;
    const float4* from = in + size_t(blockIdx.x) * tiles * 256 + t;
    float4* to = out + size_t(blockIdx.x) * tiles * 256 + t;
    __pipeline_memcpy_async(&stage[0][t], from, sizeof(float4));
    __pipeline_commit();
    for (int k = 0; k < tiles; ++k) {
        if (k + 1 < tiles) __pipeline_memcpy_async(&stage[(k + 1) & 1][t], from + (k + 1) * 256, sizeof(float4));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        float4 a = stage[k & 1][t], b = stage[k & 1][t ^ 1];
        for (int r = 0; r < rounds; ++r) {
            a.x = fmaf(a.x, 0.9f, b.x), a.y = fmaf(a.y, 0.9f, b.y);
            a.z = fmaf(a.z, 0.9f, b.z), a.w = fmaf(a.w, 0.9f, b.w);
        }
        to[k * 256] = a;
        // ok: barrier-stall
        __syncthreads();
    }
}

// All bodies against all: shared tiles, two barriers for 256 interactions, the arithmetic is what it costs.
// allow: compute-bound
__global__ void potential(const float4* body, float* energy, int n) {
    __shared__ float4 tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = body[i];
    float sum = 0.f;
    for (int first = 0; first < n; first += 256) {
        tile[threadIdx.x] = body[first + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 256; ++k) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            // ok: barrier-stall, slow-math-function, shared-bank-conflict
            sum += tile[k].w * rsqrtf(dx * dx + dy * dy + dz * dz + 1e-4f);
        }
        __syncthreads();
    }
    energy[i] = sum;
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int n = 1 << 26;
    int* in = sample.array<int>(n, [](size_t i) { return hashed(i) % 10; });
    int* out = sample.zeros<int>(n);
    sample.run("scan_steps", [&] { scan_steps<<<n / 1024, 1024>>>(in, out); });
    sample.checksum("scan", out, n);
    sample.run("scan_shuffles", [&] {
        scan_shuffles<<<n / 1024, 256>>>(reinterpret_cast<int4*>(in), reinterpret_cast<int4*>(out));
    });
    sample.checksum("scan", out, n);
    const int particles = 1 << 25;
    float* weight = sample.array<float>(particles, [](size_t i) { return -3.f * unit(i); });
    float* cumulative = sample.zeros<float>(particles);
    const int groups = particles / 512;
    sample.run("prefix_weights_serial", [&] { prefix_weights_serial<<<groups, 512>>>(weight, cumulative); });
    sample.checksum("weights", cumulative, particles);
    sample.run("prefix_weights_warp", [&] { prefix_weights_warp<<<groups, 512>>>(weight, cumulative); });
    sample.checksum("weights", cumulative, particles);
    sample.run("prefix_weights_all", [&] {
        prefix_weights_all<<<groups, 128>>>(reinterpret_cast<float4*>(weight), reinterpret_cast<float4*>(cumulative));
    });
    sample.checksum("weights", cumulative, particles);
    const int tiles = 16, blocks = particles / 4 / 256 / tiles;
    sample.run("filter_pipelined", [&] {
        filter_pipelined<<<blocks, 256>>>(reinterpret_cast<float4*>(weight), reinterpret_cast<float4*>(cumulative), tiles,
                                          16);
    });
    sample.checksum("filter", cumulative, particles);
    const int bodies = 132 * 8 * 256 / 4;
    float* body = sample.array<float>(bodies * 4, unit);
    float* energy = sample.zeros<float>(bodies);
    sample.run("potential", [&] { potential<<<bodies / 256, 256>>>(reinterpret_cast<float4*>(body), energy, bodies); });
    sample.checksum("potential", energy, bodies);
}
