// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/noise.h"

#include <algorithm>
#include <cmath>

#include "predict/simulate/costs.h"

// Logarithm and exponential use only additions, multiplications and divisions, whose rounding IEEE 754
// defines; the library functions differ in the last bit between systems.
namespace parcast::simulate {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;  // 2^64 / golden ratio
constexpr double kLn2 = 0.6931471805599453;
constexpr std::uint64_t kTries = 64;  // attempts of the polar method; all fail once in 10^42

std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// x > 0: 2^e m with m in [sqrt(1/2), sqrt(2)), ln m = 2 artanh((m - 1) / (m + 1)).
double logarithm(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0.7071067811865476) m *= 2, --exponent;
  const double y = (m - 1) / (m + 1), square = y * y;
  double sum = 0;
  for (int odd = 23; odd >= 1; odd -= 2) sum = sum * square + 1.0 / odd;
  return exponent * kLn2 + 2 * y * sum;
}

/// 2^k e^r with |r| <= ln(2) / 2, by the series of e^r.
double exponential(double x) {
  const double k = std::floor(x / kLn2 + 0.5);
  const double r = x - k * kLn2;
  double sum = 1;
  for (int n = 14; n >= 1; --n) sum = 1 + sum * r / n;
  return std::ldexp(sum, static_cast<int>(k));
}

/// -1 <= x < 1, a multiple of 2^-52.
double symmetric(std::uint64_t bits) {
  return static_cast<double>(static_cast<std::int64_t>(bits) >> 11) * 0x1p-52;
}

/// The polar method (Marsaglia and Bray 1964); uses the first of its two numbers.
double standard_normal(std::uint64_t key, std::uint64_t index) {
  for (std::uint64_t attempt = 0; attempt < kTries; ++attempt) {
    const std::uint64_t at = 2 * (index * kTries + attempt);
    const double u = symmetric(random_bits(key, at)), v = symmetric(random_bits(key, at + 1));
    const double s = u * u + v * v;
    if (s > 0 && s < 1) return u * std::sqrt(-2 * logarithm(s) / s);
  }
  return 0;
}

trace::Time times(trace::Time time, std::int64_t factor) {
  return static_cast<trace::Time>(
      std::min<Wide>(at_rate(static_cast<std::uint64_t>(time), factor), trace::kLongest + 1));
}

}  // namespace

std::uint64_t random_bits(std::uint64_t key, std::uint64_t index) {
  return mixed(key + kGolden * (index + 1));
}

double spread_of(double relative) {
  return std::sqrt(logarithm(1 + relative * relative));
}

std::int64_t random_factor(std::uint64_t key, std::uint64_t index, double spread) {
  const double factor = exponential(spread * standard_normal(key, index) - spread * spread / 2);
  return static_cast<std::int64_t>(std::min(factor * 0x1p32 + 0.5, 0x1p62));
}

NoiseOfRank::NoiseOfRank(const Noise& noise, std::int32_t rank)
    : key_(random_bits(mixed(noise.seed), static_cast<std::uint64_t>(rank))), spread_(spread_of(noise.each)) {
  // A separate stream, so that the pieces draw the same numbers with and without lasting differences.
  if (noise.lasting > 0) lasting_ = random_factor(mixed(~key_), 0, spread_of(noise.lasting));
}

trace::Time NoiseOfRank::next(trace::Time time) {
  const std::uint64_t piece = pieces_++;
  if (spread_ > 0) time = times(time, random_factor(key_, piece, spread_));
  return times(time, lasting_);
}

}  // namespace parcast::simulate
