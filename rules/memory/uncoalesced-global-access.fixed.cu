// Mean of each row of a row-major matrix, one warp a row: the lanes of a warp read neighbouring columns.
#include "../sample.cuh"

__global__ void row_means(const float* matrix, float* means, int rows, int cols) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0.f;
    for (int c = lane; c < cols; c += 32) {
        // ok: uncoalesced-global-access
        sum += matrix[size_t(row) * cols + c];
    }
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
    if (lane == 0) means[row] = sum / cols;
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int rows = 1 << 18, cols = 256;
    float* matrix = sample.array<float>(size_t(rows) * cols, unit);
    float* means = sample.zeros<float>(rows);
    sample.run("row_means", [&] { row_means<<<rows / 8, 256>>>(matrix, means, rows, cols); });
    sample.checksum("row_means", means, rows);
}
