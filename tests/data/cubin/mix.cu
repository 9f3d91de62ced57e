// Small kernels whose machine code and line tables the tests know; see README.md beside this file.
#include <cuda_fp16.h>

__device__ __forceinline__ float square(float x) { return x * x; }
__device__ __forceinline__ float twice_squared(float x) {
    float once = square(x);
    return square(once + 1.0f);
}
__device__ __noinline__ float helper(float x, int n) {
    float sum = 0.0f;
    for (int i = 0; i < n; ++i) sum += __sinf(x * i) * sum;
    return sum;
}

__global__ void inlined(float* data) {
    int i = threadIdx.x;
    data[i] = twice_squared(data[i]);
}

__global__ void calls(float* data, long long* wide, long long by, int n) {
    int i = threadIdx.x;
    data[i] = helper(data[i], n);
    wide[i] = wide[i] / by;
}

__global__ void chase(const int* next, int* out, int n) {
    int at = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; ++i) at = next[at];
    out[threadIdx.x] = at;
}

__global__ void gather(const int* index, const float* data, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = data[index[i]];
}

__global__ void widths(const unsigned char* a, const short* b, const float2* c, const float4* d,
                       float4* out) {
    __shared__ float4 tile[64];
    int i = threadIdx.x;
    tile[i] = d[i];
    __syncthreads();
    float4 v = tile[63 - i];
    v.x += a[i] + b[i] + c[i].y;
    out[i] = v;
}

__global__ void arithmetic(float* f, double* d, __half* h, int* k, unsigned long long* u, int n) {
    int i = threadIdx.x;
    f[i] = __expf(f[i]) + rsqrtf(f[i + 1]) + __half2float(h[i]);
    d[i] = d[i] * d[i + 1] + f[i];
    h[i] = __float2half(f[i + 2]);
    k[i] = (int)f[i + 3] + __popc(k[i + 1]) + __shfl_xor_sync(~0u, k[i], 1);
    f[i + 4] = (float)d[i + 2];
    d[i + 3] = (double)k[i + 2];
    if (i > n) atomicAdd(k + 7, i);
    u[i] = atomicAdd(u + 1, 5ull);
    atomicMax(k + 8, n);
    __threadfence();
    if (__any_sync(~0u, k[9] == n)) k[10] = 1;
}

#if __CUDA_ARCH__ >= 800
#include <cuda_pipeline.h>
__global__ void copies(const float4* in, float* out, int n) {
    __shared__ float4 tile[2][64];
    int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[0][i], in + i, 16);
    __pipeline_commit();
#pragma unroll 1
    for (int k = 1; k < n; ++k) {
        __pipeline_memcpy_async(&tile[k & 1][i], in + k * 64 + i, 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        out[i] += tile[(k + 1) & 1][63 - i].x;
        __syncthreads();
    }
}
#endif
