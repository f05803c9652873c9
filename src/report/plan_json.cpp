// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "report/plan_text.h"

namespace parcast::report {
namespace {

using Json = nlohmann::ordered_json;
using plan::Advice;

Json point_json(const Advice& advice, const plan::Point& point) {
  Json out = Json::object();
  for (std::size_t j = 0; j < point.size(); ++j) out[advice.parameters[j]] = point[j];
  return out;
}

Json interval_json(const Advice& advice, const plan::Interval& interval, const std::string& unit,
                   const char* origin) {
  return {{"value", interval.value}, {"low", interval.low}, {"high", interval.high},
          {"level", advice.level},   {"unit", unit},        {"origin", origin}};
}

Json separation_json(const plan::Reasons& reasons) {
  if (!reasons.separates) return nullptr;
  const plan::Separation& s = *reasons.separates;
  const auto formula = [](const std::string& text, double weight, double value) {
    return Json{{"expression", text}, {"weight", weight}, {"value", value}};
  };
  return {{"formulas",
           {formula(s.one, s.one_weight, s.one_value), formula(s.other, s.other_weight, s.other_value)}},
          {"standard_deviations_apart", s.apart}};
}

std::string cost_unit(const Advice& advice) {
  return !advice.costs_known ? "run" : advice.cores.empty() ? "s" : "core-s";
}

Json proposal_json(const Advice& advice, const plan::Proposal& proposal) {
  const plan::Run& run = proposal.run;
  const plan::Reasons& reasons = proposal.reasons;
  return {
      {"parameters", point_json(advice, run.point)},
      {"repetitions", advice.repetitions},
      {"known", reasons.repeats},
      {"seconds", advice.costs_known ? interval_json(advice, run.seconds, "s", "fitted") : Json(nullptr)},
      {"cost", interval_json(advice, run.cost, cost_unit(advice), advice.costs_known ? "fitted" : "assumed")},
      {"narrower", run.narrower},
      {"expected", interval_json(advice, proposal.answer, advice.unit, "fitted")},
      {"separates", separation_json(reasons)},
      {"doublings_beyond", {{"before", reasons.beyond_before}, {"after", reasons.beyond_after}}}};
}

}  // namespace

std::string plan_to_json(const Advice& advice) {
  Json out{{"schema", "parcast.plan/1"},
           {"callpath", advice.callpath},
           {"metric", advice.metric},
           {"parameters", point_json(advice, advice.now.point)}};
  out["now"] =
      interval_json(advice, {advice.now.value, advice.now.low, advice.now.high}, advice.unit, "fitted");
  out["now"]["doublings_beyond"] = advice.now.distance;
  out["allowed"] = Json::array();
  for (std::size_t j = 0; j < advice.allowed.size(); ++j)
    out["allowed"].push_back({{"parameter", advice.parameters[j]},
                              {"values", advice.allowed[j].values},
                              {"derived", advice.allowed[j].derived}});
  out["cores"] = advice.cores.empty() ? Json(nullptr) : Json(advice.cores);
  out["budget"] = {{"value", advice.budget}, {"unit", cost_unit(advice)}, {"given", advice.budget_given}};
  out["least"] = advice.least;
  out["considered"] = advice.considered;
  out["too_dear"] = advice.too_dear;
  out["worth"] = advice.worth;
  out["best"] = advice.best;
  out["runs"] = Json::array();
  for (const plan::Proposal& each : advice.proposals) out["runs"].push_back(proposal_json(advice, each));
  out["dearer"] = advice.dearer ? proposal_json(advice, *advice.dearer) : Json(nullptr);
  out["warnings"] = advice.notes;
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parcast::report
