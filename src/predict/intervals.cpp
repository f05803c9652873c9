// SPDX-License-Identifier: Apache-2.0
#include "predict/intervals.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "machine/tools.h"
#include "observations/sessions.h"
#include "predict/memory.h"
#include "predict/question.h"
#include "statistics/distribution.h"
#include "statistics/growth_interval.h"

namespace parcast::predict {

Unvaried unvaried(const program::Model& model, const program::Point& point) {
  Unvaried out;
  const auto add = [&](double ratio, bool both) {
    if (ratio > 1 || both) out.high *= std::max(ratio, 1 / ratio);
    if (ratio < 1 || both) out.low *= std::min(ratio, 1 / ratio);
  };
  if (model.processes.size() == 1 && point.processes != model.processes.front())
    add(static_cast<double>(point.processes) / model.processes.front(), true);
  for (const program::Parameter& parameter : model.parameters) {
    const auto asked = point.parameters.find(parameter.name);
    if (parameter.values.size() != 1 || asked == point.parameters.end() || !(asked->second > 0) ||
        !(parameter.values.front() > 0))
      continue;
    add(asked->second / parameter.values.front(), false);
  }
  return out;
}

RelativeDeviation cost_deviation(const program::Cost& cost, std::span<const double> arguments, double level,
                                 const Unvaried& unvaried, const statistics::StudentQuantiles& quantiles) {
  if (cost.growth->hypotheses.empty()) return {};
  const double value = cost.growth->predict(arguments);
  if (!(value > 0)) return {};
  const statistics::GrowthInterval predicted =
      statistics::interval_of(*cost.growth, arguments, level, quantiles);
  double low = predicted.exists ? std::min(predicted.low, value) : value;
  double high = std::max(predicted.high, value);
  if (predicted.unidentified)
    for (std::size_t j = 0; j < arguments.size() && j < cost.growth->ranges.size(); ++j) {
      // Never varied: the time may be constant, or proportional to the argument (for p also to its inverse).
      const statistics::ArgumentRange& range = cost.growth->ranges[j];
      if (range.distinct >= 2 || !(range.lowest > 0) || !(arguments[j] > 0)) continue;
      const double ratio = arguments[j] / range.lowest;
      const bool both = cost.growth->arguments[j] == "p";
      if (ratio > 1 || both) high *= std::max(ratio, 1 / ratio);
      if (ratio < 1 || both) low *= std::min(ratio, 1 / ratio);
    }
  if (cost.unsure > 0 && !cost.growth->ranges.empty()) {
    // Computing that is constant in the recordings may depend on a size: it may stay, or follow the
    // parameters that never varied.
    std::vector<double> recorded;
    for (const statistics::ArgumentRange& range : cost.growth->ranges) recorded.push_back(range.highest);
    const double part = std::min(cost.unsure, 1.0) * std::max(0.0, cost.growth->predict(recorded));
    high += part * (unvaried.high - 1);
    low -= std::min(part, low) * (1 - unvaried.low);
  }
  return {1 - low / value, high / value - 1};
}

RelativeDeviation alternative_deviation(const program::Cost& cost, std::span<const double> arguments,
                                        std::span<const double> alternatives) {
  RelativeDeviation out;
  if (alternatives.empty()) return out;
  const double value = cost.growth->hypotheses.empty() ? 0 : cost.growth->predict(arguments);
  if (!(value > 0)) return out;
  for (const double times : alternatives) {
    if (!std::isfinite(times) || times < 0) continue;
    std::vector<double> work(arguments.begin(), arguments.end());
    for (double& each : work) each *= times;
    const double ratio = std::max(0.0, cost.growth->predict(work)) / value;
    out.low = std::max(out.low, 1 - ratio);
    out.high = std::max(out.high, ratio - 1);
  }
  return out;
}

RelativeDeviation alternative_deviation(const program::Cost& cost, std::span<const double> arguments,
                                        const symbolic::Binding& at) {
  std::vector<double> alternatives;
  for (const symbolic::Expression& alternative : cost.alternatives) {
    const auto times = symbolic::evaluate(alternative, at);
    alternatives.push_back(times ? *times : NAN);
  }
  return alternative_deviation(cost, arguments, alternatives);
}

double processor_spread(const program::Model& model, const machine::Machine& machine,
                        const Question& question) {
  const auto& there = question.recorded_machine;
  if (there && there->name != machine.name && !machine::has_same_core(*there, machine)) {
    const machine::Parameter& recorded = there->core_speed;
    return recorded.value > 0 ? std::hypot(kOtherProcessorSpread, recorded.standard_error / recorded.value)
                              : 0;
  }
  return !question.recorded_machine && !same_processor(model.recorded_on, machine) ? kOtherProcessorSpread
                                                                                   : 0;
}

namespace {

/// Degrees of freedom from which recordings show by how much runs differ.
constexpr double kEnoughRuns = 4;

/// Returns the deviation between the calibration's measurements or launches.
double deviation_of(const machine::Machine& machine, double level) {
  // With few launches a normal quantile is too small: scale the deviation so that the interval at the
  // requested level is that of Student's t.
  double few = 1;
  if (machine.drift.value > 0 && machine.drift.samples > 1) {
    const double end = 0.5 + level / 2;
    few = statistics::student_t_quantile(end, static_cast<double>(machine.drift.samples - 1)) /
          statistics::normal_quantile(end);
  }
  return std::max(machine.noise.value, machine.drift.value * few);
}

}  // namespace

double run_deviation(const program::Model& model, const machine::Machine& machine, const Question& question) {
  const bool same = !(processor_spread(model, machine, question) > 0);
  const program::BetweenRuns& runs = model.between_runs;
  double out = same ? runs.deviation : 0;
  // Each recording is a launch of the program itself, and mostly longer than one of the calibration.
  if (!same || runs.degrees < kEnoughRuns) out = std::max(out, deviation_of(machine, question.level));
  // Changes slower than the duration of the calibration and the recordings are not in these deviations.
  const auto tells = machine.environment.find("virtual");
  const double elsewhere =
      tells != machine.environment.end() && tells->second == "yes" ? program::kVirtualDeviation : 0;
  return std::hypot(out, same ? runs.unseen : elsewhere);
}

double RelatedSum::root(double related) const {
  // A width may be infinite: the logarithm of a value that may reach 0.
  return std::sqrt((related > 0 ? related * sum_ * sum_ : 0) + (related < 1 ? (1 - related) * squares_ : 0));
}

namespace {

/// Returns the probability of ending within the limit, when the logarithm of the total is normal on each side
/// of the value.
double probability_within(const Estimate& seconds, double limit) {
  const double z = statistics::normal_quantile(0.5 + seconds.level / 2);
  const double end = limit >= seconds.value ? seconds.high : seconds.low;
  // An interval that reaches 0 has the width that selection assumes for it (docs/models/selection.md).
  const double width = seconds.value > 0
                           ? std::abs(std::log(std::max(end, kLeastEnd * seconds.value) / seconds.value)) / z
                           : 0;
  if (!(width > 0)) return limit >= seconds.value ? 1 : 0;
  return statistics::normal_probability(std::log(limit / seconds.value) / width);
}

}  // namespace

void set_seconds(const Estimate& seconds, Prediction& prediction) {
  prediction.seconds = seconds;
  prediction.node_hours = seconds;
  prediction.node_hours.unit = "node-h";
  for (double* value :
       {&prediction.node_hours.value, &prediction.node_hours.low, &prediction.node_hours.high})
    *value *= prediction.nodes / 3600.0;
  if (prediction.question.limit)
    prediction.within_limit = probability_within(seconds, *prediction.question.limit);
}

namespace {

/// Returns the median time of the recordings at the point with a core for each process; nothing if there is
/// none.
std::optional<double> recorded_at(const program::Model& model, const program::Point& point) {
  std::vector<double> seconds;
  for (const program::Source& source : model.sources)
    if (source.processes == point.processes && source.parameters == point.parameters &&
        !source.oversubscribed && !source.slowed && source.seconds > 0)
      seconds.push_back(source.seconds);
  if (seconds.empty()) return std::nullopt;
  std::ranges::sort(seconds);
  return (seconds[(seconds.size() - 1) / 2] + seconds[seconds.size() / 2]) / 2;
}

}  // namespace

Prediction answer_of(std::string_view engine, const program::Model& model, const machine::Machine& machine,
                     const Question& question, const Estimate& seconds) {
  return answer_of(engine, model, machine, question, seconds, memory_per_node(model, machine, question));
}

Prediction answer_of(std::string_view engine, const program::Model& model, const machine::Machine& machine,
                     const Question& question, const Estimate& seconds,
                     std::optional<Estimate> memory_per_node) {
  const Placement placement = place(machine, question);
  Prediction out;
  out.program = model.program;
  out.machine = machine.name;
  out.engine = engine;
  out.question = question;
  out.nodes = placement.nodes;
  out.ranks_per_node = placement.ranks_per_node;
  set_seconds(seconds, out);
  out.memory_per_node = std::move(memory_per_node);
  out.extrapolation = extrapolation(model, question.point);
  out.work_by_tier = model.work_by_tier;
  out.recorded = recorded_at(model, question.point);
  return out;
}

double covariance(const machine::Machine& machine, const std::string& a, const std::string& b) {
  if (const auto found = machine.covariance.find({a, b}); found != machine.covariance.end())
    return found->second;
  const auto found = machine.covariance.find({b, a});
  return found == machine.covariance.end() ? 0 : found->second;
}

}  // namespace parcast::predict
