// Shapes of launches: too few blocks, a last wave, small and awkward blocks, and shapes that are all right.
// pair: grid-too-small batch_norms -> batch_norms_split
// pair: tail-wave series_uneven -> series_even
// pair: tiny-block blend_small_tiles -> blend_tiles
// pair: tiny-block relax_half_warps -> relax_warps
#include "../../../rules/sample.cuh"

__device__ float block_total(float v) {
    __shared__ float partial[32];
    for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(~0u, v, o);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = v;
    __syncthreads();
    float sum = 0.f;
    for (int w = 0; w < blockDim.x / 32; ++w) sum += partial[w];
    return sum;
}

// A block of 1024 for each of 64 images.
// ruleid: grid-too-small
__global__ void batch_norms(const float4* image, float* norm, int vectors) {
    float sum = 0.f;
    for (int i = threadIdx.x; i < vectors; i += blockDim.x) {
        float4 v = image[size_t(blockIdx.x) * vectors + i];
        sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    sum = block_total(sum);
    if (threadIdx.x == 0) norm[blockIdx.x] = sum;
}

// ok: grid-too-small
__global__ void batch_norms_split(const float4* image, float* norm, int vectors) {
    float sum = 0.f;
    for (int i = blockIdx.y * blockDim.x + threadIdx.x; i < vectors; i += gridDim.y * blockDim.x) {
        float4 v = image[size_t(blockIdx.x) * vectors + i];
        sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    sum = block_total(sum);
    if (threadIdx.x == 0) atomicAdd(&norm[blockIdx.x], sum);
}

__device__ float series(float x, int terms) {
    float a = 0.f, b = 0.f, c = 0.f, d = 0.f;
    for (int k = 0; k < terms; ++k) {
        a = fmaf(a, x, 0.1f), b = fmaf(b, x, 0.2f), c = fmaf(c, x, 0.3f), d = fmaf(d, x, 0.4f);
    }
    return a + b + c + d;
}

// Blocks of 1024 with two on a multiprocessor: 264 would be one wave, 268 are two.
// ruleid: tail-wave
// allow: compute-bound
__global__ void series_uneven(const float* x, float* y, int n, int terms) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = series(x[i], terms);
}

// The same work in blocks of 128: the last wave is short.
// ok: tail-wave
// allow: compute-bound
__global__ void series_even(const float* x, float* y, int n, int terms) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = series(x[i], terms);
}

// Just under two waves.
// ok: tail-wave
// allow: compute-bound
__global__ void series_two_waves(const float* x, float* y, int n, int terms) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = series(x[i], terms);
}

// One block on each multiprocessor, full of warps: small and sufficient.
// ok: grid-too-small
// allow: compute-bound, memory-latency-bound
__global__ void series_resident(const float* x, float* y, int n, int terms) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = series(x[i], terms);
}

// 8 x 4 pixels a block.
// ruleid: tiny-block, block-limited-occupancy
__global__ void blend_small_tiles(const float* a, const float* b, float* out, int width, float t) {
    int i = (blockIdx.y * blockDim.y + threadIdx.y) * width + blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[i] + t * (b[i] - a[i]);
}

// ok: tiny-block
__global__ void blend_tiles(const float* a, const float* b, float* out, int width, float t) {
    int i = (blockIdx.y * blockDim.y + threadIdx.y) * width + blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[i] + t * (b[i] - a[i]);
}

// Sixteen threads a block: half of every warp does not exist.
// ruleid: tiny-block, block-limited-occupancy, block-not-multiple-of-warp
// allow: warp-divergence, block-not-multiple-of-warp, tiny-block, block-limited-occupancy
__global__ void relax_half_warps(const float* in, float* out, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i];
    for (int r = 0; r < rounds; ++r) v = fmaf(v, 0.98f, 0.01f);
    out[i] = v;
}

// ok: tiny-block
__global__ void relax_warps(const float* in, float* out, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i];
    for (int r = 0; r < rounds; ++r) v = fmaf(v, 0.98f, 0.01f);
    out[i] = v;
}

// Blocks of 64 threads: two warps, but 32 of them fill the multiprocessor.
// ok: tiny-block, block-limited-occupancy
__global__ void copy_pairs(const float2* in, float2* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int n = 1 << 25;
    float* x = sample.array<float>(n, unit);
    float* z = sample.array<float>(n, [](size_t i) { return unit(i + 8); });
    float* y = sample.zeros<float>(n);
    auto* x4 = reinterpret_cast<float4*>(x);
    float* norm = sample.zeros<float>(128);
    const int images = 64, vectors = n / 4 / images;
    sample.run("batch_norms", [&] { batch_norms<<<images, 1024>>>(x4, norm, vectors); });
    sample.run("batch_norms_split", [&] { batch_norms_split<<<dim3(images, 32), 256>>>(x4, norm + 64, vectors); });
    sample.checksum("norms", norm, 64);
    sample.checksum("norms", norm + 64, 64);

    const int uneven = 268 * 1024, terms = 4000;
    sample.run("series_uneven", [&] { series_uneven<<<268, 1024>>>(x, y, uneven, terms); });
    sample.checksum("series", y, uneven);
    sample.run("series_even", [&] { series_even<<<268 * 8, 128>>>(x, y, uneven, terms); });
    sample.checksum("series", y, uneven);
    sample.run("series_two_waves", [&] { series_two_waves<<<526, 1024>>>(x, y, 526 * 1024, terms); });
    sample.checksum("series_two", y, 526 * 1024);
    sample.run("series_resident", [&] { series_resident<<<132, 1024>>>(x, y, 132 * 1024 * 4, terms / 4); });
    sample.checksum("series_resident", y, 132 * 1024 * 4);

    const int width = 4096;
    sample.run("blend_small_tiles", [&] {
        blend_small_tiles<<<dim3(width / 8, n / width / 4), dim3(8, 4)>>>(x, z, y, width, 0.3f);
    });
    sample.checksum("blend", y, n);
    sample.run("blend_tiles", [&] {
        blend_tiles<<<dim3(width / 32, n / width / 8), dim3(32, 8)>>>(x, z, y, width, 0.3f);
    });
    sample.checksum("blend", y, n);
    sample.run("relax_half_warps", [&] { relax_half_warps<<<n / 8 / 16, 16>>>(x, y, n / 8, 100); });
    sample.checksum("relax", y, n / 8);
    sample.run("relax_warps", [&] { relax_warps<<<n / 8 / 128, 128>>>(x, y, n / 8, 100); });
    sample.checksum("relax", y, n / 8);
    auto* x2 = reinterpret_cast<float2*>(x);
    sample.run("copy_pairs", [&] { copy_pairs<<<n / 2 / 64, 64>>>(x2, reinterpret_cast<float2*>(y), n / 2); });
    sample.checksum("copy", y, n);
}
