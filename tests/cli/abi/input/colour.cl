// In OpenCL C vectors are vectors, and chars of it are not packed.
float4 blend(float4 a, float4 b, ushort part);
struct byte { uchar value; };
struct byte least(uchar4 bytes);
void store(global int *where, uint index, local int *value);
