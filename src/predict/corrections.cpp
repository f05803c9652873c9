// SPDX-License-Identifier: Apache-2.0
#include "predict/corrections.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "model/run_options.h"
#include "statistics/growth_interval.h"

namespace parcast::predict {
namespace {

using program::Forecast;
using program::Model;
using program::NodeId;
using program::Point;

constexpr double kQuantile = 1.6449;      // of a normal distribution, for an interval of kWeighedLevel
constexpr double kLeastDeviation = 0.02;  // relative: effects that no fit contains
constexpr double kMostDeviation = 10;
constexpr std::size_t kMostKnown = 1024;  // costs kept for a segment

std::optional<double> value_of(const statistics::GrowthModel& growth, const std::vector<double>& arguments) {
  const double value = growth.predict(arguments);
  return std::isfinite(value) && value >= 0 ? std::optional(value) : std::nullopt;
}

double deviation_of(const statistics::GrowthModel& growth, const std::vector<double>& arguments,
                    const statistics::StudentQuantiles& quantiles) {
  const statistics::GrowthInterval interval =
      statistics::interval_of(growth, arguments, kWeighedLevel, quantiles);
  const double ratio = interval.low > 0 ? interval.high / interval.low : INFINITY;
  const double out = std::clamp(std::log(ratio) / 2 / kQuantile, kLeastDeviation, kMostDeviation);
  return std::isfinite(out) ? out : kMostDeviation;
}

/// Whether all that never varied has its recorded value.
bool is_known(const Model& model, const Point& point) {
  if (model.processes.size() == 1 && point.processes != model.processes.front()) return false;
  return std::ranges::all_of(model.parameters, [&](const program::Parameter& parameter) {
    if (parameter.values.size() != 1) return true;
    const auto value = point.parameters.find(parameter.name);
    return value != point.parameters.end() && value->second == parameter.values.front();
  });
}

/// Doublings of p and of the parameters beyond the recorded values: the root of the sum of their squares.
double doublings_beyond(const Model& model, const Point& point) {
  double squares = 0;
  const auto add = [&](double least, double most, double value) {
    const double beyond = value > most && most > 0     ? std::log2(value / most)
                          : value < least && value > 0 ? std::log2(least / value)
                                                       : 0;
    squares += beyond * beyond;
  };
  add(model.processes.front(), model.processes.back(), point.processes);
  for (const program::Parameter& parameter : model.parameters)
    if (const auto value = point.parameters.find(parameter.name); value != point.parameters.end())
      add(parameter.values.front(), parameter.values.back(), value->second);
  return std::sqrt(squares);
}

std::string call_text(const Model& model, NodeId id) {
  if (id == program::kNone) return "the start";
  const program::Node& call = model.nodes[static_cast<std::size_t>(id)];
  return call.where.empty() ? call.label : call.label + " (" + call.where + ")";
}

/// Names the segment that changed most in seconds. `before`, `after`: values of the segments.
std::optional<program::Notice> notice_of(const Model& model, const std::vector<Weighed>& before,
                                         const std::vector<double>& after) {
  constexpr double kWorthANotice = 0.01;  // relative
  double sum = 0, changed = 0;
  std::size_t most = 0;
  for (std::size_t s = 0; s < after.size(); ++s) {
    sum += before[s].value, changed += after[s];
    if (std::abs(after[s] - before[s].value) > std::abs(after[most] - before[most].value)) most = s;
  }
  if (!(sum > 0) || std::abs(changed / sum - 1) < kWorthANotice) return std::nullopt;
  constexpr double kFar = 2;
  const bool is_far = changed > kFar * sum || changed * kFar < sum;
  const program::Segment& segment = model.segments[most];
  return program::Notice{
      is_far ? "reconciled-far" : "reconciled",
      "the sum of the segments missed the largest runs, and forecasts of larger parts predicted them better: "
      "computing is " +
          format_significant(changed / sum, 3) + " times that sum, and " +
          format_significant(after[most] / before[most].value, 3) + " times it between " +
          call_text(model, segment.from) + " and " + call_text(model, segment.to),
      "record a larger run"};
}

}  // namespace

Corrections::Corrections(const Model& model)
    : model_(model), corrects_(is_reconciled(model)), known_(model.segments.size()) {
  if (corrects_) {
    groups_ = groups_of(model);
    for (const program::Segment& segment : model.segments) {
      executions_.push_back(add(segment.executions.expression));
      of_segment_.push_back(add_all(segment.cost.arguments));
    }
  }
  for (const Forecast& forecast : model.forecasts) of_forecast_.push_back(add_all(forecast.arguments));
  if (auto compiled = Compiled::compile(model, expressions_, {})) compiled_ = *std::move(compiled);
}

std::optional<std::size_t> Corrections::add(const symbolic::Expression& expression) {
  if (!Compiled::accepts(model_, expression, {})) return std::nullopt;
  expressions_.push_back(expression);
  return expressions_.size() - 1;
}

Corrections::Columns Corrections::add_all(std::span<const symbolic::Expression> expressions) {
  Columns out;
  for (const symbolic::Expression& each : expressions) out.push_back(add(each));
  return out;
}

Corrections::Values Corrections::values_at(const Point& point) const {
  if (!compiled_ || !is_known(model_, point)) return {};
  const GridExtents extents = grid_extents(model_, point);
  const std::vector<double> parameters = program::ordered_parameters(model_, point);
  std::vector<Station> stations;
  for (const std::int32_t rank : program::sampled_ranks(point.processes))
    stations.push_back({point.processes, rank, &extents, parameters});
  return {compiled_->evaluate(stations), stations.size()};
}

std::optional<Corrections::Row> Corrections::row(const Values& values, const Columns& columns,
                                                 std::size_t rank) const {
  Row out;
  for (const std::optional<std::size_t>& column : columns) {
    const double value = column ? values.columns[*column * values.ranks + rank] : NAN;
    if (!std::isfinite(value)) return std::nullopt;
    out.push_back(std::max(value, 0.0));
  }
  return out;
}

std::optional<Weighed> Corrections::once(std::size_t segment, const Row& arguments) const {
  {
    const std::lock_guard lock(guard_);
    if (const auto known = known_[segment].find(arguments); known != known_[segment].end())
      return known->second;
  }
  const statistics::GrowthModel& growth = *model_.segments[segment].cost.growth;
  std::optional<Weighed> out;
  if (const auto value = value_of(growth, arguments))
    out = {*value, deviation_of(growth, arguments, quantiles_)};
  const std::lock_guard lock(guard_);
  if (known_[segment].size() < kMostKnown) known_[segment].emplace(arguments, out);
  return out;
}

/// Computing of a process in a segment, mean over ranks.
Weighed Corrections::segment_at(std::size_t s, const Values& values) const {
  const program::Segment& segment = model_.segments[s];
  Weighed out;
  if (segment.cost.growth->hypotheses.empty() || !executions_[s]) return out;
  for (std::size_t rank = 0; rank < values.ranks; ++rank) {
    const double executions = values.columns[*executions_[s] * values.ranks + rank];
    if (!std::isfinite(executions) || executions <= 0) continue;
    const auto arguments = row(values, of_segment_[s], rank);
    const auto of_one = arguments ? once(s, *arguments) : std::nullopt;
    if (!of_one) continue;
    const double first = executions > 1 ? segment.cost.first_excess : 0;
    out.value += (executions + first) * of_one->value / static_cast<double>(values.ranks);
    out.deviation = std::max(out.deviation, of_one->deviation);
  }
  if (segment.executions.origin == Origin::fitted)
    out.deviation = std::hypot(out.deviation, segment.executions.relative_error);
  return out;
}

std::optional<Weighed> Corrections::forecast_at(std::size_t f, const Values& values) const {
  const statistics::GrowthModel& growth = model_.forecasts[f].growth;
  if (values.ranks == 0) return std::nullopt;
  Weighed out;
  for (std::size_t rank = 0; rank < values.ranks; ++rank) {
    const auto arguments = row(values, of_forecast_[f], rank);
    const auto value = arguments ? value_of(growth, *arguments) : std::nullopt;
    if (!value) return std::nullopt;
    out.value += *value / static_cast<double>(values.ranks);
    if (rank == values.ranks / 2) out.deviation = deviation_of(growth, *arguments, quantiles_);
  }
  return out;
}

std::vector<std::optional<Weighed>> Corrections::forecasts_at(const Point& point) const {
  const Values values = values_at(point);
  std::vector<std::optional<Weighed>> out;
  for (std::size_t f = 0; f < model_.forecasts.size(); ++f) out.push_back(forecast_at(f, values));
  return out;
}

std::vector<Group> Corrections::groups_at(const Point& point, const Values& values) const {
  const double beyond = doublings_beyond(model_, point);
  std::vector<Group> groups = groups_;
  for (std::size_t f = 0; f < groups.size(); ++f) {
    const Forecast& forecast = model_.forecasts[f];
    Group& group = groups[f];
    if (!is_better_as_a_whole(forecast.error, forecast.error_of_parts)) continue;
    group.error_of_parts = forecast.error_of_parts * beyond;
    group.whole = forecast_at(f, values);
    if (group.whole) group.whole->deviation = std::max(group.whole->deviation, forecast.error * beyond);
  }
  return groups;
}

Correction Corrections::at(const Point& point) const {
  const Values values = corrects_ ? values_at(point) : Values();
  if (values.ranks == 0) return {};
  std::vector<Weighed> before;
  for (std::size_t s = 0; s < model_.segments.size(); ++s) before.push_back(segment_at(s, values));
  const std::vector<double> after = reconciled_values(before, groups_at(point, values));
  Correction out{std::vector<double>(before.size(), 1.0), notice_of(model_, before, after)};
  for (std::size_t s = 0; s < before.size(); ++s)
    if (before[s].value > 0 && after[s] > 0) out.factors[s] = after[s] / before[s].value;
  return out;
}

}  // namespace parcast::predict
