// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace parcast::web {

/// Returns the JSON in one line; bytes that are not UTF-8 become replacement characters.
inline std::string text_of(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}
/// Returns a member of an object, empty if it is not a text.
inline std::string text_of(const nlohmann::ordered_json& object, const char* member) {
  const auto found = object.find(member);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace parcast::web
