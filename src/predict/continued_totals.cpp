// SPDX-License-Identifier: Apache-2.0
#include "predict/continued_totals.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "fit/fit.h"
#include "predict/question.h"

namespace parcast::predict {
namespace {

constexpr std::size_t kFewestRuns = 6;
constexpr std::size_t kFewestCounts = 3;  // of processes, below the p that is asked for

/// Whether the runs were recorded on this machine, with such a placement. Recordings do not show their
/// placement; nodes of one core permit only one.
bool is_comparable(const program::Model& model, const machine::Machine& machine, const Prediction& of) {
  if (!model.written_in.empty() || of.question.recorded_machine || of.question.ranks_per_node) return false;
  const std::string& checked = model.checks.machine;
  if (checked.empty() ? !same_processor(model.recorded_on, machine) : checked != machine.name) return false;
  return of.nodes == 1 || machine.cores_per_node == 1;
}

using Column = std::map<std::string, double>;

Column columns_of(const std::map<std::string, double>& parameters, std::int32_t processes) {
  Column out = parameters;
  out["p"] = processes;
  return out;
}

/// The recorded times over the parameters that they vary.
struct Totals {
  std::vector<std::string> varied;
  fit::Kernel kernel;
};

std::optional<Totals> totals_of(const program::Model& model, const Column& asked) {
  std::map<Column, std::vector<double>> seconds;
  std::size_t runs = 0;
  for (const program::Source& source : model.sources) {
    if (source.oversubscribed || source.slowed || source.damaged || !(source.seconds > 0)) continue;
    seconds[columns_of(source.parameters, source.processes)].push_back(source.seconds);
    ++runs;
  }
  if (runs < kFewestRuns) return std::nullopt;
  Totals out;
  for (const auto& [name, value] : asked) {
    std::set<double> values;
    for (const auto& [point, times] : seconds) {
      const auto at = point.find(name);
      if (at == point.end() || point.size() != asked.size()) return std::nullopt;
      values.insert(at->second);
    }
    if (values.size() > 1)
      out.varied.push_back(name);
    else if (*values.begin() != value)
      return std::nullopt;
    if (name == "p" && value > *values.rbegin() && values.size() < kFewestCounts) return std::nullopt;
  }
  if (out.varied.empty()) return std::nullopt;
  out.kernel.metric = "seconds", out.kernel.unit = "s";
  for (const auto& [point, times] : seconds) {
    out.kernel.points.emplace_back();
    for (const std::string& name : out.varied) out.kernel.points.back().push_back(point.at(name));
    out.kernel.values.push_back(times);
  }
  return out;
}

}  // namespace

std::optional<Estimate> continue_totals(const program::Model& model, const machine::Machine& machine,
                                        const Prediction& prediction) {
  if (!is_comparable(model, machine, prediction) || prediction.hang) return std::nullopt;
  const program::Point& point = prediction.question.point;
  const Column asked = columns_of(point.parameters, point.processes);
  auto totals = totals_of(model, asked);
  if (!totals) return std::nullopt;
  fit::Options options;
  options.level = prediction.seconds.level > 0 ? prediction.seconds.level : prediction.question.level;
  options.asked.emplace_back();
  for (const std::string& name : totals->varied) options.asked.back().push_back(asked.at(name));
  const auto fits = fit::fit_all({totals->varied, {std::move(totals->kernel)}, {}}, options);
  if (!fits || fits->kernels.empty() || fits->kernels[0].predictions.empty()) return std::nullopt;
  const fit::Predicted& found = fits->kernels[0].predictions[0];
  if (found.unidentified || found.cut || !(found.value > 0)) return std::nullopt;
  Estimate out;
  out.value = found.value, out.low = found.low, out.high = found.high;
  out.level = options.level, out.unit = "s", out.origin = Origin::fitted;
  return out;
}

void compare_with_totals(const program::Model& model, const machine::Machine& machine,
                         Prediction& prediction) {
  prediction.of_totals = continue_totals(model, machine, prediction);
  if (!prediction.of_totals) return;
  const Estimate &totals = *prediction.of_totals, &answer = prediction.seconds;
  if (totals.low <= answer.high && answer.low <= totals.high) return;
  prediction.warnings.push_back({"totals-differ",
                                 "the recorded times alone continue to " + format_seconds(totals.value) +
                                     ", and both intervals have no value in common",
                                 "record a run nearer to this point",
                                 "",
                                 {{"seconds", totals.value}, {"low", totals.low}, {"high", totals.high}}});
}

}  // namespace parcast::predict
