// Gas dynamics: cells as structs of five doubles read through member functions, the same as arrays, and stencils that are fine.
// pair: strided-struct-access density_of_cells -> density_of_fields
#include "../../../rules/sample.cuh"

struct Cell {
    double density, mx, my, mz, energy;
    __device__ double kinetic() const {
        return 0.5 * (mx * mx + my * my + mz * mz) / density;
    }
};

// All members of each cell are read, and L1 keeps the sectors until the next one wants them.
// ok: strided-struct-access
__global__ void pressure_of_cells(const Cell* cells, double* pressure, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    pressure[i] = 0.4 * (cells[i].energy - cells[i].kinetic());
}

// One member of five.
__global__ void density_of_cells(const Cell* cells, double* scaled, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // ruleid: strided-struct-access, uncoalesced-global-access
    if (i < n) scaled[i] = cells[i].density * 1000.0;
}

struct Fields {
    const double *density, *mx, *my, *mz, *energy;
};

__global__ void pressure_of_fields(Fields f, double* pressure, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double kinetic = 0.5 * (f.mx[i] * f.mx[i] + f.my[i] * f.my[i] + f.mz[i] * f.mz[i]) / f.density[i];
    // ok: strided-struct-access, double-promotion
    pressure[i] = 0.4 * (f.energy[i] - kinetic);
}

__global__ void density_of_fields(Fields f, double* scaled, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // ok: strided-struct-access
    if (i < n) scaled[i] = f.density[i] * 1000.0;
}

// Seven points, as everyone writes it: the neighbours left and right are off by one element and come out of L1.
__global__ void laplacian(const float* in, float* out, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z + 1;
    if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1) return;
    size_t i = (size_t(z) * ny + y) * nx + x, plane = size_t(nx) * ny;
    // ok: misaligned-global-access
    out[i] = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - plane] + in[i + plane] - 6.f * in[i];
}

// Whole structs as vectors: 32 bytes a lane, all of each sector used.
struct alignas(16) Body {
    float4 position, velocity;
};

__global__ void drift(const Body* bodies, Body* moved, float dt, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    // ok: strided-struct-access
    Body b = bodies[i];
    b.position.x += dt * b.velocity.x;
    b.position.y += dt * b.velocity.y;
    b.position.z += dt * b.velocity.z;
    moved[i] = b;
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int n = 1 << 23;
    auto value = [](size_t member, size_t i) { return member == 4 ? 3. + unit(i) : 0.5 + unit(i + member * 77); };
    double* cells = sample.array<double>(size_t(n) * 5, [&](size_t k) { return value(k % 5, k / 5 % 4096); }, 5 << 12);
    double* pressure = sample.zeros<double>(n);
    sample.run("pressure_of_cells", [&] {
        pressure_of_cells<<<n / 256, 256>>>(reinterpret_cast<Cell*>(cells), pressure, n);
    });
    sample.checksum("pressure", pressure, n);
    auto field = [&](size_t member) {
        return sample.array<double>(n, [&](size_t i) { return value(member, i % 4096); }, 1 << 12);
    };
    Fields fields = {field(0), field(1), field(2), field(3), field(4)};
    sample.run("pressure_of_fields", [&] { pressure_of_fields<<<n / 256, 256>>>(fields, pressure, n); });
    sample.checksum("pressure", pressure, n);

    sample.run("density_of_cells", [&] {
        density_of_cells<<<n / 256, 256>>>(reinterpret_cast<Cell*>(cells), pressure, n);
    });
    sample.checksum("density", pressure, n);
    sample.run("density_of_fields", [&] { density_of_fields<<<n / 256, 256>>>(fields, pressure, n); });
    sample.checksum("density", pressure, n);

    const int nx = 512, ny = 512, nz = 256;
    float* in = sample.array<float>(size_t(nx) * ny * nz, unit);
    float* out = sample.zeros<float>(size_t(nx) * ny * nz);
    sample.run("laplacian", [&] {
        laplacian<<<dim3(nx / 64, ny / 4, nz - 2), dim3(64, 4)>>>(in, out, nx, ny, nz);
    });
    sample.checksum("laplacian", out, size_t(nx) * ny * nz);
    auto* bodies = reinterpret_cast<Body*>(in);
    auto* moved = reinterpret_cast<Body*>(out);
    sample.run("drift", [&] { drift<<<(1 << 23) / 256, 256>>>(bodies, moved, 0.01f, 1 << 23); });
    sample.checksum("drift", out, size_t(nx) * ny * nz);
}
