// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "cli/messages.h"

namespace parcast::cli {

std::string error_to_json(const Error& error, int exit_code) {
  const nlohmann::ordered_json out{{"schema", "parcast.error/1"},
                                   {"what", error.what},
                                   {"where", error.where},
                                   {"hint", error.hint},
                                   {"exit", exit_code}};
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace parcast::cli
