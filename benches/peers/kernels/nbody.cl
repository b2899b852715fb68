// The pull of all bodies on each one.
kernel void nbody(global const float4 *restrict bodies, global float4 *restrict accelerations, uint count,
                  float softening) {
    size_t i = get_global_id(0);
    if (i >= count) return;
    float4 body = bodies[i];
    float ax = 0, ay = 0, az = 0;
    for (size_t j = 0; j < count; ++j) {
        float4 other = bodies[j];
        float dx = other.x - body.x, dy = other.y - body.y, dz = other.z - body.z;
        float inverse = rsqrt(fma(dz, dz, fma(dy, dy, fma(dx, dx, softening))));
        float pull = other.w * inverse * (inverse * inverse);
        ax = fma(dx, pull, ax);
        ay = fma(dy, pull, ay);
        az = fma(dz, pull, az);
    }
    accelerations[i] = (float4)(ax, ay, az, 0);
}
