// What the sample programs share: filled device arrays, one launch a kernel or timed repeats, checksums.
//
//   ./program           each kernel once, between cudaProfilerStart and cudaProfilerStop (ncu --profile-from-start off)
//   ./program --time    prints "kernel median_us min_us max_us" of 15 launches after 3 warm-ups, L2 flushed before each
#pragma once
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call) check((call), __FILE__, __LINE__)

inline void check(cudaError_t error, const char* file, int line) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(error));
    std::exit(1);
}

inline unsigned hashed(size_t i) {
    unsigned x = unsigned(i) * 2654435761u + 0x9e3779b9u;
    x = (x ^ (x >> 16)) * 0x85ebca6bu;
    x = (x ^ (x >> 13)) * 0xc2b2ae35u;
    return x ^ (x >> 16);
}

inline float unit(size_t i) { return float(hashed(i) >> 8) / float(1 << 24); }  // [0, 1)

class Sample {
  public:
    Sample(int argc, char** argv) : timing_(argc > 1 && std::strcmp(argv[1], "--time") == 0) {
        if (timing_) CHECK(cudaMalloc(&flush_, kFlushBytes));
    }

    // Device array of `count` values; value(i) is evaluated for the first `period` and then repeats.
    template <typename T, typename Value>
    T* array(size_t count, Value value, size_t period = size_t(1) << 20) {
        size_t filled = std::min(count, period);
        std::vector<T> host(filled);
        for (size_t i = 0; i < filled; ++i) host[i] = T(value(i));
        T* device = zeros<T>(count);
        CHECK(cudaMemcpy(device, host.data(), filled * sizeof(T), cudaMemcpyHostToDevice));
        for (; filled < count; filled *= 2) {
            size_t more = std::min(filled, count - filled);
            CHECK(cudaMemcpy(device + filled, device, more * sizeof(T), cudaMemcpyDeviceToDevice));
        }
        return device;
    }

    template <typename T>
    T* zeros(size_t count) {
        T* device = nullptr;
        CHECK(cudaMalloc(&device, count * sizeof(T)));
        CHECK(cudaMemset(device, 0, count * sizeof(T)));
        return device;
    }

    template <typename Launch>
    void run(const char* kernel, Launch launch) {
        CHECK(cudaDeviceSynchronize());
        if (timing_) {
            measure(kernel, launch);
        } else {
            CHECK(cudaProfilerStart());
            launch();
            CHECK(cudaGetLastError());
            CHECK(cudaDeviceSynchronize());
            CHECK(cudaProfilerStop());
        }
    }

    template <typename T>
    void checksum(const char* name, const T* device, size_t count) {
        if (timing_) return;
        std::vector<T> host(count);
        CHECK(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
        double sum = 0;
        for (const T& v : host) sum += double(v);
        std::printf("checksum %s %.6e\n", name, sum);
    }

  private:
    template <typename Launch>
    void measure(const char* kernel, Launch launch) {
        cudaEvent_t start, stop;
        CHECK(cudaEventCreate(&start));
        CHECK(cudaEventCreate(&stop));
        std::vector<float> us;
        for (int i = 0; i < 18; ++i) {
            CHECK(cudaMemsetAsync(flush_, i, kFlushBytes));
            CHECK(cudaEventRecord(start));
            launch();
            CHECK(cudaEventRecord(stop));
            CHECK(cudaGetLastError());
            CHECK(cudaEventSynchronize(stop));
            float ms = 0;
            CHECK(cudaEventElapsedTime(&ms, start, stop));
            if (i >= 3) us.push_back(ms * 1000.f);
        }
        std::sort(us.begin(), us.end());
        std::printf("%s %.2f %.2f %.2f\n", kernel, us[us.size() / 2], us.front(), us.back());
    }

    static constexpr size_t kFlushBytes = size_t(256) << 20;
    bool timing_;
    unsigned char* flush_ = nullptr;
};
