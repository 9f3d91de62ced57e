// Weight of each bag of items, kept as linked lists: the address of the next item is known only when the last has arrived.
#include "../sample.cuh"

struct Item {
    int next;
    float weight;
};

__global__ void bag_weights(const Item* items, const int* first, float* weights, int bags) {
    int bag = blockIdx.x * blockDim.x + threadIdx.x;
    if (bag >= bags) return;
    float sum = 0.f;
    for (int k = first[bag]; k >= 0;) {
        // ruleid: dependent-load-chain
        Item item = items[k];
        sum += item.weight;
        k = item.next;
    }
    weights[bag] = sum;
}

int main(int argc, char** argv) {
    Sample sample(argc, argv);
    const int bags = 1 << 16, length = 64, count = bags * length;
    auto place = [](int bag, int k) { return int((unsigned(k * bags + bag) * 2654435761u) & (count - 1)); };
    std::vector<Item> list(count);
    for (int bag = 0; bag < bags; ++bag) {
        for (int k = 0; k < length; ++k) {
            list[place(bag, k)] = {k + 1 < length ? place(bag, k + 1) : -1, unit(bag * length + k)};
        }
    }
    Item* items = sample.array<Item>(count, [&](size_t i) { return list[i]; }, count);
    int* first = sample.array<int>(bags, [&](size_t bag) { return place(bag, 0); }, bags);
    float* weights = sample.zeros<float>(bags);
    sample.run("bag_weights", [&] { bag_weights<<<bags / 128, 128>>>(items, first, weights, bags); });
    sample.checksum("bag_weights", weights, bags);
}
