// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

namespace parcast::report {

/// Returns null for an infinite value and for none.
inline nlohmann::ordered_json finite(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}
/// Returns the JSON as printed; bytes that are not UTF-8 become replacement characters.
inline std::string dumped(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace parcast::report
