// Energy of a signal. The first two kernels of the program only fill arrays, and only those are profiled.
// ncu: SECTIONS --launch-count 2
// ruleid[*]: setup-kernels-only
#include <thrust/device_vector.h>
#include <thrust/fill.h>
#include <thrust/sequence.h>

#include "../sample.cuh"

__global__ void energy(const float* signal, float* sum, int n) {
    float mine = 0.f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += signal[i] * signal[i];
    for (int offset = 16; offset > 0; offset /= 2) mine += __shfl_down_sync(~0u, mine, offset);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int n = 1 << 26;
    thrust::device_vector<float> signal(n, 0.f);
    thrust::sequence(signal.begin(), signal.end(), 0.f, 1.f / n);
    float* sum = sample.zeros<float>(1);
    sample.run("energy", [&] { energy<<<132 * 8, 256>>>(thrust::raw_pointer_cast(signal.data()), sum, n); });
    sample.checksum("energy", sum, 1);
}
