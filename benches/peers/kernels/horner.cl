// Polynomials by Horner's scheme. What is computed stays in memory from step to step.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void horner(global const float *restrict points, global const float *restrict coefficients,
            global float *restrict values, uint count) {
    size_t i = get_global_id(0);
    values[i] = 0.0f;
    for (uint k = 0; k < count; k++) values[i] = fma(values[i], points[i], coefficients[k]);
}
