// The product of square matrices, a tile of 16x16 elements in each work-group.
kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void matmul_tiled(global const float *restrict left, global const float *restrict right,
                  global float *restrict product, uint size) {
    local float left_tile[16][16], right_tile[16][16];
    size_t x = get_local_id(0), y = get_local_id(1), n = size;
    size_t column = get_group_id(0) * 16 + x, row = get_group_id(1) * 16 + y;
    float sum = 0;
    for (size_t start = 0; start < n; start += 16) {
        left_tile[y][x] = left[row * n + start + x];
        right_tile[y][x] = right[(start + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (size_t k = 0; k < 16; ++k) sum = fma(left_tile[y][k], right_tile[k][x], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    product[row * n + column] = sum;
}
