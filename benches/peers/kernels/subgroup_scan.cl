// Running sums within blocks of 256: each sub-group scans its own, and their sums are joined in shared memory.
kernel __attribute__((reqd_work_group_size(256, 1, 1))) __attribute__((intel_reqd_sub_group_size(32)))
void subgroup_scan(global const uint *restrict values, global uint *restrict sums) {
    local uint ends[8];
    size_t i = get_global_id(0);
    uint lane = get_sub_group_local_id(), group = get_sub_group_id();
    uint sum = sub_group_scan_inclusive_add(values[i]);
    if (lane == 31) ends[group] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint before = sub_group_reduce_add(lane < group ? ends[lane] : 0);
    sums[i] = sum + before;
}
