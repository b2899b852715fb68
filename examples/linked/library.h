/* The functions of library.pisa, as HIP calls them; docs/amdgpu-c.md shows how they are checked. */
#pragma once

#ifdef __HIP__
#define API extern "C" __attribute__((device))
#else
#define API
#endif

/* A phase is the part of a period that has passed, in [0, 1); results are in [-1, 1]. */
API float sine(float phase);
API float sawtooth(float phase);

/* How loud a struck string still is. */
API float loudness(float seconds);
