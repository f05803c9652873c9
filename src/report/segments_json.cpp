// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "report/segments_text.h"

namespace parcast::report {
namespace {

using Json = nlohmann::ordered_json;

Json segment_json(const program::MessageSegment& of) {
  const program::Classified& found = of.found;
  const bool irregular = found.pattern == program::MessagePattern::irregular;
  return {{"region", of.region},
          {"calls", of.calls},
          {"pattern", name_of(found.pattern)},
          {"form", found.form},
          {"groups", found.groups},
          {"exact", !irregular},
          {"explained", found.explained},
          {"nearest", irregular ? Json(name_of(found.nearest)) : Json(nullptr)},
          {"ranks", of.ranks},
          {"messages", of.messages},
          {"bytes", of.bytes},
          {"table", found.table.empty() ? Json(nullptr) : Json(found.table)}};
}

}  // namespace

std::string segments_to_json(const trace::Trace& trace,
                             const std::vector<program::MessageSegment>& segments) {
  Json out = {{"schema", "parcast.patterns/1"},
              {"program", trace.program},
              {"ranks", trace.ranks},
              {"segments", Json::array()}};
  for (const auto& segment : segments) out["segments"].push_back(segment_json(segment));
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parcast::report
