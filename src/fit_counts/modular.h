// SPDX-License-Identifier: Apache-2.0
#pragma once
// Arithmetic modulo two Mersenne primes. The search tries many forms modulo the 31-bit prime; the remaining
// ones are solved modulo the 61-bit prime (large_).

#include <array>
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "fit_counts/wide.h"
#include "symbolic/rational.h"

namespace parcast::program {

inline constexpr std::uint64_t kPrime = (std::uint64_t{1} << 31) - 1;  // for the search
inline constexpr std::uint64_t kLarge = (std::uint64_t{1} << 61) - 1;  // for the solution
inline constexpr std::int64_t kDenominators[]{
    1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14,  15,  16,  17,  18,  19,  20,  21,
    22, 23, 24, 25, 30, 32, 40, 48, 50, 60, 64, 80, 96, 100, 120, 128, 200, 250, 256, 500, 1000};

inline std::uint64_t reduce(std::uint64_t x) {
  x = (x & kPrime) + (x >> 31);
  x = (x & kPrime) + (x >> 31);
  return x >= kPrime ? x - kPrime : x;
}
inline std::uint32_t times(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(reduce(std::uint64_t{a} * b));
}
/// Returns whether x is a multiple of kPrime, for every x: a sum of products of four residues fits.
inline bool is_multiple(std::uint64_t x) {
  x = (x & kPrime) + (x >> 31);
  x = (x & kPrime) + (x >> 31);
  return x == 0 || x == kPrime;
}
inline std::uint32_t minus(std::uint32_t a, std::uint32_t b) {
  return a >= b ? a - b : static_cast<std::uint32_t>(a + kPrime - b);
}
inline std::uint32_t residue(std::int64_t x) {
  const std::int64_t r = x % static_cast<std::int64_t>(kPrime);
  return static_cast<std::uint32_t>(r < 0 ? r + static_cast<std::int64_t>(kPrime) : r);
}
inline std::uint32_t inverse(std::uint32_t a) {
  std::uint32_t result = 1;
  for (std::uint64_t e = kPrime - 2; e > 0; e >>= 1, a = times(a, a))
    if (e & 1) result = times(result, a);
  return result;
}

inline std::uint64_t large_times(std::uint64_t a, std::uint64_t b) {
  const UnsignedWide product = static_cast<UnsignedWide>(a) * b;
  std::uint64_t r = static_cast<std::uint64_t>(product & kLarge) + static_cast<std::uint64_t>(product >> 61);
  return r >= kLarge ? r - kLarge : r;
}
inline std::uint64_t large_inverse(std::uint64_t a) {
  std::uint64_t result = 1;
  for (std::uint64_t e = kLarge - 2; e > 0; e >>= 1, a = large_times(a, a))
    if (e & 1) result = large_times(result, a);
  return result;
}
inline std::uint64_t large_minus(std::uint64_t a, std::uint64_t b) {
  return a >= b ? a - b : a + kLarge - b;
}
inline std::uint64_t large_plus(std::uint64_t a, std::uint64_t b) {
  return large_minus(a, large_minus(0, b));
}
inline std::uint64_t large_residue(std::int64_t x) {
  const std::int64_t r = x % static_cast<std::int64_t>(kLarge);
  return static_cast<std::uint64_t>(r < 0 ? r + static_cast<std::int64_t>(kLarge) : r);
}

/// Returns the fraction of smallest denominator that has this residue.
inline std::optional<symbolic::Rational> fraction(std::uint64_t x) {
  constexpr std::int64_t kLargestNumerator = std::int64_t{1} << 48;  // x 1000 is far below the prime
  for (const std::int64_t d : kDenominators) {
    const std::uint64_t v = large_times(static_cast<std::uint64_t>(d), x);
    const std::int64_t numerator =
        v > kLarge / 2 ? -static_cast<std::int64_t>(kLarge - v) : static_cast<std::int64_t>(v);
    if (std::abs(numerator) <= kLargestNumerator) return symbolic::Rational::make(numerator, d);
  }
  return std::nullopt;
}

/// Linear equations modulo the large prime, added one by one until they determine the unknowns.
class Equations {
 public:
  static constexpr std::size_t kMostUnknowns = 7;
  // coefficients of the unknowns, then the right side
  using Row = std::array<std::uint64_t, kMostUnknowns + 1>;

  explicit Equations(std::size_t unknowns) : unknowns_(unknowns) { assert(unknowns <= kMostUnknowns); }

  bool determined() const { return rank_ == unknowns_; }

  void add(Row row) {
    for (std::size_t c = 0; c < unknowns_; ++c)
      if (known_[c] && row[c] != 0) subtract(row, rows_[c], row[c]);
    std::size_t column = 0;
    while (column < unknowns_ && row[column] == 0) ++column;
    if (column == unknowns_) return;  // dependent or contradictory; confirming the form finds the latter
    const std::uint64_t scale = large_inverse(row[column]);
    for (std::size_t k = 0; k <= unknowns_; ++k) row[k] = large_times(row[k], scale);
    for (std::size_t c = 0; c < unknowns_; ++c)
      if (known_[c] && rows_[c][column] != 0) subtract(rows_[c], row, rows_[c][column]);
    rows_[column] = row;
    known_[column] = true;
    ++rank_;
  }

  /// Valid when determined.
  std::uint64_t solution(std::size_t unknown) const { return rows_[unknown][unknowns_]; }

 private:
  void subtract(Row& from, const Row& row, std::uint64_t factor) const {
    for (std::size_t k = 0; k <= unknowns_; ++k) from[k] = large_minus(from[k], large_times(factor, row[k]));
  }

  std::size_t unknowns_, rank_ = 0;
  std::array<Row, kMostUnknowns> rows_{};  // by the unknown that each one solves for
  std::array<bool, kMostUnknowns> known_{};
};

}  // namespace parcast::program
