// y += a * x, one element in each work-item.
kernel void saxpy(global const float *restrict x, global float *restrict y, float a, uint count) {
    size_t i = get_global_id(0);
    if (i >= count) return;
    y[i] = fma(a, x[i], y[i]);
}
