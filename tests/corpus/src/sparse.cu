// Sparse rows, permutations and tables: gathers that cost, and gathers that do not.
// pair: uncoalesced-global-access spmv_scalar -> spmv_vector
// pair: scattered-gather permute_rows_random -> permute_rows_blocked
#include "../../../rules/sample.cuh"

// CSR, a thread a row: lanes start 32 entries apart in both arrays.
__global__ void spmv_scalar(const int* row_start, const int* column, const float* value, const float* x, float* y,
                            int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.f;
    for (int k = row_start[row]; k < row_start[row + 1]; ++k) {
        // ruleid: uncoalesced-global-access, scattered-gather
        sum += value[k] * x[column[k]];
    }
    y[row] = sum;
}

// A warp a row; the columns lie in a band, so the gather finds neighbours.
__global__ void spmv_vector(const int* row_start, const int* column, const float* value, const float* x, float* y,
                            int rows) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0.f;
    for (int k = row_start[row] + lane; k < row_start[row + 1]; k += 32) {
        // ok: scattered-gather
        sum += value[k] * x[column[k]];
    }
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
    if (lane == 0) y[row] = sum;
}

// A scatter: the index of the store is loaded.
__global__ void permute_rows_random(const double* in, const int* to, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // ruleid: scattered-gather, uncoalesced-global-access
    if (i < n) out[to[i]] = in[i];
}

// The same code where whole runs of 64 move together.
__global__ void permute_rows_blocked(const double* in, const int* to, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // ok: scattered-gather
    if (i < n) out[to[i]] = in[i];
}

// A gather whose indices happen to be nearly in order.
__global__ void take_nearly_sorted(const float* in, const int* from, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // ok: scattered-gather
    if (i < n) out[i] = in[from[i]];
}

// Random look-ups into 1 KB that stays in L1, beside real work.
__global__ void quantize(const float* in, const float* table, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = in[i];
    for (int k = 0; k < 24; ++k) v = fmaf(v, 0.999f, 0.0001f);
    out[i] = v * table[int(v * 255.f) & 255];
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int rows = 1 << 20, each = 32, entries = rows * each;
    int* row_start = sample.array<int>(rows + 1, [](size_t i) { return i * each; }, rows + 1);
    int* column = sample.array<int>(entries, [](size_t k) {
        return std::min<size_t>(rows - 1, k / each + k % each + hashed(k) % 2);
    }, entries);
    float* value = sample.array<float>(entries, unit);
    float* x = sample.array<float>(rows, [](size_t i) { return unit(i) - 0.5f; });
    float* y = sample.zeros<float>(rows);
    sample.run("spmv_scalar", [&] { spmv_scalar<<<rows / 256, 256>>>(row_start, column, value, x, y, rows); });
    sample.checksum("spmv", y, rows);
    sample.run("spmv_vector", [&] { spmv_vector<<<rows / 8, 256>>>(row_start, column, value, x, y, rows); });
    sample.checksum("spmv", y, rows);

    const int n = 1 << 24;
    auto shuffled = [](size_t i) { return int((unsigned(i) * 2654435761u) & (n - 1)); };
    int* to = sample.array<int>(n, shuffled, n);
    int* to_runs = sample.array<int>(n, [&](size_t i) { return shuffled(i / 64 * 64) / 64 * 64 + i % 64; }, n);
    double* in = sample.array<double>(n, unit);
    double* out = sample.zeros<double>(n);
    sample.run("permute_rows_random", [&] { permute_rows_random<<<n / 256, 256>>>(in, to, out, n); });
    sample.checksum("permute_random", out, n);
    sample.run("permute_rows_blocked", [&] { permute_rows_blocked<<<n / 256, 256>>>(in, to_runs, out, n); });
    sample.checksum("permute_blocked", out, n);

    int* from = sample.array<int>(n, [](size_t i) { return std::min<size_t>(n - 1, i + hashed(i) % 3); }, n);
    float* small = sample.zeros<float>(n);
    sample.run("take_nearly_sorted", [&] { take_nearly_sorted<<<n / 256, 256>>>(value, from, small, n); });
    sample.checksum("take", small, n);
    float* table = sample.array<float>(256, unit);
    sample.run("quantize", [&] { quantize<<<n / 256, 256>>>(value, table, small, n); });
    sample.checksum("quantize", small, n);
}
