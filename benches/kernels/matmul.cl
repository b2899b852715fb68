// A product of square matrices, tile by tile: the counterpart of examples/matmul.pisa.
__attribute__((reqd_work_group_size(16, 16, 1)))
kernel void matmul(global const float *left, global const float *right, global float *product, uint size) {
  local float left_tile[16][16], right_tile[16][16];
  size_t row = get_global_id(1), column = get_global_id(0), y = get_local_id(1), x = get_local_id(0);
  float sum = 0;
  for (size_t start = 0; start < size; start += 16) {
    left_tile[y][x] = left[row * size + start + x];
    right_tile[y][x] = right[(start + y) * size + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t at = 0; at < 16; at++)
      sum = fma(left_tile[y][at], right_tile[at][x], sum);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  product[row * size + column] = sum;
}
