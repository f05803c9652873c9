// SPDX-License-Identifier: Apache-2.0
#pragma once
// How certain the count of a basic block is. docs/models/source_counts.md.

#include <array>
#include <optional>
#include <string_view>

namespace parcast::program {

/// How certain a count is outside the recorded points.
enum class CountTier {
  symbolic,  // the program's arithmetic over the inputs of the run; it gave every recorded count
  // Values on the way are as observed in every process of every run (source/counts/recognition.h).
  recognised,
  // Holds as long as branches without a known condition are always or never taken, as observed.
  as_seen,
  // The same number, or the same part of something, in every observation. It may depend on an input that was
  // not varied.
  constant,
  measured,  // none of these: the mean over the observations
};
inline constexpr std::array kCountTiers{CountTier::symbolic, CountTier::recognised, CountTier::as_seen,
                                        CountTier::constant, CountTier::measured};
constexpr std::string_view to_string(CountTier tier) {
  switch (tier) {
    case CountTier::symbolic:
      return "symbolic";
    case CountTier::recognised:
      return "recognised";
    case CountTier::as_seen:
      return "as seen";
    case CountTier::constant:
      return "constant";
    case CountTier::measured:
      return "measured";
  }
  return "measured";
}
inline std::optional<CountTier> count_tier_named(std::string_view name) {
  for (const CountTier tier : kCountTiers)
    if (to_string(tier) == name) return tier;
  return std::nullopt;
}

}  // namespace parcast::program
