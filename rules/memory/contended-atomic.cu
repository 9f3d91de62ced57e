// Visits per country out of a web log: every record adds to one of eight counters in global memory.
#include "../sample.cuh"

__global__ void count_visits(const int* country, int* visits, int records) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < records) {
        // ruleid: contended-atomic
        atomicAdd(&visits[country[i]], 1);
    }
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int records = 1 << 24, countries = 8;
    int* country = sample.array<int>(records, [](size_t i) { return hashed(i) % countries; });
    int* visits = sample.zeros<int>(countries);
    sample.run("count_visits", [&] { count_visits<<<records / 256, 256>>>(country, visits, records); });
    sample.checksum("count_visits", visits, countries);
}
