// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "cli/ui_answer.h"

namespace parcast::cli {

std::string ui_to_json(const std::string& url, const web::Settings& settings) {
  nlohmann::ordered_json out{{"schema", "parcast.ui/1"}, {"url", url}, {"folder", settings.folder.string()}};
  if (!settings.store.empty()) out["store"] = settings.store;
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace parcast::cli
