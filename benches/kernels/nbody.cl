// One step of bodies that attract one another: the counterpart of examples/nbody.pisa.
kernel void nbody(global const float4 *bodies, global float4 *velocities, global float4 *moved, uint count,
                  float time_step, float softening_squared) {
  size_t index = get_global_id(0);
  float4 body = bodies[index];
  float4 acceleration = 0;
  for (uint other_index = 0; other_index < count; other_index++) {
    float4 other = bodies[other_index];
    float4 towards = other - body;
    towards.w = 0;
    float inverse = native_rsqrt(dot(towards, towards) + softening_squared);
    acceleration += towards * (other.w * inverse * inverse * inverse);
  }
  float4 velocity = velocities[index] + acceleration * time_step;
  velocities[index] = velocity;
  moved[index] = body + velocity * time_step;
}
