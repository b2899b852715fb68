#include <stdint.h>

extern "C" {
uint4 blend(uint4 a, uint4 b, uint32_t part);   // a part of 16 bits
unsigned char least(uchar4 bytes);              // a class of HIP, and a result that is extended
void store(int *where, long index, __int128 value);
float curve(float x, bool clamp, ...);
}
void start();
__device__ uint32 more(int x);
