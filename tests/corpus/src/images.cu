// Packed pixels of one and three bytes, in two-dimensional blocks.
// pair: strided-struct-access to_gray -> to_gray_words
// pair: narrow-global-access difference -> difference_words
#include "../../../rules/sample.cuh"

struct Rgb {
    unsigned char r, g, b;
};

__device__ unsigned char luma(unsigned r, unsigned g, unsigned b) { return (77 * r + 150 * g + 29 * b) >> 8; }

__global__ void to_gray(const Rgb* image, unsigned char* gray, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    // ruleid: strided-struct-access, narrow-global-access, uncoalesced-global-access
    Rgb p = image[y * width + x];
    // ruleid: strided-struct-access, narrow-global-access, uncoalesced-global-access
    gray[y * width + x] = luma(p.r, p.g, p.b);
}

// Four pixels a thread: three words in, one word out.
__global__ void to_gray_words(const unsigned* image, unsigned* gray, int width4, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width4 || y >= height) return;
    const unsigned* from = image + 3 * (y * width4 + x);
    unsigned a = from[0], b = from[1], c = from[2];
    unsigned p0 = luma(a & 255, a >> 8 & 255, a >> 16 & 255), p1 = luma(a >> 24, b & 255, b >> 8 & 255);
    unsigned p2 = luma(b >> 16 & 255, b >> 24, c & 255), p3 = luma(c >> 8 & 255, c >> 16 & 255, c >> 24);
    gray[y * width4 + x] = p0 | p1 << 8 | p2 << 16 | p3 << 24;
}

__global__ void difference(const signed char* a, const signed char* b, signed char* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        // ruleid: narrow-global-access
        out[i] = a[i] - b[i];
    }
}

__global__ void difference_words(const uint4* a, const uint4* b, uint4* out, int n16) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n16; i += gridDim.x * blockDim.x) {
        uint4 x = a[i], y = b[i];
        // ok: narrow-global-access
        out[i] = make_uint4(__vsub4(x.x, y.x), __vsub4(x.y, y.y), __vsub4(x.z, y.z), __vsub4(x.w, y.w));
    }
}

// Byte loads that do not matter: one look-up a thread beside a long computation.
__global__ void dither(const unsigned char* image, float* out, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    // ok: narrow-global-access
    float v = image[i] / 255.f;
    for (int r = 0; r < rounds; ++r) v = fmaf(v, 0.97f, 0.01f * v * v);
    out[i] = v;
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int width = 8192, height = 8192, n = width * height;
    auto byte = [](size_t i) { return hashed(i) & 255; };
    auto* image = sample.array<unsigned char>(size_t(n) * 3, byte, 3 << 19);
    auto* gray = sample.zeros<unsigned char>(n);
    sample.run("to_gray", [&] {
        to_gray<<<dim3(width / 32, height / 8), dim3(32, 8)>>>(reinterpret_cast<Rgb*>(image), gray, width, height);
    });
    sample.checksum("gray", gray, n);
    sample.run("to_gray_words", [&] {
        to_gray_words<<<dim3(width / 128, height / 8), dim3(32, 8)>>>(
            reinterpret_cast<unsigned*>(image), reinterpret_cast<unsigned*>(gray), width / 4, height);
    });
    sample.checksum("gray", gray, n);
    auto* other = sample.array<unsigned char>(n, [](size_t i) { return hashed(i + 5) & 255; });
    auto* a = reinterpret_cast<signed char*>(image);
    auto* b = reinterpret_cast<signed char*>(other);
    auto* out = reinterpret_cast<signed char*>(gray);
    sample.run("difference", [&] { difference<<<132 * 8, 256>>>(a, b, out, n); });
    sample.checksum("difference", out, n);
    sample.run("difference_words", [&] {
        difference_words<<<132 * 8, 256>>>(reinterpret_cast<uint4*>(image), reinterpret_cast<uint4*>(other),
                                           reinterpret_cast<uint4*>(gray), n / 16);
    });
    sample.checksum("difference", out, n);
    float* dithered = sample.zeros<float>(n / 8);
    sample.run("dither", [&] { dither<<<n / 8 / 256, 256>>>(image, dithered, n / 8, 200); });
    sample.checksum("dither", dithered, n / 8);
}
