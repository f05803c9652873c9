// SPDX-License-Identifier: Apache-2.0
#include "predict/forward_evidence.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "statistics/distribution.h"

namespace parcast::predict {
namespace {

using program::ForwardCheck;
using program::Model;
using program::Point;
using program::RunCheck;

// Limit on the steps from the largest left-out run to the requested point; a step is the ratio between the
// largest run and the largest of the others.
constexpr double kMostSteps = 3;
constexpr double kLeastError = 0.02;  // of a logarithm: effects that no recording shows

/// Root mean square of logarithms of ratios.
class RootMeanSquare {
 public:
  void add(double a, double b) {
    if (a > 0 && b > 0) sum_ += std::pow(std::log(a / b), 2), ++count_;
  }
  std::size_t count() const { return count_; }
  double value() const {
    return std::max(kLeastError, count_ > 0 ? std::sqrt(sum_ / static_cast<double>(count_)) : 0);
  }

 private:
  double sum_ = 0;
  std::size_t count_ = 0;
};

/// Names of the parameters in the arguments of the segments' costs.
std::set<std::string> names_in_costs(const Model& model) {
  std::set<std::string> out;
  for (const program::Segment& segment : model.segments)
    for (const symbolic::Expression& argument : segment.cost.arguments)
      for (const symbolic::Expression& symbol : symbolic::free_symbols(argument)) out.insert(symbol.name());
  return out;
}

double value_at(const Point& point, const std::string& name) {
  if (name == "p") return point.processes;
  const auto found = point.parameters.find(name);
  return found == point.parameters.end() ? 0 : found->second;
}

double steps_to(const CheckedRange& range, double asked) {
  return std::max(1.0, std::log(asked / range.largest) / std::log(range.largest / range.remaining));
}

}  // namespace

ForwardEvidence::ForwardEvidence(const Model& model) {
  const std::set<std::string> names = names_in_costs(model);
  // A parameter that never varied may be hidden in the counted work.
  const bool hides = std::ranges::any_of(
      model.segments, [](const program::Segment& segment) { return segment.cost.unsure > 0; });
  if (!model.processes.empty())
    ranges_.push_back(
        {"p", static_cast<double>(model.processes.front()), static_cast<double>(model.processes.back())});
  for (const program::Parameter& parameter : model.parameters)
    if (!parameter.values.empty())
      ranges_.push_back(
          {.name = parameter.name,
           .smallest = parameter.values.front(),
           .largest = parameter.values.back(),
           .in_costs = names.contains(parameter.name) || (hides && parameter.values.size() == 1)});
  for (CheckedRange& range : ranges_) {
    const auto check = std::ranges::find(model.checks.forward, range.name, &ForwardCheck::without);
    if (check == model.checks.forward.end() || !(check->remaining > 0)) continue;
    range.largest = check->largest, range.remaining = check->remaining;
    range.growth_missed = program::growth_missed(*check, model.checks.given_back);
    RootMeanSquare all, growth;
    for (const RunCheck& run : check->runs) {
      if (run.slowed) continue;
      all.add(run.computing.recorded, run.computing.given);
      growth.add(program::given_by_all(run, model.checks.given_back), run.computing.given);
    }
    if (all.count() == 0) continue;
    range.growth = growth.value();
    noise_ = std::max(noise_, all.value());
    runs_ += all.count();
  }
  RootMeanSquare inside;
  for (const RunCheck& run : model.checks.given_back)
    if (!run.slowed) inside.add(run.computing.recorded, run.computing.given);
  if (inside.count() == 0) runs_ = 0;
  noise_ = std::max(noise_, inside.value());
}

double ForwardEvidence::factor(const Point& point) const {
  double largest = 1;
  for (const CheckedRange& range : ranges_) {
    const double asked = value_at(point, range.name), missed = 1 + range.growth_missed;
    if (!(range.remaining > 0) || !(asked > range.largest) || !std::isfinite(missed)) continue;
    largest = std::max(largest, std::pow(missed, std::min(steps_to(range, asked), kMostSteps)));
  }
  return largest;
}

std::optional<double> ForwardEvidence::quantile(double level) const {
  if (runs_ == 0 || !(level > 0)) return std::nullopt;
  return statistics::student_t_quantile(0.5 + level / 2, static_cast<double>(runs_));
}

std::optional<double> ForwardEvidence::half_width(const Point& point, double level) const {
  const auto quantile = this->quantile(level);
  if (!quantile) return std::nullopt;
  double growth = 0;  // sum of squares
  for (const CheckedRange& range : ranges_) {
    const double asked = value_at(point, range.name);
    if (!range.in_costs || (asked >= range.smallest && asked <= range.largest)) continue;
    if (!(asked > range.largest) || !range.growth) return std::nullopt;
    growth += std::pow(*range.growth * steps_to(range, asked), 2);
  }
  return *quantile * std::sqrt(noise_ * noise_ + growth);
}

}  // namespace parcast::predict
