// Mean of each row of a row-major matrix, one thread a row: neighbouring lanes read addresses a whole row apart.
#include "../sample.cuh"

__global__ void row_means(const float* matrix, float* means, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.f;
    for (int c = 0; c < cols; ++c) {
        // ruleid: uncoalesced-global-access
        sum += matrix[size_t(row) * cols + c];
    }
    means[row] = sum / cols;
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int rows = 1 << 18, cols = 256;
    float* matrix = sample.array<float>(size_t(rows) * cols, unit);
    float* means = sample.zeros<float>(rows);
    sample.run("row_means", [&] { row_means<<<rows / 256, 256>>>(matrix, means, rows, cols); });
    sample.checksum("row_means", means, rows);
}
