// Running sums within blocks of 256, in shared memory (Hillis and Steele).
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void scan(global const uint *restrict values, global uint *restrict sums) {
    local uint shared[2][256];
    size_t lane = get_local_id(0), i = get_global_id(0);
    uint sum = values[i], side = 0;
    shared[0][lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t distance = 1; distance < 256; distance <<= 1) {
        if (lane >= distance) sum += shared[side][lane - distance];
        side ^= 1;
        shared[side][lane] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sums[i] = sum;
}
