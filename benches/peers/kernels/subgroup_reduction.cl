// The sum of each block of 32 elements, by one sub-group.
kernel __attribute__((reqd_work_group_size(256, 1, 1))) __attribute__((intel_reqd_sub_group_size(32)))
void subgroup_reduction(global const uint *restrict values, global uint *restrict sums) {
    size_t i = get_global_id(0);
    uint sum = sub_group_reduce_add(values[i]);
    if (get_sub_group_local_id() == 0) sums[i / 32] = sum;
}
