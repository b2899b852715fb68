// One step of heat conduction: each inner cell becomes a weighted sum of itself and its four neighbours.
kernel void stencil(global const float *restrict old, global float *restrict new, uint width, uint height,
                    float centre, float side) {
    size_t x = get_global_id(0), y = get_global_id(1), w = width;
    if (x < 1 || y < 1 || x >= w - 1 || y >= height - 1) return;
    size_t at = y * w + x;
    float sum = old[at - w] + old[at - 1] + old[at + 1] + old[at + w];
    new[at] = fma(centre, old[at], side * sum);
}
