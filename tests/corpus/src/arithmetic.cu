// Numbers on the wrong pipe and on the right one: double where float was meant, double that is meant, division, slow functions.
// pair: double-promotion charge_energy -> charge_energy_float
// pair: double-promotion polynomial_distance -> polynomial_distance_float
// pair: integer-division reshape_strides -> reshape_strides_shifts
// pair: integer-division ring_buffer -> ring_buffer_wrap
// pair: narrow-global-access log_gain -> log_gain_vectors
// pair: narrow-global-access checkerboard -> checkerboard_vectors
// pair: slow-math-function sigmoid_stack -> sigmoid_stack_fast
#include "../../../rules/sample.cuh"

template <typename T>
__device__ T screened(T r2) {
    // ruleid[charge_energy]: double-promotion
    return exp(-0.3 * sqrt(r2)) / (r2 + 0.01);
}

// Pairs of charges; the literals of the helper pull every float to double.
__global__ void charge_energy(const float4* charge, float* energy, int n, int others) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 a = charge[i];
    float sum = 0.f;
    for (int k = 0; k < others; ++k) {
        float4 b = charge[k];
        float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
        // ruleid: double-promotion
        sum += b.w * screened(dx * dx + dy * dy + dz * dz);
    }
    energy[i] = sum;
}

__device__ float screened_float(float r2) { return expf(-0.3f * sqrtf(r2)) / (r2 + 0.01f); }

__global__ void charge_energy_float(const float4* charge, float* energy, int n, int others) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 a = charge[i];
    float sum = 0.f;
    for (int k = 0; k < others; ++k) {
        float4 b = charge[k];
        float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
        // ok: double-promotion
        sum += b.w * screened_float(dx * dx + dy * dy + dz * dz);
    }
    energy[i] = sum;
}

// pow with a whole exponent of a float is a double pow.
__global__ void polynomial_distance(const float* a, const float* b, float* out, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = a[i], y = b[i], sum = 0.f;
    for (int k = 1; k <= rounds; ++k) {
        // ruleid: double-promotion
        sum += pow(x - y * k, 3) * 0.125;
    }
    out[i] = sum;
}

__global__ void polynomial_distance_float(const float* a, const float* b, float* out, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = a[i], y = b[i], sum = 0.f;
    for (int k = 1; k <= rounds; ++k) {
        float d = x - y * k;
        // ok: double-promotion
        sum += d * d * d * 0.125f;
    }
    out[i] = sum;
}

// Double data, double arithmetic, on purpose: an orbit needs the digits.
// allow: compute-bound
__global__ void orbit(const double* start, double* end, int n, int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = start[i], v = 0.0;
    for (int s = 0; s < steps; ++s) {
        v = fma(-0.01, x, v);
        // ok: double-promotion
        x = fma(0.01, v, x);
    }
    end[i] = x;
}

// Float data added up in one double: two conversions a thread are nothing.
__global__ void norms(const float* x, double* out, int n, int length) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0.0;
    for (int k = 0; k < length; ++k) {
        float v = x[size_t(k) * n + i];
        // ok: double-promotion
        sum += v * v;
    }
    out[i] = sum;
}

// Where element i of a permuted tensor comes from: three 64-bit divisions by strides.
__global__ void reshape_strides(const float* in, float* out, long long n, long long s0, long long s1, long long t0,
                                long long t1) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i >= n) return;
    // ruleid: integer-division
    long long a = i / s0, rest = i % s0;
    // ruleid: integer-division
    long long b = rest / s1, c = rest % s1;
    out[i] = in[a * t0 + b * t1 + c];
}

// The strides are powers of two: shifts and masks.
__global__ void reshape_strides_shifts(const float* in, float* out, long long n, int shift0, int shift1, long long t0,
                                       long long t1) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long a = i >> shift0, rest = i & ((1ll << shift0) - 1);
    long long b = rest >> shift1, c = rest & ((1ll << shift1) - 1);
    // ok: integer-division
    out[i] = in[a * t0 + b * t1 + c];
}

// An echo through a ring buffer, the position taken modulo its length at every tap.
__global__ void ring_buffer(const float* ring, float* out, int n, int length, int taps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.f;
    for (int k = 0; k < taps; ++k) {
        // ruleid: integer-division
        sum = 0.9f * sum + ring[(i + k) % length];
    }
    out[i] = sum;
}

__global__ void ring_buffer_wrap(const float* ring, float* out, int n, int length, int taps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.f;
    int at = i % length;
    for (int k = 0; k < taps; ++k) {
        // ok: integer-division
        sum = 0.9f * sum + ring[at];
        at = at + 1 == length ? 0 : at + 1;
    }
    out[i] = sum;
}

// Division by a constant is a multiplication.
__global__ void checkerboard(float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // ok: integer-division
    if (i < n) out[i] = (i / 1920 / 40 + i % 1920 / 40) % 2;
}

__global__ void checkerboard_vectors(float4* out, int n4) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) v[k] = ((4 * i + k) / 1920 / 40 + (4 * i + k) % 1920 / 40) % 2;
    out[i] = make_float4(v[0], v[1], v[2], v[3]);
}

// Exact expf, logf and tanhf over and over.
__global__ void sigmoid_stack(const float* x, float* y, int n, int layers) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    for (int k = 0; k < layers; ++k) {
        // ruleid: slow-math-function
        v = logf(1.f + expf(v)) - 0.5f;
        // ruleid: slow-math-function
        v = tanhf(v) + 0.1f * cosf(3.f * v);
    }
    y[i] = v;
}

__global__ void sigmoid_stack_fast(const float* x, float* y, int n, int layers) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    for (int k = 0; k < layers; ++k) {
        v = __logf(1.f + __expf(v)) - 0.5f;
        // ok: slow-math-function
        v = 1.f - __fdividef(2.f, 1.f + __expf(2.f * v)) + 0.1f * __cosf(3.f * v);
    }
    y[i] = v;
}

// One exact logarithm and one exponential a thread, in a kernel that waits for memory anyway.
__global__ void log_gain(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // ok: slow-math-function
    if (i < n) y[i] = expf(0.8f * logf(x[i] + 0.1f));
}

__device__ float gained(float v) { return expf(0.8f * logf(v + 0.1f)); }

__global__ void log_gain_vectors(const float4* x, float4* y, int n4) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float4 v = x[i];
    // ok: slow-math-function
    y[i] = make_float4(gained(v.x), gained(v.y), gained(v.z), gained(v.w));
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int n = 1 << 20, large = 1 << 26;
    float* charges = sample.array<float>(n * 4, unit);
    float* out = sample.zeros<float>(large);
    auto* charge = reinterpret_cast<float4*>(charges);
    sample.run("charge_energy", [&] { charge_energy<<<n / 4 / 256, 256>>>(charge, out, n / 4, 64); });
    sample.checksum("charge", out, n / 4);
    sample.run("charge_energy_float", [&] { charge_energy_float<<<n / 4 / 256, 256>>>(charge, out, n / 4, 64); });
    sample.checksum("charge", out, n / 4);
    float* a = sample.array<float>(large, unit);
    float* b = sample.array<float>(n, [](size_t i) { return 0.1f * unit(i + 6); });
    sample.run("polynomial_distance", [&] { polynomial_distance<<<n / 256, 256>>>(a, b, out, n, 32); });
    sample.checksum("distance", out, n);
    sample.run("polynomial_distance_float", [&] { polynomial_distance_float<<<n / 256, 256>>>(a, b, out, n, 32); });
    sample.checksum("distance", out, n);
    double* start = sample.array<double>(n, unit);
    double* end = sample.zeros<double>(n);
    sample.run("orbit", [&] { orbit<<<n / 256, 256>>>(start, end, n, 400); });
    sample.checksum("orbit", end, n);
    sample.run("norms", [&] { norms<<<n / 256, 256>>>(a, end, n, large / n); });
    sample.checksum("norms", end, n);
    const long long s0 = 1 << 14, s1 = 1 << 7, t0 = 1 << 14, t1 = 1 << 7;
    sample.run("reshape_strides", [&] { reshape_strides<<<large / 256, 256>>>(a, out, large, s0, s1, t0, t1); });
    sample.checksum("reshape", out, large);
    sample.run("reshape_strides_shifts", [&] {
        reshape_strides_shifts<<<large / 256, 256>>>(a, out, large, 14, 7, t0, t1);
    });
    sample.checksum("reshape", out, large);
    sample.run("ring_buffer", [&] { ring_buffer<<<n * 2 / 256, 256>>>(a, out, n * 2, 48000, 64); });
    sample.checksum("ring", out, n * 2);
    sample.run("ring_buffer_wrap", [&] { ring_buffer_wrap<<<n * 2 / 256, 256>>>(a, out, n * 2, 48000, 64); });
    sample.checksum("ring", out, n * 2);
    sample.run("checkerboard", [&] { checkerboard<<<large / 256, 256>>>(out, large); });
    sample.checksum("checkerboard", out, large);
    auto* a4 = reinterpret_cast<float4*>(a);
    auto* out4 = reinterpret_cast<float4*>(out);
    sample.run("checkerboard_vectors", [&] { checkerboard_vectors<<<large / 1024, 256>>>(out4, large / 4); });
    sample.checksum("checkerboard", out, large);
    sample.run("sigmoid_stack", [&] { sigmoid_stack<<<n * 2 / 256, 256>>>(a, out, n * 2, 16); });
    sample.checksum("sigmoid", out, n * 2);
    sample.run("sigmoid_stack_fast", [&] { sigmoid_stack_fast<<<n * 2 / 256, 256>>>(a, out, n * 2, 16); });
    sample.checksum("sigmoid", out, n * 2);
    sample.run("log_gain", [&] { log_gain<<<large / 256, 256>>>(a, out, large); });
    sample.checksum("log_gain", out, large);
    sample.run("log_gain_vectors", [&] { log_gain_vectors<<<large / 1024, 256>>>(a4, out4, large / 4); });
    sample.checksum("log_gain", out, large);
}
