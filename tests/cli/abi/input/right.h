#ifndef RIGHT_H
#define RIGHT_H
#include <hip/hip_runtime.h>
#define API extern "C" __device__

typedef struct Byte { unsigned char value; } Byte;
typedef unsigned char bytes __attribute__((ext_vector_type(4)));

API float4 blend(float4 a, float4 b, unsigned short part);
API Byte least(bytes all);
API void store(int *where, unsigned index, __int128 value);
API float curve(float x, Byte clamp);
API double sum(double, double) __asm__("sum of.two");
extern "C" __global__ void start();
__device__ int other(int x);

#endif
