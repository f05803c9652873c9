// SPDX-License-Identifier: Apache-2.0
#include "predict/check_evidence.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "model/row_names.h"
#include "predict/intervals.h"

namespace parcast::predict {
namespace {

using program::Compared;
using program::Model;
using program::Point;
using program::RunCheck;

constexpr double kMissed = 0.1;         // relative; recordings of equal runs differ by less
constexpr double kLeastSeconds = 1e-5;  // per process; smaller differences come from the recorder itself

/// Returns the doublings between two values; 1 between values without a ratio.
double distance(double a, double b) {
  if (a == b) return 0;
  return a > 0 && b > 0 ? std::abs(std::log2(a / b)) : 1;
}

double distance(const RunCheck& run, const Point& point) {
  double sum = distance(run.processes, point.processes);
  for (const auto& [name, value] : run.parameters)
    if (const auto asked = point.parameters.find(name); asked != point.parameters.end())
      sum += distance(value, asked->second);
  return sum;
}

/// Returns the recordings at the point nearest to the requested one.
std::vector<const RunCheck*> nearest(const program::Checks& checks, const Point& point) {
  std::vector<const RunCheck*> out;
  double least = std::numeric_limits<double>::infinity();
  for (const RunCheck& run : checks.given_back) {
    if (run.slowed) continue;
    const double here = distance(run, point);
    if (here > least) continue;
    if (here < least) out.clear();
    least = here;
    out.push_back(&run);
  }
  return out;
}

/// Total times are valid only for the machine on which they were predicted.
bool has_total(const RunCheck& run, const program::Checks& checks, const std::string& machine) {
  return run.total && checks.machine == machine;
}

/// Returns recorded / given, summed over all these runs.
double ratio_of(const std::vector<const RunCheck*>& runs, bool totals) {
  double recorded = 0, given = 0;
  for (const RunCheck* run : runs) {
    const Compared& seconds = totals && run->total ? *run->total : run->computing;
    recorded += seconds.recorded, given += seconds.given;
  }
  return recorded > 0 && given > 0 ? recorded / given : 1;
}

bool is_missed(const RunCheck& run, bool total) {
  const Compared& seconds = total ? *run.total : run.computing;
  const double parts = total ? 1 : run.processes;
  return miss(seconds) > kMissed && std::abs(seconds.recorded - seconds.given) > kLeastSeconds * parts;
}

std::string piece_text(const Model& model, const RunCheck& run) {
  if (!run.segment) return "";
  const program::Segment& segment = model.segments[static_cast<std::size_t>(run.segment->index)];
  return "; most of it in " + program::row_name(model, segment) + " (recorded " +
         format_seconds(run.segment->seconds.recorded) + ", given " +
         format_seconds(run.segment->seconds.given) + " in all ranks)";
}

std::string point_text(const RunCheck& run) {
  std::string text = "p = " + std::to_string(run.processes);
  for (const auto& [name, value] : run.parameters) text += ", " + name + " = " + format_exact(value);
  return text;
}

std::string missed_text(const Model& model, const RunCheck& run, bool total) {
  const Compared& seconds = total ? *run.total : run.computing;
  const std::string what = total ? "a time of " : "computing of ";
  return "the model misses the recording at " + point_text(run) + ", the nearest one: it gives " + what +
         format_seconds(seconds.given) + " for " + format_seconds(seconds.recorded) +
         (total ? "" : " in all ranks") + piece_text(model, run);
}

Warning missed_warning(const Model& model, const RunCheck& run, bool total) {
  const Compared& seconds = total ? *run.total : run.computing;
  return {"recording-missed",
          missed_text(model, run, total),
          "parcast show with the model's file compares every recording",
          point_text(run),
          {{"recorded", seconds.recorded}, {"given", seconds.given}}};
}

/// Widens `seconds` to contain its value when the computing in it takes `factor` times as long.
void hold_factor(double share, double factor, Estimate& seconds) {
  const double other = seconds.value * (1 + share * (factor - 1));
  seconds.low = std::min(seconds.low, other);
  seconds.high = std::max(seconds.high, other);
}

/// Returns the share of a prediction that scales with computing: all except messages.
double computing_share(const Prediction& prediction) {
  const double messages = prediction.parts.message_startup.value + prediction.parts.transfer.value;
  return prediction.seconds.value > 0 ? std::clamp(1 - messages / prediction.seconds.value, 0.0, 1.0) : 0;
}

}  // namespace

std::optional<CheckSummary> summary_of(const program::Checks& checks) {
  if (checks.given_back.empty()) return std::nullopt;
  const auto of = [&](const program::Misses& misses) {
    const RunCheck& worst = checks.given_back[misses.worst];
    return CheckSummary::Of{misses.count, misses.median, misses.largest, {worst.parameters, worst.processes}};
  };
  CheckSummary out;
  out.computing = of(computing_misses(checks.given_back));
  if (const program::Misses totals = total_misses(checks.given_back); totals.count > 0)
    out.total = of(totals), out.machine = checks.machine;
  for (const program::ForwardCheck& check : checks.forward) {
    out.left_out.push_back(check.without);
    out.forward = std::max(out.forward, computing_misses(check.runs).largest);
  }
  return out;
}

CheckEvidence::CheckEvidence(const Model& model)
    : model_(model), summary_(summary_of(model.checks)), forward_(model) {}

std::vector<Warning> CheckEvidence::warnings(const Point& point, const std::string& machine) const {
  for (const RunCheck* run : nearest(model_.checks, point)) {
    const bool total = has_total(*run, model_.checks, machine);
    if (is_missed(*run, total)) return {missed_warning(model_, *run, total)};
  }
  return {};
}

void CheckEvidence::hold(Prediction& prediction) const {
  prediction.checks = summary_;
  if (!summary_ || !(prediction.question.level > 0)) return;
  const Point& point = prediction.question.point;
  const auto runs = nearest(model_.checks, point);
  const bool totals = std::ranges::all_of(
      runs, [&](const RunCheck* run) { return has_total(*run, model_.checks, prediction.machine); });
  for (const RunCheck* run : runs) {
    const double missed = program::miss(totals ? *run->total : run->computing);
    prediction.checks->nearest = std::max(prediction.checks->nearest.value_or(0), missed);
  }
  const double share = totals ? 1 : computing_share(prediction);
  const double forward = forward_.factor(point);
  const auto widen = [&](Estimate& seconds) {
    hold_factor(share, ratio_of(runs, totals), seconds);
    hold_factor(computing_share(prediction), forward, seconds);
    hold_factor(computing_share(prediction), 1 / forward, seconds);
  };
  Estimate seconds = prediction.seconds;
  widen(seconds);
  if (prediction.of_program) widen(*prediction.of_program);
  set_seconds(seconds, prediction);
}

std::vector<Warning> check_warnings(const Model& model, const Point& point, const std::string& machine) {
  return CheckEvidence(model).warnings(point, machine);
}

void hold_checks(const Model& model, Prediction& prediction) {
  CheckEvidence(model).hold(prediction);
}

}  // namespace parcast::predict
