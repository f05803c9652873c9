// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "cli/interchange_answer.h"

namespace parcast::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string export_to_json(const interchange::Exported& done, const std::string& path) {
  return text_of({{"schema", "parcast.export/1"},
                  {"path", path},
                  {"format", "otf2"},
                  {"processes", done.processes},
                  {"locations", done.locations},
                  {"events", done.events},
                  {"records", done.records},
                  {"warnings", done.warnings}});
}

std::string import_to_json(const interchange::Imported& done, const std::string& path) {
  return text_of({{"schema", "parcast.import/1"},
                  {"path", path},
                  {"format", "otf2"},
                  {"processes", done.processes},
                  {"locations", done.locations},
                  {"records", done.records},
                  {"events", done.events},
                  {"complete", done.damage.empty()},
                  {"left_out", done.left_out},
                  {"warnings", done.warnings},
                  {"damage", done.damage}});
}

}  // namespace parcast::cli
