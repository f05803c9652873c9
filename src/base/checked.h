// SPDX-License-Identifier: Apache-2.0
#pragma once
// Integer arithmetic that returns nothing on overflow. Counts and offsets read from files go through it,
// because files are not trusted.

#include <concepts>
#include <limits>
#include <optional>
#include <utility>

namespace parcast {

template <std::integral T>
constexpr std::optional<T> checked_add(T a, T b) {
  T out;
  if (__builtin_add_overflow(a, b, &out)) return std::nullopt;
  return out;
}

template <std::integral T>
constexpr std::optional<T> checked_subtract(T a, T b) {
  T out;
  if (__builtin_sub_overflow(a, b, &out)) return std::nullopt;
  return out;
}

template <std::integral T>
constexpr std::optional<T> checked_multiply(T a, T b) {
  T out;
  if (__builtin_mul_overflow(a, b, &out)) return std::nullopt;
  return out;
}

/// Returns the same value in another integer type, or nothing when it does not fit.
template <std::integral To, std::integral From>
constexpr std::optional<To> checked_cast(From value) {
  if (!std::in_range<To>(value)) return std::nullopt;
  return static_cast<To>(value);
}

/// Returns the largest integer q with q * d <= n (d != 0): the mathematical floor, also for negative
/// operands.
template <std::signed_integral T>
constexpr T floor_divide(T n, T d) {
  T q = n / d;
  return (n % d != 0 && ((n < 0) != (d < 0))) ? q - 1 : q;
}

/// Returns n - d * floor(n / d), which has the sign of d.
template <std::signed_integral T>
constexpr T floor_modulo(T n, T d) {
  return n - d * floor_divide(n, d);
}

}  // namespace parcast
