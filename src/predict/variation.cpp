// SPDX-License-Identifier: Apache-2.0
#include "predict/variation.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "machine/tools.h"
#include "predict/forward_evidence.h"
#include "statistics/distribution.h"
#include "statistics/summary.h"

namespace parcast::predict {
namespace {

using program::Model;

/// Returns the parameters with a standard error of links that ranks use in this placement.
std::vector<std::string> uncertain_parameters(machine::Machine machine, const Placement& placement) {
  const bool network = machine.links.contains("network"), inside = machine.links.size() > (network ? 1 : 0);
  std::vector<std::string> out;
  for (const machine::NamedParameter& each : machine::parameters(machine)) {
    if (!each.name.starts_with("links.") || !(each.parameter->standard_error > 0) ||
        each.name.ends_with(".eager_limit") || each.name.ends_with("_overlap"))
      continue;
    const bool between_nodes = each.name.starts_with("links.network.");
    if (between_nodes ? placement.nodes == 1 && inside : placement.ranks_per_node == 1 && network) continue;
    out.push_back(each.name);
  }
  return out;
}

struct Link {
  std::string name;
  double error = 0;
};

/// The variations, and the intervals that follow from their numbers.
class Sources {
 public:
  explicit Sources(const VariedAnswer& of) : of_(of) {
    variations_.push_back(
        {.what = "slower computing", .computing = 1 + of.computing.deviation.high, .table = ""});
    variations_.push_back(
        {.what = "faster computing", .computing = 1 - of.computing.deviation.low, .table = ""});
    add_links();
    add_tables();
  }

  const std::vector<Variation>& variations() const { return variations_; }

  /// Returns the estimate of one number, from its value without variation and with each variation.
  Estimate estimate(double known, std::span<const double> varied, Origin origin) const {
    const double slower = varied[0], faster = varied[1];
    // sums of squares, of seconds and of logarithms
    double above = std::pow(std::max(0.0, slower - known), 2), below = 0;
    if (known > 0) below += std::pow(std::log(known / std::clamp(faster, 1e-300, known)), 2);
    const auto add = [&](double half) {
      above += half * half;
      if (known > 0) below += std::pow(std::log1p(half / known), 2);
    };
    add(of_links(known, varied.subspan(2, links_.size())));
    for (const double seconds : varied.subspan(2 + links_.size())) add(std::abs(seconds - known));
    return {known, known * std::exp(-std::sqrt(below)), known + std::sqrt(above), of_.question.level, "s",
            origin};
  }

 private:
  double quantile() const { return statistics::normal_quantile(0.5 + of_.question.level / 2); }

  void add_links() {
    for (const std::string& name : uncertain_parameters(of_.machine, of_.placement)) {
      machine::Machine& changed = changed_.emplace_back(of_.machine);
      for (machine::NamedParameter& each : machine::parameters(changed))
        if (each.name == name)
          links_.push_back({name, each.parameter->standard_error}),
              each.parameter->value += each.parameter->standard_error;
      variations_.push_back({.what = name, .machine = &changed, .table = ""});
    }
  }

  /// Varies a table by its relative error, which all its collectives share.
  void add_tables() {
    for (const machine::PatternCost& table : of_.machine.patterns) {
      double misfit = 0;
      for (const auto& piece : table.pieces) misfit = std::max(misfit, piece.relative_error);
      const double factor = 1 + quantile() * statistics::kNormalConsistency * misfit;
      if (std::ranges::find(of_.tables, table.name) == of_.tables.end() || !(factor > 1)) continue;
      variations_.push_back({.what = "the measured " + table.name, .table = table.name, .factor = factor});
    }
  }

  /// Returns z sqrt(g' S g), where g is the difference caused by one standard error.
  double of_links(double known, std::span<const double> seconds) const {
    double variance = 0;
    for (std::size_t a = 0; a < links_.size(); ++a)
      for (std::size_t b = 0; b < links_.size(); ++b)
        variance += (seconds[a] - known) * (seconds[b] - known) *
                    (a == b ? 1
                            : covariance(of_.machine, links_[a].name, links_[b].name) /
                                  (links_[a].error * links_[b].error));
    return quantile() * std::sqrt(std::max(0.0, variance));
  }

  const VariedAnswer& of_;
  std::vector<Variation> variations_;
  std::vector<Link> links_;
  std::deque<machine::Machine> changed_;  // a deque, so that pointers to elements stay valid
};

}  // namespace

Result<ComputingKnown> computing_of(const Model& model, const machine::Machine& machine,
                                    const Question& question, std::int32_t rank) {
  PARCAST_ASSIGN(const symbolic::Binding binding, program::bind(model, question.point, rank));
  ComputingKnown out;
  double sum = 0;
  RelatedSum low, high;
  double alternatives_low = 0, alternatives_high = 0;  // effects of one formula on several segments are added
  const Unvaried never = unvaried(model, question.point);
  for (const program::Segment& segment : model.segments) {
    PARCAST_ASSIGN(const program::CountValue executions, program::value_of(segment.executions, binding));
    std::vector<double> arguments;
    for (const symbolic::Expression& argument : segment.cost.arguments) {
      PARCAST_ASSIGN(const double value, symbolic::evaluate(argument, binding));
      arguments.push_back(std::max(0.0, value));
    }
    const double seconds = segment.cost.growth->hypotheses.empty()
                               ? 0
                               : executions.value * segment.cost.growth->predict(arguments);
    if (!(seconds > 0)) continue;
    const RelativeDeviation own = cost_deviation(segment.cost, arguments, question.level, never);
    sum += seconds;
    out.shares[executions.origin] += seconds;
    low.add(seconds * own.low), high.add(seconds * own.high);
    const RelativeDeviation alternatives = alternative_deviation(segment.cost, arguments, binding);
    alternatives_low += seconds * alternatives.low, alternatives_high += seconds * alternatives.high;
  }
  if (!(sum > 0)) return ComputingKnown{};
  for (auto& [origin, share] : out.shares) share /= sum;
  const double z = statistics::normal_quantile(0.5 + question.level / 2);
  const double alike =
      z * std::hypot(run_deviation(model, machine, question), processor_spread(model, machine, question));
  const double related = model.between_runs.related;
  double own_below = -std::log(std::max(1e-300, 1 - std::min(1.0, low.root(related) / sum)));
  double own_above = high.root(related) / sum;
  if (const auto most = ForwardEvidence(model).half_width(question.point, question.level))
    own_below = std::min(own_below, *most), own_above = std::min(own_above, std::expm1(*most));
  out.deviation.low =
      1 - std::max(0.0, 1 - alternatives_low / sum) * std::exp(-std::hypot(own_below, std::log1p(alike)));
  out.deviation.high = std::hypot(own_above, alike) + alternatives_high / sum;
  return out;
}

namespace {

/// Returns the shares of all but computing by origin; their sum is 1. The counts of regions that only
/// communicate have the regions' origins; the order of operations is exact.
std::map<Origin, double> origins_without_computing(const Prediction& prediction) {
  std::map<Origin, double> out;
  double sum = 0;
  for (const RegionTime& region : prediction.regions) {
    const double seconds = std::max(0.0, region.seconds.value - region.parts.compute.value);
    out[region.parts.compute.value > 0 ? Origin::exact : region.origin] += seconds;
    sum += seconds;
  }
  if (!(sum > 0)) return {{Origin::exact, 1}};
  for (auto& [origin, share] : out) share /= sum;
  return out;
}

}  // namespace

std::map<Origin, double> coverage_of(const Model& model, const ComputingKnown& computing,
                                     const Prediction& prediction) {
  std::map<Origin, double> out;
  for (const Origin origin : kOrigins) out[origin] = 0;
  const auto recorded = model.share_by_origin.find("unknown");
  const double unknown = recorded == model.share_by_origin.end() ? 0 : std::clamp(recorded->second, 0.0, 1.0);
  const double share =
      prediction.seconds.value > 0 ? prediction.parts.compute.value / prediction.seconds.value : 0;
  for (const auto& [origin, part] : computing.shares) out[origin] += (1 - unknown) * share * part;
  // Copies of another process count have its messages.
  const bool copied = model.structure && model.structure->copied > 0 &&
                      model.structure->copied != prediction.question.point.processes;
  const double others = computing.shares.empty() ? 1 : 1 - share;
  for (const auto& [origin, part] : origins_without_computing(prediction))
    out[copied ? weaker(origin, Origin::assumed) : origin] += (1 - unknown) * others * part;
  out[Origin::unknown] += unknown;
  return out;
}

Result<std::vector<Estimate>> vary(const VariedAnswer& of, std::span<const double> known, Origin origin,
                                   const Walk& walk, const Progress& progress) {
  const Sources sources(of);
  PARCAST_ASSIGN(const std::vector<std::vector<double>> walked, walk(sources.variations(), progress));
  std::vector<Estimate> out;
  std::vector<double> varied(walked.size());
  for (std::size_t i = 0; i < known.size(); ++i) {
    for (std::size_t k = 0; k < walked.size(); ++k) varied[k] = walked[k][i];
    out.push_back(sources.estimate(known[i], varied, origin));
  }
  return out;
}

}  // namespace parcast::predict
