// SPDX-License-Identifier: Apache-2.0
#include "predict/reconcile.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>

#include "base/text.h"
#include "model/resolved.h"
#include "model/run_options.h"

namespace parcast::predict {
namespace {

using program::Forecast;
using program::Model;
using program::NodeId;
using program::Point;
using symbolic::Binding;

constexpr double kQuantile = 1.6449;      // of a normal distribution, for an interval of kWeighedLevel
constexpr double kLeastDeviation = 0.02;  // relative: effects that no fit contains
constexpr double kMostDeviation = 10;
// Correlation assumed between the errors of segments: they come from the same runs.
constexpr double kRelated = 0.3;
// Relative, per doubling: a forecast of a total is used only if the parts were worse by that and by that
// factor. Times with laws are better forecast one by one.
constexpr double kClearlyWorse = 0.05, kWorseBy = 1.5;
constexpr double kLeastLeft = 0.1;  // of a part, however far the total is below the sum

struct ReconciledValue {
  double value = 0, variance = 0;
};

/// Reconciles a tree of groups. Upwards, each group joins the sum of its parts with its own forecast, by
/// variance. Downwards, each part takes its share of what the group was moved by.
class Tree {
 public:
  Tree(const std::vector<Weighed>& values, const std::vector<Group>& groups)
      : values_(values), groups_(groups), sums_(groups.size()), joined_(groups.size()), out_(values.size()) {
    for (std::size_t i = 0; i < values.size(); ++i) out_[i] = values[i].value;
  }

  std::vector<double> solve() {
    for (std::size_t g = groups_.size(); g-- > 0;) join(g);
    std::vector<bool> is_inner(groups_.size(), false);
    for (const Group& group : groups_)
      for (const std::size_t inner : group.groups) is_inner[inner] = true;
    for (std::size_t g = 0; g < groups_.size(); ++g)
      if (!is_inner[g]) move(g, joined_[g].value);
    return out_;
  }

 private:
  ReconciledValue part(std::size_t i) const {
    return {values_[i].value, std::pow(values_[i].value * values_[i].deviation, 2)};
  }

  void join(std::size_t g) {
    const Group& group = groups_[g];
    double sum = 0, variance = 0, deviations = 0;
    const auto add = [&](const ReconciledValue& each) {
      sum += each.value, variance += each.variance, deviations += std::sqrt(each.variance);
    };
    for (const std::size_t i : group.parts) add(part(i));
    for (const std::size_t inner : group.groups) add(joined_[inner]);
    variance = (1 - kRelated) * variance + kRelated * deviations * deviations;
    variance = std::max(variance, std::pow(group.error_of_parts * sum, 2));
    sums_[g] = joined_[g] = {sum, variance};
    if (!group.whole || !(sum > 0) || !(variance > 0)) return;
    const double own = std::pow(group.whole->value * group.whole->deviation, 2);
    joined_[g].value = (sum * own + group.whole->value * variance) / (own + variance);
    joined_[g].variance = own * variance / (own + variance);
  }

  void move(std::size_t g, double wanted) {
    const Group& group = groups_[g];
    std::vector<ReconciledValue> parts;
    for (const std::size_t i : group.parts) parts.push_back(part(i));
    for (const std::size_t inner : group.groups) parts.push_back(joined_[inner]);
    double deviations = 0, all = 0;
    for (const ReconciledValue& each : parts) deviations += std::sqrt(each.variance);
    // Covariance of a part with the sum.
    const auto covariance = [&](const ReconciledValue& each) {
      return (1 - kRelated) * each.variance + kRelated * std::sqrt(each.variance) * deviations;
    };
    for (const ReconciledValue& each : parts) all += covariance(each);
    const double change = wanted - sums_[g].value;
    const auto moved = [&](const ReconciledValue& each) {
      const double value = all > 0 ? each.value + change * covariance(each) / all : each.value;
      return std::max(value, kLeastLeft * each.value);
    };
    // Parts at their lower limit give less than their share, so all are scaled to the total.
    double sum = 0;
    for (const ReconciledValue& each : parts) sum += moved(each);
    const double scale = sum > 0 ? wanted / sum : 1;
    for (const std::size_t i : group.parts) out_[i] = moved(part(i)) * scale;
    for (const std::size_t inner : group.groups) move(inner, moved(joined_[inner]) * scale);
  }

  const std::vector<Weighed>& values_;
  const std::vector<Group>& groups_;
  std::vector<ReconciledValue> sums_, joined_;
  std::vector<double> out_;
};

/// A growth model's prediction, mean over ranks; nothing without a value.
std::optional<Weighed> mean_of(const statistics::GrowthModel& growth,
                               std::span<const symbolic::Expression> arguments,
                               const std::vector<Binding>& ranks) {
  Weighed out;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    std::vector<double> point;
    for (const symbolic::Expression& argument : arguments) {
      const auto value = symbolic::evaluate(argument, ranks[r]);
      if (!value || !std::isfinite(*value)) return std::nullopt;
      point.push_back(std::max(*value, 0.0));
    }
    const double value = growth.predict(point);
    if (!std::isfinite(value) || value < 0) return std::nullopt;
    out.value += value / static_cast<double>(ranks.size());
    if (r != ranks.size() / 2) continue;
    const statistics::GrowthPrediction interval = growth.predict(point, kWeighedLevel);
    const double ratio = interval.low > 0 ? interval.high / interval.low : INFINITY;
    out.deviation = std::clamp(std::log(ratio) / 2 / kQuantile, kLeastDeviation, kMostDeviation);
    if (!std::isfinite(out.deviation)) out.deviation = kMostDeviation;
  }
  return out;
}

std::vector<Binding> bindings_at(const Model& model, const Point& point) {
  std::vector<Binding> out;
  for (const std::int32_t rank : program::sampled_ranks(point.processes))
    if (auto binding = bind(model, point, rank)) out.push_back(std::move(*binding));
  return out;
}

/// Computing of a process in a segment, mean over ranks.
Weighed segment_at(const program::Segment& segment, const std::vector<Binding>& ranks) {
  Weighed out;
  if (segment.cost.growth->hypotheses.empty()) return out;
  for (const Binding& rank : ranks) {
    const auto executions = symbolic::evaluate(segment.executions.expression, rank);
    if (!executions || !std::isfinite(*executions) || *executions <= 0) continue;
    const auto once = mean_of(segment.cost.growth, segment.cost.arguments, {rank});
    if (!once) continue;
    const double first = *executions > 1 ? segment.cost.first_excess : 0;
    out.value += (*executions + first) * once->value / static_cast<double>(ranks.size());
    out.deviation = std::max(out.deviation, once->deviation);
  }
  if (segment.executions.origin == Origin::fitted)
    out.deviation = std::hypot(out.deviation, segment.executions.relative_error);
  return out;
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

/// The index of the forecast of a node or of the innermost node around it that has one.
std::optional<std::size_t> forecast_around(const Model& model, NodeId node) {
  for (; node != program::kNone; node = model.nodes[static_cast<std::size_t>(node)].parent)
    for (std::size_t f = 0; f < model.forecasts.size(); ++f)
      if (model.forecasts[f].node == node) return f;
  return std::nullopt;
}

std::vector<Group> groups_at(const Model& model, const Point& point, const std::vector<Binding>& ranks) {
  const double beyond = doublings_beyond(model, point);
  std::vector<Group> groups = groups_of(model);
  for (std::size_t f = 0; f < groups.size(); ++f) {
    const Forecast& forecast = model.forecasts[f];
    Group& group = groups[f];
    if (!is_better_as_a_whole(forecast.error, forecast.error_of_parts)) continue;
    group.error_of_parts = forecast.error_of_parts * beyond;
    group.whole = mean_of(forecast.growth, forecast.arguments, ranks);
    if (group.whole) group.whole->deviation = std::max(group.whole->deviation, forecast.error * beyond);
  }
  return groups;
}

std::string call_text(const Model& model, NodeId id) {
  if (id == program::kNone) return "the start";
  const program::Node& call = model.nodes[static_cast<std::size_t>(id)];
  return call.where.empty() ? call.label : call.label + " (" + call.where + ")";
}

/// Names the segment that changed most in seconds. `before`, `after`: values of the segments.
void add_notice(Model& model, const std::vector<Weighed>& before, const std::vector<double>& after) {
  constexpr double kWorthANotice = 0.01;  // relative
  double sum = 0, changed = 0;
  std::size_t most = 0;
  for (std::size_t s = 0; s < after.size(); ++s) {
    sum += before[s].value, changed += after[s];
    if (std::abs(after[s] - before[s].value) > std::abs(after[most] - before[most].value)) most = s;
  }
  if (!(sum > 0) || std::abs(changed / sum - 1) < kWorthANotice) return;
  constexpr double kFar = 2;
  const bool is_far = changed > kFar * sum || changed * kFar < sum;
  const program::Segment& segment = model.segments[most];
  model.notices.push_back({is_far ? "reconciled-far" : "reconciled",
                           "the sum of the segments missed the largest runs, and forecasts of larger parts "
                           "predicted them better: computing is " +
                               format_significant(changed / sum, 3) + " times that sum, and " +
                               format_significant(after[most] / before[most].value, 3) +
                               " times it between " + call_text(model, segment.from) + " and " +
                               call_text(model, segment.to),
                           "record a larger run"});
}

}  // namespace

bool is_better_as_a_whole(double error, double error_of_parts) {
  return error > 0 && error_of_parts > error + kClearlyWorse && error_of_parts > kWorseBy * error;
}

std::vector<double> reconciled_values(const std::vector<Weighed>& values, const std::vector<Group>& groups) {
  return Tree(values, groups).solve();
}

bool is_reconciled(const Model& model) {
  return std::ranges::any_of(model.forecasts, [](const Forecast& each) {
    return is_better_as_a_whole(each.error, each.error_of_parts);
  });
}

std::vector<Group> groups_of(const Model& model) {
  std::vector<Group> groups(model.forecasts.size());
  for (std::size_t f = 0; f < groups.size(); ++f)
    if (const auto around =
            forecast_around(model, model.nodes[static_cast<std::size_t>(model.forecasts[f].node)].parent))
      groups[*around].groups.push_back(f);
  for (std::size_t s = 0; s < model.segments.size(); ++s)
    if (const auto around = forecast_around(model, model.segments[s].owner))
      groups[*around].parts.push_back(s);
  return groups;
}

Model reconciled(Model model, const Point& point) {
  const std::vector<Binding> ranks =
      is_reconciled(model) && is_known(model, point) ? bindings_at(model, point) : std::vector<Binding>();
  if (!ranks.empty()) {
    std::vector<Weighed> values;
    for (const program::Segment& segment : model.segments) values.push_back(segment_at(segment, ranks));
    const std::vector<double> wanted = reconciled_values(values, groups_at(model, point, ranks));
    add_notice(model, values, wanted);
    for (std::size_t s = 0; s < values.size(); ++s)
      if (values[s].value > 0 && wanted[s] > 0)
        model.segments[s].cost.growth =
            statistics::scaled(*model.segments[s].cost.growth, wanted[s] / values[s].value);
  }
  model.forecasts.clear();  // once is enough
  return model;
}

Model model_at(const Model& as_built, const Point& point) {
  return reconciled(program::resolved(as_built, point), point);
}

std::optional<Weighed> forecast_at(const Model& model, const Forecast& forecast, const Point& point) {
  if (!is_known(model, point)) return std::nullopt;
  const std::vector<Binding> ranks = bindings_at(model, point);
  return ranks.empty() ? std::nullopt : mean_of(forecast.growth, forecast.arguments, ranks);
}

}  // namespace parcast::predict
