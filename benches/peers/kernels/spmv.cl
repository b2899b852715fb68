// A sparse matrix in compressed rows times a vector, one row in each work-item.
kernel void spmv(global const uint *restrict starts, global const uint *restrict columns,
                 global const float *restrict values, global const float *restrict vector,
                 global float *restrict product, uint rows) {
    size_t row = get_global_id(0);
    if (row >= rows) return;
    float sum = 0;
    for (size_t at = starts[row], end = starts[row + 1]; at < end; ++at)
        sum = fma(values[at], vector[columns[at]], sum);
    product[row] = sum;
}
