// SPDX-License-Identifier: Apache-2.0
#pragma once
// Times and counts of simulated runs.

#include <cstdint>
#include <string>

#include "base/text.h"
#include "trace/trace.h"

namespace parcast::report {

inline double seconds(trace::Time time) {
  return static_cast<double>(time) / 1e12;
}
inline std::string number(std::uint64_t value) {
  return format_integer(static_cast<long long>(value));
}

}  // namespace parcast::report
