// The sum of each block of 256 elements, by a tree in shared memory.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void reduction(global const float *restrict values, global float *restrict sums) {
    local float partial[256];
    size_t lane = get_local_id(0);
    partial[lane] = values[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t distance = 128; distance > 0; distance >>= 1) {
        if (lane < distance) partial[lane] += partial[lane + distance];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0) sums[get_group_id(0)] = partial[0];
}
