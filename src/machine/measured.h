// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a measurement resolved, for people who read the numbers.

#include <cmath>
#include <set>
#include <string>

#include "machine/machine.h"

namespace parcast::machine {

/// Whether the standard error exceeds a value other than 0: the measurement did not resolve the value.
inline bool error_exceeds_value(const Parameter& parameter) {
  return parameter.value != 0 && parameter.standard_error > std::fabs(parameter.value);
}

/// Whether any parameter of the level is known.
inline bool is_known(const MemoryLevel& level) {
  for (const Parameter* each : {&level.capacity, &level.bandwidth, &level.latency, &level.shared_bandwidth})
    if (each->origin != Origin::unknown) return true;
  return false;
}

/// Returns the names of the parameters whose error exceeds the value.
inline std::set<std::string> unresolved_parameters(const Machine& machine) {
  std::set<std::string> out;
  for (const auto& [name, parameter] : known_parameters(machine))
    if (error_exceeds_value(parameter)) out.insert(name);
  return out;
}

}  // namespace parcast::machine
