// Element-wise work on matrices: a template that walks columns, wide rows a thread, and the same walks the right way round.
// pair: uncoalesced-global-access scale_columns -> scale_rows
// pair: uncoalesced-global-access dot_by_thread -> dot_by_warp
#include "../../../rules/sample.cuh"

template <typename T>
struct Matrix {
    T* data;
    int rows, cols;
    __device__ T& at(int r, int c) const { return data[size_t(r) * cols + c]; }
};

template <typename T>
__global__ void scale_columns(Matrix<T> m, const T* factor) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;  // lanes walk down the rows
    int c = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= m.rows || c >= m.cols) return;
    // ruleid: uncoalesced-global-access
    m.at(r, c) *= factor[c];
}

template <typename T>
__global__ void scale_rows(Matrix<T> m, const T* factor) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= m.rows || c >= m.cols) return;
    // ok: uncoalesced-global-access
    m.at(r, c) *= factor[c];
}

// Rows of 64 numbers as sixteen float4: each lane reads 16 bytes, 256 bytes apart from the next.
__global__ void dot_by_thread(const float4* rows, const float4* query, float* score, int count, int width4) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= count) return;
    float sum = 0.f;
    for (int k = 0; k < width4; ++k) {
        // ruleid: uncoalesced-global-access
        float4 a = rows[size_t(r) * width4 + k];
        float4 b = query[k];
        sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    score[r] = sum;
}

// Sixteen lanes a row.
__global__ void dot_by_warp(const float4* rows, const float4* query, float* score, int count, int width4) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 16, lane = threadIdx.x % 16;
    if (r >= count) return;
    float sum = 0.f;
    for (int k = lane; k < width4; k += 16) {
        // ok: uncoalesced-global-access
        float4 a = rows[size_t(r) * width4 + k];
        float4 b = query[k];
        sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    for (int offset = 8; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset, 16);
    if (lane == 0) score[r] = sum;
}

// A column sum that is well coalesced although it walks with a stride: neighbouring lanes own neighbouring columns.
__global__ void column_sums(const float* matrix, float* sums, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int first = blockIdx.y * (rows / gridDim.y);
    float sum = 0.f;
    for (int r = first; r < first + rows / gridDim.y; ++r) {
        // ok: uncoalesced-global-access
        sum += matrix[size_t(r) * cols + c];
    }
    atomicAdd(&sums[c], sum);
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int rows = 8192, cols = 2048;
    auto matrix = [&] { return Matrix<double>{sample.array<double>(size_t(rows) * cols, unit), rows, cols}; };
    double* factor = sample.array<double>(cols, [](size_t i) { return 0.5 + unit(i + 5); });
    Matrix<double> one = matrix(), two = matrix();
    dim3 block(32, 8);
    sample.run("scale_columns", [&] { scale_columns<<<dim3(rows / 32, cols / 8), block>>>(one, factor); });
    sample.run("scale_rows", [&] { scale_rows<<<dim3(cols / 32, rows / 8), block>>>(two, factor); });
    sample.checksum("scale", one.data, size_t(rows) * cols);
    sample.checksum("scale", two.data, size_t(rows) * cols);

    const int count = 1 << 20, width = 64;
    float* vectors = sample.array<float>(size_t(count) * width, unit);
    float* query = sample.array<float>(width, [](size_t i) { return unit(i + 3) - 0.5f; });
    float* score = sample.zeros<float>(count);
    auto* vectors4 = reinterpret_cast<float4*>(vectors);
    auto* query4 = reinterpret_cast<float4*>(query);
    sample.run("dot_by_thread", [&] { dot_by_thread<<<count / 256, 256>>>(vectors4, query4, score, count, width / 4); });
    sample.checksum("dot", score, count);
    sample.run("dot_by_warp", [&] { dot_by_warp<<<count / 16, 256>>>(vectors4, query4, score, count, width / 4); });
    sample.checksum("dot", score, count);

    float* sums = sample.zeros<float>(4096);
    sample.run("column_sums", [&] { column_sums<<<dim3(16, 128), 256>>>(vectors, sums, 16384, 4096); });
    sample.checksum("column_sums", sums, 4096);
}
