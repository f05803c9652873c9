// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a number was obtained, from the most to the least certain. Every number keeps its origin through all
// layers.

#include <array>
#include <optional>
#include <string_view>

namespace parcast {

enum class Origin {
  symbolic,      // proved from the source
  run_constant,  // an input value, recorded at loop entry, is inserted into a proved formula
  exact,         // identified, and confirmed by a recording that the search did not use
  ambiguous,     // several formulas fit; the interval spans them
  fitted,        // the formula with the smallest validation error, with an interval
  constant,      // assumed not to change
  measured,      // measured on this machine and used unchanged
  assumed,       // given by the user, or a default
  unknown,
};

constexpr std::array kOrigins{Origin::symbolic,  Origin::run_constant, Origin::exact,
                              Origin::ambiguous, Origin::fitted,       Origin::constant,
                              Origin::measured,  Origin::assumed,      Origin::unknown};

/// Returns the name in files and reports, e.g. "run-constant".
constexpr std::string_view to_string(Origin origin) {
  switch (origin) {
    case Origin::symbolic:
      return "symbolic";
    case Origin::run_constant:
      return "run-constant";
    case Origin::exact:
      return "exact";
    case Origin::ambiguous:
      return "ambiguous";
    case Origin::fitted:
      return "fitted";
    case Origin::constant:
      return "constant";
    case Origin::measured:
      return "measured";
    case Origin::assumed:
      return "assumed";
    case Origin::unknown:
      return "unknown";
  }
  return "unknown";
}

constexpr std::optional<Origin> origin_from(std::string_view name) {
  for (const Origin origin : kOrigins)
    if (to_string(origin) == name) return origin;
  return std::nullopt;
}

/// Returns the less certain of two origins.
constexpr Origin weaker(Origin a, Origin b) {
  return a < b ? b : a;
}

}  // namespace parcast
