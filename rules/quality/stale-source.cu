// Wind chill of weather stations. The report is older than the file: two lines were added after it was taken.
// edit: /added after the report/d
#include "../sample.cuh"

// ruleid: stale-source
__global__ void wind_chill(const float* celsius, const float* wind, float* felt, int stations) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= stations) return;
    float w = __powf(wind[i], 0.16f);
    float c = celsius[i];
    c = fminf(c, 10.f);     // added after the report
    w = fmaxf(w, 1.2475f);  // added after the report
    felt[i] = 13.12f + 0.6215f * c - 11.37f * w + 0.3965f * c * w;
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int stations = 1 << 25;
    float* celsius = sample.array<float>(stations, [](size_t i) { return 10.f * unit(i) - 5.f; });
    float* wind = sample.array<float>(stations, [](size_t i) { return 5.f + 40.f * unit(i + 9); });
    float* felt = sample.zeros<float>(stations);
    sample.run("wind_chill", [&] { wind_chill<<<stations / 256, 256>>>(celsius, wind, felt, stations); });
    sample.checksum("wind_chill", felt, stations);
}
