// Prices of European options, with the ordinary functions.
float cumulative(float d) {
    float k = 1.0f / (fma(0.2316419f, fabs(d), 1.0f));
    float poly = fma(fma(fma(fma(1.330274429f, k, -1.821255978f), k, 1.781477937f), k, -0.356563782f), k, 0.31938153f) * k;
    float tail = 0.39894228f * exp(-0.5f * d * d) * poly;
    return d > 0 ? 1.0f - tail : tail;
}

kernel void black_scholes(global const float *restrict prices, global const float *restrict strikes,
                  global const float *restrict years, global float *restrict calls,
                  global float *restrict puts, float rate, float volatility, uint count) {
    size_t i = get_global_id(0);
    if (i >= count) return;
    float price = prices[i], strike = strikes[i], time = years[i];
    float spread = volatility * sqrt(time);
    float d1 = (log(price / strike) + fma(0.5f * volatility, volatility, rate) * time) / spread;
    float d2 = d1 - spread;
    float discounted = strike * exp(-rate * time);
    float n1 = cumulative(d1), n2 = cumulative(d2);
    float call = price * n1 - discounted * n2;
    calls[i] = call;
    puts[i] = call + discounted - price;
}
