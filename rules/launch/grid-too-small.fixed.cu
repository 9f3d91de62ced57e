// Mean of each of 32 channels, 32 blocks a channel and one atomic a block: every multiprocessor has work.
#include "../sample.cuh"

__device__ float block_sum(float v) {
    __shared__ float partial[32];
    for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(~0u, v, offset);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = v;
    __syncthreads();
    float sum = 0.f;
    for (int w = 0; w < blockDim.x / 32; ++w) sum += partial[w];
    return sum;
}

// ok: grid-too-small
__global__ void channel_means(const float* x, float* means, int pixels) {
    const float* channel = x + size_t(blockIdx.x) * pixels;
    float sum = 0.f;
    for (int i = blockIdx.y * blockDim.x + threadIdx.x; i < pixels; i += gridDim.y * blockDim.x) sum += channel[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) atomicAdd(&means[blockIdx.x], sum / pixels);
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int channels = 32, pixels = 1 << 20;
    float* x = sample.array<float>(size_t(channels) * pixels, unit);
    float* means = sample.zeros<float>(channels);
    // ok: grid-too-small
    sample.run("channel_means", [&] { channel_means<<<dim3(channels, 32), 512>>>(x, means, pixels); });
    sample.checksum("channel_means", means, channels);
}
