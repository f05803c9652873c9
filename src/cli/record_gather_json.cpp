// SPDX-License-Identifier: Apache-2.0
#include "cli/record_gather_json.h"

#include <cstring>
#include <nlohmann/json.hpp>

namespace parcast::cli {

std::string gathered_to_json(const parcast_gathered& gathered, const std::string& recording,
                             const std::filesystem::path& from, const std::string& host) {
  using Json = nlohmann::ordered_json;
  const Json problem = gathered.error
                           ? Json{{"text", std::strerror(gathered.error)}, {"where", gathered.where}}
                           : Json(nullptr);
  const Json out{{"schema", "parcast.gather/1"},
                 {"path", recording},
                 {"from", from.string()},
                 {"host", host},
                 {"ranks", gathered.ranks},
                 {"already", gathered.known},
                 {"running", gathered.running},
                 {"left", gathered.left},
                 {"files", gathered.containers},
                 {"bytes", gathered.bytes},
                 {"problem", problem}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parcast::cli
