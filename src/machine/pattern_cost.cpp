// SPDX-License-Identifier: Apache-2.0
#include "machine/pattern_cost.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace parcast::machine {
namespace {

using symbolic::Expression;
using symbolic::Rational;
using Knots = std::span<const PatternCost::Correction>;

constexpr std::int64_t kMostTaken = 9, kOfTenths = 10;

/// Returns the knots grouped by process count.
std::vector<Knots> by_count(const PatternCost& pattern) {
  std::vector<Knots> out;
  const Knots all(pattern.corrections);
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    while (end < all.size() && all[end].processes == all[begin].processes) ++end;
    out.push_back(all.subspan(begin, end - begin));
    begin = end;
  }
  return out;
}

double along_sizes(Knots knots, double bytes) {
  const auto above =
      std::upper_bound(knots.begin(), knots.end(), bytes,
                       [](double at, const PatternCost::Correction& knot) { return at < knot.bytes; });
  if (above == knots.begin()) return knots.front().seconds;
  if (above == knots.end()) return knots.back().seconds;
  const auto& below = *(above - 1);
  return below.seconds +
         (bytes - below.bytes) / (above->bytes - below.bytes) * (above->seconds - below.seconds);
}

/// Returns the same as a sum of ramps: each knot at which the slope changes adds the difference. All ramps
/// end at the last knot, so that they need not cancel each other beyond it.
Expression along_sizes(Knots knots, const Expression& bytes) {
  Expression out = symbolic::real(knots.front().seconds);
  const Expression within = min(bytes, symbolic::real(knots.back().bytes));
  double slope = 0;
  for (std::size_t i = 0; i + 1 < knots.size(); ++i) {
    const double next = (knots[i + 1].seconds - knots[i].seconds) / (knots[i + 1].bytes - knots[i].bytes);
    if (next != slope)
      out = out + symbolic::real(next - slope) * max(0, within - symbolic::real(knots[i].bytes));
    slope = next;
  }
  return out;
}

}  // namespace

double piece_seconds(const PatternCost& pattern, double processes, double bytes) {
  const PatternCost::Piece* of = nullptr;
  for (const PatternCost::Piece& piece : pattern.pieces)
    if (!of || bytes >= piece.from_bytes) of = &piece;
  if (!of) return 0;
  const double f = growth_value(of->growth, processes);
  return of->startup.value + of->startup_growth.value * f +
         bytes * (of->per_byte.value + of->per_byte_growth.value * f);
}

double correction_at(const PatternCost& pattern, double processes, double bytes) {
  const std::vector<Knots> counts = by_count(pattern);
  if (counts.empty()) return 0;
  const auto above = std::upper_bound(counts.begin(), counts.end(), processes,
                                      [](double p, Knots knots) { return p < knots.front().processes; });
  if (above == counts.begin()) return along_sizes(counts.front(), bytes);
  const double low = along_sizes(*(above - 1), bytes);
  if (above == counts.end()) return low;
  const double from = std::log2((above - 1)->front().processes), to = std::log2(above->front().processes);
  return low + (std::log2(processes) - from) / (to - from) * (along_sizes(*above, bytes) - low);
}

double pattern_seconds(const PatternCost& pattern, double processes, double bytes) {
  if (processes <= 1) return pattern.single_startup.value + bytes * pattern.single_per_byte.value;
  const double pieces = piece_seconds(pattern, processes, bytes);
  return pieces + std::max(correction_at(pattern, processes, bytes), -pieces * kMostTaken / kOfTenths);
}

Expression correction_expression(const PatternCost& pattern, const Expression& bytes,
                                 const Expression& members) {
  const std::vector<Knots> counts = by_count(pattern);
  if (counts.empty()) return 0;
  std::vector<Expression> each;
  for (const Knots knots : counts) each.push_back(along_sizes(knots, bytes));
  const Expression grown = log2(members);
  Expression out = each.front();
  for (std::size_t i = 1; i < each.size(); ++i) {
    const double from = std::log2(counts[i - 1].front().processes),
                 to = std::log2(counts[i].front().processes);
    const Expression part = symbolic::real(1 / (to - from)) * (grown - symbolic::real(from));
    out = out + max(0, min(1, part)) * (each[i] - each[i - 1]);
  }
  return out;
}

Expression bounded_correction(const Expression& correction, const Expression& pieces) {
  return max(correction, Expression(Rational::of(-kMostTaken, kOfTenths)) * pieces);
}

}  // namespace parcast::machine
