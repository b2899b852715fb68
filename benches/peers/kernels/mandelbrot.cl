#pragma OPENCL FP_CONTRACT OFF
// Iterations until a point of the plane is left behind; every lane leaves the loop at its own time.
kernel void mandelbrot(global uint *restrict counts, uint width, uint height, float scale, float left,
                       float top, uint limit) {
    size_t column = get_global_id(0), row = get_global_id(1);
    if (column >= width || row >= height) return;
    float re = fma((float)(uint)column, scale, left), im = fma((float)(uint)row, scale, top);
    float x = 0, y = 0;
    uint count = 0;
    for (; count < limit; ++count) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4.0f) break;
        y = fma(x + x, y, im);
        x = xx - yy + re;
    }
    counts[row * width + column] = count;
}
