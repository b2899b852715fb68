// The product of square matrices, one element in each work-item.
kernel void matmul_naive(global const float *restrict left, global const float *restrict right,
                         global float *restrict product, uint size) {
    size_t column = get_global_id(0), row = get_global_id(1), n = size;
    if (column >= n || row >= n) return;
    float sum = 0;
    for (size_t k = 0; k < n; ++k) sum = fma(left[row * n + k], right[k * n + column], sum);
    product[row * n + column] = sum;
}
