// Sepia tone of a picture, profiled with two sections: most rules have nothing to judge by.
// ncu: --profile-from-start off --section LaunchStats --section Occupancy
#include "../sample.cuh"

// ruleid: missing-metrics
__global__ void sepia(const float4* picture, float4* out, int pixels) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels) return;
    float4 p = picture[i];
    float grey = 0.35f * p.x + 0.69f * p.y + 0.17f * p.z;
    out[i] = make_float4(fminf(grey * 1.1f, 1.f), fminf(grey, 1.f), grey * 0.8f, p.w);
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int pixels = 1 << 24;
    float* picture = sample.array<float>(pixels * 4, unit);
    float* out = sample.zeros<float>(pixels * 4);
    sample.run("sepia", [&] {
        sepia<<<pixels / 256, 256>>>(reinterpret_cast<float4*>(picture), reinterpret_cast<float4*>(out), pixels);
    });
    sample.checksum("sepia", out, pixels * 4);
}
