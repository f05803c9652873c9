// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "report/pattern_text.h"

namespace parcast::report {
namespace {

using Json = nlohmann::ordered_json;

Json known(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json misfit_json(const std::optional<PatternMisfit>& misfit) {
  return misfit ? Json{{"median", misfit->median}, {"p95", misfit->p95}} : Json(nullptr);
}

Json point_json(const PatternPoint& point) {
  Json out = {{"processes", point.processes},
              {"bytes", point.bytes},
              {"measured", nullptr},
              {"fitted", point.fitted},
              {"from_messages", known(point.from_messages)},
              {"beyond_processes", point.beyond_processes},
              {"beyond_bytes", point.beyond_bytes}};
  if (point.measured)
    out["measured"] = {{"value", point.measured->seconds},
                       {"standard_error", point.measured->standard_error},
                       {"samples", point.measured->samples},
                       {"unit", "s"}};
  return out;
}

Json view_json(const PatternView& view) {
  Json out = {{"name", view.name},
              {"measured",
               {{"processes", view.measured.processes},
                {"smallest_bytes", view.measured.smallest_bytes},
                {"largest_bytes", view.measured.largest_bytes}}}};
  out["pieces"] = Json::array();
  for (const machine::PatternCost::Piece& piece : view.table->pieces)
    out["pieces"].push_back({{"from_bytes", piece.from_bytes},
                             {"growth", piece.growth},
                             {"formula", machine::formula_of(piece)},
                             {"left_out_off", piece.relative_error},
                             {"startup", piece.startup.value},
                             {"startup_growth", piece.startup_growth.value},
                             {"per_byte", piece.per_byte.value},
                             {"per_byte_growth", piece.per_byte_growth.value}});
  out["points"] = Json::array();
  for (const PatternPoint& point : view.points) out["points"].push_back(point_json(point));
  out["fit_off"] = misfit_json(view.fit);
  out["messages_off"] = misfit_json(view.messages);
  return out;
}

}  // namespace

std::string patterns_to_json(const std::string& machine, const std::vector<PatternView>& views) {
  Json out = {{"schema", "parcast.machine-patterns/1"}, {"machine", machine}, {"patterns", Json::array()}};
  for (const PatternView& view : views) out["patterns"].push_back(view_json(view));
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parcast::report
