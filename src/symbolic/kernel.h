// SPDX-License-Identifier: Apache-2.0
#pragma once
// Arithmetic of evaluation for single values. The tree walk and the flat program share it, so both give
// identical doubles. A value that does not exist is NaN.

#include <cmath>
#include <limits>

namespace parcast::symbolic::kernel {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
/// A series with more terms has no value.
constexpr double kMostTerms = 1e8;

inline double divide(double a, double b) {
  return b == 0 ? kNone : a / b;
}

inline double modulo_of_fractions(double a, double b) {
  const double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/// Returns a - b floor(a / b), exact for integers below 2^53.
inline double modulo(double a, double b) {
  if (b == 0) return kNone;
  const bool whole = std::floor(a) == a && std::floor(b) == b && std::fabs(a) < 0x1p53;
  return whole ? a - b * std::floor(a / b) : modulo_of_fractions(a, b);
}

inline double minimum(double a, double b) {
  return a < b || std::isnan(a) ? a : b;
}
inline double maximum(double a, double b) {
  return a > b || std::isnan(a) ? a : b;
}
inline double log2(double a) {
  return a > 0 ? std::log2(a) : kNone;
}
inline double select(double condition, double then, double otherwise) {
  return std::isnan(condition) ? kNone : condition >= 0 ? then : otherwise;
}

inline double square_root(double a) {
  return a >= 0 ? std::sqrt(a) : kNone;
}
inline double cube_root(double a) {
  return a >= 0 ? std::cbrt(a) : kNone;
}
inline double fractional_power(double a, double exponent) {
  return a >= 0 ? std::pow(a, exponent) : kNone;
}

/// Returns the number of terms of a series, NaN if there are too many.
inline double term_count(double first, double last) {
  const double count = std::floor(last) - std::ceil(first) + 1;
  return count > kMostTerms || std::isnan(count) ? kNone : count < 0 ? 0 : count;
}

}  // namespace parcast::symbolic::kernel
