// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "web/message.h"
#include "web/requests.h"
#include "web/text_json.h"

namespace parcast::web {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Result<std::int64_t> number_in(std::string_view json, const std::string& name) {
  const Json object = Json::parse(json, nullptr, false);
  if (!object.is_object() || !object.contains(name) || !object[name].is_number_integer())
    return Error{"the request has no number \"" + name + "\"", "", ""};
  return object[name].get<std::int64_t>();
}

std::string json_text(const std::string& text) {
  return text_of(Json(text));
}

Response error_response(int status, const Error& error) {
  return {.status = status,
          .body = text_of({{"error", {{"what", error.what}, {"where", error.where}, {"hint", error.hint}}}})};
}

}  // namespace parcast::web
