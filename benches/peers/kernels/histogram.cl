// How often each byte occurs: counted in shared memory by each work-group, then added up.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void histogram(global const uchar *restrict bytes, global uint *restrict bins, uint count) {
    local uint group_bins[256];
    size_t lane = get_local_id(0), stride = get_global_size(0);
    group_bins[lane] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t i = get_global_id(0); i < count; i += stride) atomic_inc(&group_bins[bytes[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[lane], group_bins[lane]);
}
