// SPDX-License-Identifier: Apache-2.0
#include "predict/reconcile.h"

#include <algorithm>
#include <cmath>

#include "model/resolved.h"
#include "predict/corrections.h"

namespace parcast::predict {
namespace {

using program::Forecast;
using program::Model;
using program::NodeId;
using program::Point;

// Correlation assumed between the errors of segments: they come from the same runs.
constexpr double kRelated = 0.3;
// Relative, per doubling: a forecast of a total is used only if the parts were worse by that and by that
// factor. Times with laws are better forecast one by one.
constexpr double kClearlyWorse = 0.05, kWorseBy = 4;
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

/// The index of the forecast of a node or of the innermost node around it that has one.
std::optional<std::size_t> forecast_around(const Model& model, NodeId node) {
  for (; node != program::kNone; node = model.nodes[static_cast<std::size_t>(node)].parent)
    for (std::size_t f = 0; f < model.forecasts.size(); ++f)
      if (model.forecasts[f].node == node) return f;
  return std::nullopt;
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
  const Correction correction = is_reconciled(model) ? Corrections(model).at(point) : Correction();
  for (std::size_t s = 0; s < correction.factors.size(); ++s)
    if (correction.factors[s] != 1)
      model.segments[s].cost.growth =
          statistics::scaled(*model.segments[s].cost.growth, correction.factors[s]);
  if (correction.notice) model.notices.push_back(*correction.notice);
  model.forecasts.clear();  // once is enough
  return model;
}

Model model_at(const Model& as_built, const Point& point) {
  return reconciled(program::resolved(as_built, point), point);
}

}  // namespace parcast::predict
