// SPDX-License-Identifier: Apache-2.0
#pragma once
// How sure the count of a basic block is. docs/models/source_counts.md.

#include <array>
#include <optional>
#include <string_view>

namespace parcast::program {

/// How sure a count is where more is asked of it than was seen.
enum class CountTier {
  symbolic,    // the program's arithmetic over what the run was given, and it gave every count
  recognised,  // values on the way are what they were seen to be in every process of every run (source/counts/recognition.h)
  as_seen,     // as long as branches on which nothing is known go as they always or never went
  constant,    // the same number, or the same part of something, at every sighting: it may be one that was not
               // varied
  measured,    // none of these: the mean over the sightings
};
inline constexpr std::array kCountTiers{CountTier::symbolic, CountTier::recognised, CountTier::as_seen, CountTier::constant, CountTier::measured};
constexpr std::string_view to_string(CountTier tier) {
  switch (tier) {
    case CountTier::symbolic: return "symbolic";
    case CountTier::recognised: return "recognised";
    case CountTier::as_seen: return "as seen";
    case CountTier::constant: return "constant";
    case CountTier::measured: return "measured";
  }
  return "measured";
}
inline std::optional<CountTier> count_tier_named(std::string_view name) {
  for (const CountTier tier : kCountTiers)
    if (to_string(tier) == name) return tier;
  return std::nullopt;
}

}  // namespace parcast::program
