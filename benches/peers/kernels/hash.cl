// A chain of 64-bit hashes (splitmix64) in each work-item.
kernel void hash(global ulong *restrict hashes, uint count, uint rounds) {
    size_t i = get_global_id(0);
    if (i >= count) return;
    ulong value = hashes[i];
    for (uint round = 0; round < rounds; ++round) {
        value += 0x9e3779b97f4a7c15UL;
        value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9UL;
        value = (value ^ value >> 27) * 0x94d049bb133111ebUL;
        value ^= value >> 31;
    }
    hashes[i] = value;
}
