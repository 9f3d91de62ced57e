// Rows of a transformer: soft-max by thread and by warp, layer norm, rotary embedding, a masked top value.
// pair: uncoalesced-global-access softmax_by_thread -> softmax_by_warp
// pair: barrier-stall layer_norm_tree -> layer_norm
#include "../../../rules/sample.cuh"

__global__ void softmax_by_thread(const float* x, float* y, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const float* in = x + size_t(r) * cols;
    float top = -1e30f, sum = 0.f;
    // ruleid: uncoalesced-global-access
    for (int c = 0; c < cols; ++c) top = fmaxf(top, in[c]);
    // ruleid: uncoalesced-global-access
    for (int c = 0; c < cols; ++c) sum += __expf(in[c] - top);
    // ruleid: uncoalesced-global-access
    for (int c = 0; c < cols; ++c) y[size_t(r) * cols + c] = __expf(in[c] - top) / sum;
}

template <int Each>
__global__ void softmax_by_warp(const float* x, float* y, int rows) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    float v[Each], top = -1e30f, sum = 0.f;
#pragma unroll
    for (int k = 0; k < Each; ++k) top = fmaxf(top, v[k] = x[(size_t(r) * Each + k) * 32 + lane]);
    for (int o = 16; o > 0; o /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, o));
#pragma unroll
    for (int k = 0; k < Each; ++k) sum += v[k] = __expf(v[k] - top);
    for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
#pragma unroll
    // ok: local-array, uncoalesced-global-access
    for (int k = 0; k < Each; ++k) y[(size_t(r) * Each + k) * 32 + lane] = v[k] / sum;
}

// A tree with ten barriers for each of two sums, in a block of 1024 threads.
__global__ void layer_norm_tree(const float* x, float* y, int cols) {
    __shared__ float tree[1024];
    int t = threadIdx.x;
    float v = x[size_t(blockIdx.x) * cols + t], sums[2];
    for (int pass = 0; pass < 2; ++pass) {
        tree[t] = pass ? (v - sums[0] / cols) * (v - sums[0] / cols) : v;
        __syncthreads();
        for (int half = 512; half > 0; half /= 2) {
            // ruleid: barrier-stall, idle-warps-at-barrier
            if (t < half) tree[t] += tree[t + half];
            // ruleid: barrier-stall, idle-warps-at-barrier
            __syncthreads();
        }
        sums[pass] = tree[0];
        // ruleid: barrier-stall, idle-warps-at-barrier
        __syncthreads();
    }
    y[size_t(blockIdx.x) * cols + t] = (v - sums[0] / cols) * rsqrtf(sums[1] / cols + 1e-5f);
}

__device__ float warp_sum(float v) {
    for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(~0u, v, o);
    return v;
}

// A warp a row of 1024, float4 by float4, no barrier at all.
__global__ void layer_norm(const float4* x, float4* y, int rows) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    float4 v[8];
    float sum = 0.f, squares = 0.f;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        v[k] = x[r * 256 + k * 32 + lane];
        sum += v[k].x + v[k].y + v[k].z + v[k].w;
    }
    float mean = warp_sum(sum) / 1024.f;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        v[k].x -= mean, v[k].y -= mean, v[k].z -= mean, v[k].w -= mean;
        squares += v[k].x * v[k].x + v[k].y * v[k].y + v[k].z * v[k].z + v[k].w * v[k].w;
    }
    float scale = rsqrtf(warp_sum(squares) / 1024.f + 1e-5f);
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        y[r * 256 + k * 32 + lane] = make_float4(v[k].x * scale, v[k].y * scale, v[k].z * scale, v[k].w * scale);
    }
}

// Sine and cosine of every element, hidden behind the traffic of the rows.
__global__ void rotary(const float2* q, float2* out, const float* frequency, int pairs, int tokens) {
    int p = blockIdx.y * blockDim.x + threadIdx.x, token = blockIdx.x;
    float s, c;
    // ok: slow-math-function
    __sincosf(token * frequency[p], &s, &c);
    float2 v = q[size_t(token) * pairs + p];
    out[size_t(token) * pairs + p] = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
}

// Half of the lanes are masked out, but the work is one addition.
__global__ void add_masked(const float* a, const int* mask, float* b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = a[i];
    // ok: warp-divergence
    if (mask[i] & 1) v = v < 0.5f ? v + 1.f : __fdividef(v, 1.f + v);
    b[i] = v;
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int rows = 1 << 16, cols = 1024;
    const size_t n = size_t(rows) * cols;
    float* x = sample.array<float>(n, unit);
    float* y = sample.zeros<float>(n);
    sample.run("softmax_by_thread", [&] { softmax_by_thread<<<rows / 128, 128>>>(x, y, rows, cols); });
    sample.checksum("softmax", y, n);
    sample.run("softmax_by_warp", [&] { softmax_by_warp<32><<<rows / 8, 256>>>(x, y, rows); });
    sample.checksum("softmax", y, n);
    sample.run("layer_norm_tree", [&] { layer_norm_tree<<<rows, 1024>>>(x, y, cols); });
    sample.checksum("norm", y, 1000);
    auto* x4 = reinterpret_cast<float4*>(x);
    sample.run("layer_norm", [&] { layer_norm<<<rows / 8, 256>>>(x4, reinterpret_cast<float4*>(y), rows); });
    sample.checksum("norm", y, 1000);
    float* frequency = sample.array<float>(512, [](size_t i) { return expf(-float(i) / 60.f); });
    sample.run("rotary", [&] {
        rotary<<<dim3(rows, 2), 256>>>(reinterpret_cast<float2*>(x), reinterpret_cast<float2*>(y), frequency, 512, rows);
    });
    sample.checksum("rotary", y, n);
    int* mask = sample.array<int>(n, [](size_t i) { return hashed(i); });
    sample.run("add_masked", [&] { add_masked<<<n / 256, 256>>>(x, mask, y, n); });
    sample.checksum("add_masked", y, n);
}
