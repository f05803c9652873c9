// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/regress_text.h"
#include "report/values_json.h"

namespace parcast::report {
namespace {

using Json = nlohmann::ordered_json;
using regress::Answer;
using regress::Costs;
using regress::HeldOut;

Json interval_json(const std::optional<statistics::Interval>& interval, double level) {
  if (!interval) return nullptr;
  return {{"value", finite(interval->value)},
          {"low", finite(interval->low)},
          {"high", finite(interval->high)},
          {"level", level},
          {"unit", "s"},
          {"origin", "fitted"}};
}

/// Returns, by name, a process's footprint and traffic of an array, and the caches it misses in.
Json arrays_json(const regress::Runs& runs, const regress::Run& run) {
  Json out = Json::object();
  for (std::size_t k = 0; k < run.arrays.size(); ++k)
    out[runs.arrays[k]] = {{"footprint", run.arrays[k].footprint},
                           {"traffic", run.arrays[k].traffic},
                           {"misses", run.arrays[k].missed}};
  return out;
}

void add_arrays(Json& out, const regress::Runs& runs, const regress::Run& run) {
  if (runs.linearised_on.empty()) return;
  out["arrays"] = arrays_json(runs, run);
  out["memory_exceeded"] = run.memory_exceeded;
}

Json answer_json(const Answer& answer, const Costs& costs) {
  const double level = costs.options.level;
  Json out{{"program", answer.run.program},
           {"parameters", answer.run.parameters},
           {"place", answer.run.place},
           {"measured", finite(answer.run.seconds)}};
  add_arrays(out, costs.runs, answer.run);
  if (!answer.refused.empty()) {
    out["refused"] = answer.refused;
    return out;
  }
  out["mean"] = interval_json(answer.mean, level);
  out["known_program"] = interval_json(answer.same, level);
  out["new_program"] = interval_json(answer.fresh, level);
  if (answer.classic)
    out["two_standard_errors"] = {
        {"value", answer.classic->value}, {"low", answer.classic->low}, {"high", answer.classic->high}};
  return out;
}

Json held_out_json(const HeldOut& out, const Costs& costs) {
  Json answers = Json::array();
  for (const Answer& each : out.answers) answers.push_back(answer_json(each, costs));
  return {{"program", out.program.empty() ? Json(nullptr) : Json(out.program)},
          {"runs", out.runs},
          {"answered", out.answered},
          {"mean_error", finite(out.mean_error)},
          {"average_error", finite(out.average_error)},
          {"below_40_percent", finite(out.below_40)},
          {"below_60_percent", finite(out.below_60)},
          {"covered", finite(out.covered)},
          {"covered_by_two_standard_errors", finite(out.covered_classic)},
          {"interval_score", finite(out.interval_score)},
          {"interval_score_of_two_standard_errors", finite(out.interval_score_classic)},
          {"sigma", finite(out.sigma)},
          {"mean_seconds", finite(out.mean_seconds)},
          {"answers", answers}};
}

Json costs_json(const Costs& costs) {
  Json out = Json::array();
  for (const auto& cost : costs.costs)
    out.push_back({{"name", cost.name},
                   {"value", cost.value},
                   {"standard_error", finite(cost.standard_error)},
                   {"t", finite(cost.t)},
                   {"identified", cost.identified},
                   {"why", cost.why.empty() ? Json(nullptr) : Json(cost.why)},
                   {"variance_inflation", finite(cost.inflation)},
                   {"share", cost.share},
                   {"unit", "s"},
                   {"origin", "fitted"}});
  return out;
}

Json matrix_json(const statistics::Matrix& matrix) {
  Json out = Json::array();
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    Json row = Json::array();
    for (std::size_t j = 0; j < matrix.columns; ++j) row.push_back(finite(matrix(i, j)));
    out.push_back(row);
  }
  return out;
}

Json rows_json(const Costs& costs) {
  Json out = Json::array();
  const auto& fit = costs.fit;
  for (std::size_t i = 0; i < costs.runs.runs.size(); ++i) {
    const regress::Run& run = costs.runs.runs[i];
    Json row{{"program", run.program},       {"parameters", run.parameters},
             {"place", run.place},           {"seconds", run.seconds},
             {"fitted", fit.fitted[i]},      {"fitted_with_program", fit.conditional[i]},
             {"residual", fit.residuals[i]}, {"standardized", fit.standardized[i]},
             {"leverage", fit.leverage[i]},  {"cooks_distance", finite(fit.cooks_distance[i])},
             {"distance", fit.distance[i]}};
    add_arrays(row, costs.runs, run);
    row["outlier"] = std::ranges::find(costs.outliers, i) != costs.outliers.end();
    out.push_back(row);
  }
  return out;
}

}  // namespace

std::string costs_to_json(const CostsAnswer& answer) {
  const Costs& costs = answer.costs;
  const auto& options = costs.options;
  Json aliases = Json::array(), quantiles = Json::array(), out_of = Json::array(),
       predictions = Json::array();
  for (const auto& alias : costs.aliases)
    aliases.push_back({{"name", alias.name},
                       {"equals", alias.combination.empty() ? Json(nullptr) : Json(alias.combination)}});
  for (const auto& pair : costs.quantiles) quantiles.push_back({pair.normal, pair.value});
  for (const HeldOut& each : costs.programs_out) out_of.push_back(held_out_json(each, costs));
  for (const Answer& each : answer.predictions) predictions.push_back(answer_json(each, costs));
  Json out{
      {"schema", "parcast.costs/1"},
      {"runs", costs.runs.runs.size()},
      {"programs", costs.programs},
      {"fit",
       {{"plain", options.fit.plain},
        {"robust", options.fit.robust},
        {"nonnegative", options.fit.nonnegative}}},
      {"linearised_on", costs.runs.linearised_on.empty() ? Json(nullptr) : Json(costs.runs.linearised_on)},
      {"costs", costs_json(costs)},
      {"covariance", matrix_json(costs.fit.covariance)},
      {"correlation", matrix_json(costs.correlation)},
      {"aliases", aliases},
      {"condition", finite(costs.fit.condition)},
      {"degrees_of_freedom", costs.fit.degrees_of_freedom},
      {"noise",
       {{"constant", costs.fit.noise_constant},
        {"relative", costs.fit.noise_relative},
        {"between_programs",
         options.fit.plain || costs.programs.size() < 2 ? Json(nullptr) : Json(costs.fit.between)}}},
      {"residuals", rows_json(costs)},
      {"quantiles", quantiles},
      {"normality", costs.normality},
      {"programs_left_out", out_of},
      {"all_programs_left_out",
       costs.all_programs_out ? held_out_json(*costs.all_programs_out, costs) : Json(nullptr)},
      {"runs_left_out", costs.runs_out ? held_out_json(*costs.runs_out, costs) : Json(nullptr)},
      {"left_out", answer.left_out != nullptr ? held_out_json(*answer.left_out, costs) : Json(nullptr)},
      {"predictions", predictions},
      {"notes", costs.runs.notes},
      {"warnings", costs.warnings}};
  // each program has its own
  if (out["all_programs_left_out"].is_object()) out["all_programs_left_out"].erase("answers");
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parcast::report
