// A matrix with rows and columns exchanged, through a tile in shared memory.
kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void transpose(global const float *restrict matrix, global float *restrict transposed, uint width,
               uint height) {
    local float tile[16][17];
    size_t x = get_local_id(0), y = get_local_id(1), left = get_group_id(0) * 16, top = get_group_id(1) * 16;
    tile[y][x] = matrix[(top + y) * width + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    transposed[(left + y) * height + top + x] = tile[x][y];
}
