// A loop that calls a function.
__attribute__((noinline)) uint next(uint state, uint round) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state + round;
}

kernel void calls(global uint *restrict states, uint count, uint rounds) {
    size_t i = get_global_id(0);
    if (i >= count) return;
    uint state = states[i];
    for (uint round = 0; round < rounds; ++round) state = next(state, round);
    states[i] = state;
}
