// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "report/store_text.h"
#include "report/values_json.h"

namespace parcast::report {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string tags_to_json(const std::map<std::string, std::int64_t>& tags) {
  Json out{{"schema", "parcast.store-tags/1"}, {"tags", Json::array()}};
  for (const auto& [tag, count] : tags) out["tags"].push_back({{"tag", tag}, {"entries", count}});
  return dumped(out);
}

std::string taken_to_json(const store::Taken& taken) {
  Json out{{"schema", "parcast.store-taken/1"},
           {"entries", taken.entries},
           {"new", taken.fresh},
           {"differing", Json::array()}};
  for (const store::Difference& each : taken.differing)
    out["differing"].push_back({{"id", each.digest.substr(0, 12)},
                                {"kind", to_string(each.kind)},
                                {"digest", each.digest},
                                {"here", each.kept},
                                {"there", each.given}});
  return dumped(out);
}

std::string added_to_json(const AddedRecordings& added) {
  Json out{{"schema", "parcast.store-added/1"}, {"kept", Json::array()}, {"refused", Json::array()}};
  for (const AddedRecording& each : added.kept)
    out["kept"].push_back({{"id", each.digest.substr(0, 12)},
                           {"digest", each.digest},
                           {"path", each.path},
                           {"new", each.fresh},
                           {"whole", each.whole}});
  for (const auto& each : added.refused) out["refused"].push_back({{"path", each.path}, {"why", each.why}});
  return dumped(out);
}

std::string removed_to_json(const std::vector<store::Entry>& removed) {
  Json out{{"schema", "parcast.store-removed/1"}, {"removed", Json::array()}};
  for (const store::Entry& each : removed)
    out["removed"].push_back(
        {{"id", store::id_of(each)}, {"kind", to_string(each.kind)}, {"digest", each.digest}});
  return dumped(out);
}

std::string checked_to_json(const StoreChecked& checked) {
  return dumped({{"schema", "parcast.store-check/1"},
                 {"whole", true},
                 {"entries", checked.entries},
                 {"missing_files", checked.missing_files}});
}

}  // namespace parcast::report
