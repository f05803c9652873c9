// SPDX-License-Identifier: Apache-2.0
#include "predict/by_simulation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <filesystem>
#include <functional>
#include <thread>

#include "machine/tools.h"
#include "predict/intervals.h"
#include "predict/question.h"
#include "predict/simulate/critical_path.h"
#include "predict/simulate/simulate.h"
#include "predict/simulate/variants.h"
#include "program/settled.h"
#include "program/structure/generate.h"
#include "statistics/distribution.h"
#include "statistics/summary.h"

namespace parcast::predict {
namespace {

using program::Model;
using simulate::Platform;

constexpr double kSecond = 1e-12;  // of a picosecond

Error never_ends(std::size_t waiting, const std::string& where = "") {
  return {where + "the run would never end: " + std::to_string(waiting) + " of its ranks wait for ever", "", "parcast simulate with the same model, -p and -s says what each waits for"};
}

/// A trace on a machine, simulated with this and that changed.
class Runs {
 public:
  Runs(const trace::Trace& trace, std::int32_t ranks_per_node, double compute_ratio) : trace_(trace), ranks_per_node_(ranks_per_node), compute_ratio_(compute_ratio) {}

  Result<Platform> platform(const machine::Machine& machine, double computing = 1) const {
    PARCAST_ASSIGN(Platform out, simulate::platform_of(machine, trace_.ranks, ranks_per_node_));
    PARCAST_TRY(simulate::take_measured_collectives(machine, trace_, out));
    simulate::take_measured_attention(machine, out);
    const double ratio = compute_ratio_ * computing;
    if (!(ratio <= 1e6)) return Error{"computing that takes " + format_significant(ratio, 3) + " times as long as recorded is out of range", "", "at most 1e6 times"};
    out.compute_ratio = static_cast<simulate::Rate>(ratio * static_cast<double>(simulate::kOne) + 0.5);
    return out;
  }

  /// The share of `progress` begins with what one run was, which is done.
  Result<std::vector<simulate::Summary>> each(std::size_t count, const simulate::MakePlatform& make, const Progress& progress) const {
    const auto tell = [&](std::size_t done) {
      if (progress) progress(static_cast<double>(1 + done) / static_cast<double>(1 + count));
    };
    tell(0);
    return simulate::simulate_each(trace_, count, make, std::max(std::thread::hardware_concurrency(), 1u), tell);
  }

 private:
  const trace::Trace& trace_;
  std::int32_t ranks_per_node_;
  double compute_ratio_;
};

/// What is known of the computing of one rank: where it comes from, and how far off it may be, as fractions of it.
struct Computing {
  std::map<Origin, double> shares;  // sum 1, or empty
  RelativeDeviation deviation;
};

Result<Computing> computing_of(const Model& model, const machine::Machine& machine, const Question& question, std::int32_t rank) {
  PARCAST_ASSIGN(const symbolic::Binding binding, program::bind(model, question.point, rank));
  Computing out;
  double sum = 0, low = 0, high = 0;
  for (const program::Segment& segment : model.segments) {
    PARCAST_ASSIGN(const program::CountValue executions, program::value_of(segment.executions, binding));
    std::vector<double> arguments;
    for (const symbolic::Expression& argument : segment.cost.arguments) {
      PARCAST_ASSIGN(const double value, symbolic::evaluate(argument, binding));
      arguments.push_back(std::max(0.0, value));
    }
    const double seconds = segment.cost.growth.hypotheses.empty() ? 0 : executions.value * segment.cost.growth.predict(arguments);
    if (!(seconds > 0)) continue;
    const RelativeDeviation own = cost_deviation(segment.cost, arguments, question.level);
    sum += seconds;
    out.shares[weaker(executions.origin, segment.cost.origin)] += seconds;
    low += std::pow(seconds * own.low, 2), high += std::pow(seconds * own.high, 2);
  }
  if (!(sum > 0)) return Computing{};
  for (auto& [origin, share] : out.shares) share /= sum;
  const double z = statistics::normal_quantile(0.5 + question.level / 2);
  const double alike = z * std::hypot(machine.noise.value, processor_spread(model, machine, question));
  const double own_below = -std::log(std::max(1e-300, 1 - std::min(1.0, std::sqrt(low) / sum)));
  out.deviation.low = 1 - std::exp(-std::hypot(own_below, std::log1p(alike)));
  out.deviation.high = std::hypot(std::sqrt(high) / sum, alike);
  return out;
}

/// The parameters of links over which ranks meet here, that were measured with an error.
std::vector<std::string> uncertain_parameters(machine::Machine machine, const Placement& placement) {
  const bool network = machine.links.contains("network"), inside = machine.links.size() > (network ? 1 : 0);
  std::vector<std::string> out;
  for (const machine::NamedParameter& each : machine::parameters(machine)) {
    if (!each.name.starts_with("links.") || !(each.parameter->standard_error > 0) || each.name.ends_with(".eager_limit") || each.name.ends_with("_overlap")) continue;
    const bool between_nodes = each.name.starts_with("links.network.");
    if (between_nodes ? placement.nodes == 1 && inside : placement.ranks_per_node == 1 && network) continue;
    out.push_back(each.name);
  }
  return out;
}

/// How far the total moves by what is not known exactly: each source is varied, and the rest simulated anew. The simulations
/// run side by side; `known` is the one with nothing varied.
class Varied {
 public:
  Varied(const Runs& runs, const machine::Machine& machine, const Question& question, const Platform& known, double seconds)
      : runs_(runs), machine_(machine), question_(question), known_(known), seconds_(seconds) {}

  Result<Estimate> estimate(const Computing& computing, const Placement& placement, Origin origin, const Progress& progress) {
    vary_computing(computing.deviation);
    vary_links(placement);
    vary_tables();
    PARCAST_ASSIGN(const std::vector<simulate::Summary> summaries, runs_.each(variants_.size(), [&](std::size_t i) { return variants_[i].platform(); }, progress));
    for (std::size_t i = 0; i < summaries.size(); ++i) {
      if (summaries[i].hanging > 0) return never_ends(summaries[i].hanging, "with " + variants_[i].what + ", as uncertain as it is, ");
      *variants_[i].seconds = static_cast<double>(summaries[i].makespan) * kSecond;
    }
    double above = std::pow(std::max(0.0, slower_ - seconds_), 2), below = 0;  // squares, of seconds and of logarithms
    if (seconds_ > 0) below += std::pow(std::log(seconds_ / std::clamp(faster_, 1e-300, seconds_)), 2);
    const auto add = [&](double half) {
      above += half * half;
      if (seconds_ > 0) below += std::pow(std::log1p(half / seconds_), 2);
    };
    add(of_links());
    for (const double seconds : by_table_) add(std::abs(seconds - seconds_));
    return Estimate{seconds_, seconds_ * std::exp(-std::sqrt(below)), seconds_ + std::sqrt(above), question_.level, "s", origin};
  }

 private:
  struct Variant {
    std::string what;
    std::function<Result<Platform>()> platform;
    double* seconds;  // where the answer goes
  };
  struct Link {
    std::string name;
    double error = 0, seconds = 0;
  };

  void vary_computing(const RelativeDeviation& deviation) {
    variants_.push_back({"slower computing", [this, deviation] { return runs_.platform(machine_, 1 + deviation.high); }, &slower_});
    variants_.push_back({"faster computing", [this, deviation] { return runs_.platform(machine_, 1 - deviation.low); }, &faster_});
  }

  void vary_links(const Placement& placement) {
    for (const std::string& name : uncertain_parameters(machine_, placement)) {
      machine::Machine changed = machine_;
      for (machine::NamedParameter& each : machine::parameters(changed))
        if (each.name == name) links_.push_back({name, each.parameter->standard_error}), each.parameter->value += each.parameter->standard_error;
      variants_.push_back({name, [this, changed = std::move(changed)] { return runs_.platform(changed); }, &links_.back().seconds});
    }
  }

  /// A table's misfit, shared by all its collectives.
  void vary_tables() {
    for (const machine::PatternCost& table : machine_.patterns) {
      double misfit = 0;
      for (const auto& piece : table.pieces) misfit = std::max(misfit, piece.relative_error);
      const double factor = 1 + quantile() * statistics::kNormalConsistency * misfit;
      const auto prices = [this, &table](const simulate::MeasuredCollective& what) { return machine::table_for(machine_, what.pattern, what.uneven) == &table; };
      const bool used = std::ranges::any_of(known_.measured, [&](const auto& each) { return prices(each.first); });
      if (!used || !(factor > 1)) continue;
      by_table_.push_back(0);
      variants_.push_back({"the measured " + table.name, [this, prices, factor]() -> Result<Platform> {
        Platform changed = known_;
        for (auto& [what, time] : changed.measured)
          if (prices(what)) time = static_cast<simulate::Time>(static_cast<double>(time) * factor);
        return changed;
      }, &by_table_.back()});
    }
  }

  /// z sqrt(g' S g), g by the difference that one standard error makes.
  double of_links() const {
    double variance = 0;
    for (const Link& a : links_)
      for (const Link& b : links_)
        variance += (a.seconds - seconds_) * (b.seconds - seconds_) * (&a == &b ? 1 : covariance(machine_, a.name, b.name) / (a.error * b.error));
    return quantile() * std::sqrt(std::max(0.0, variance));
  }

  double quantile() const { return statistics::normal_quantile(0.5 + question_.level / 2); }

  const Runs& runs_;
  const machine::Machine& machine_;
  const Question& question_;
  const Platform& known_;
  const double seconds_;
  std::vector<Variant> variants_;
  double slower_ = 0, faster_ = 0;
  std::deque<Link> links_;       // where they are they stay
  std::deque<double> by_table_;
};

Estimate without_interval(double seconds, Origin origin) { return {seconds, seconds, seconds, 0, "s", origin}; }

Estimate& part_of(Parts& parts, simulate::PathKind kind) {
  switch (kind) {
    case simulate::PathKind::compute: return parts.compute;
    case simulate::PathKind::overhead:
    case simulate::PathKind::collective: return parts.message_startup;
    case simulate::PathKind::transfer:
    case simulate::PathKind::handshake: return parts.transfer;
    case simulate::PathKind::queue: break;
  }
  return parts.wait;
}

Parts no_time() {
  Parts out;
  for (Estimate* each : {&out.compute, &out.memory, &out.message_startup, &out.transfer, &out.wait}) *each = without_interval(0, Origin::exact);
  return out;
}

/// Regions of the critical path, and the parts of the whole: both sum to the run's time in picoseconds.
void take_path(const trace::Trace& trace, const simulate::CriticalPath& path, Origin computing, Prediction& out) {
  struct Sums {
    std::array<simulate::Time, simulate::kPathKinds> times{};
  };
  std::map<std::pair<std::string, std::string>, Sums> regions;  // by path and where
  for (const simulate::PathPart& part : path.parts) {
    std::string name = "computing", where;
    if (part.site.place != trace::kNowhere) {
      const trace::Place& place = trace.places[part.site.place];
      name = place.region.empty() ? place.call : place.region + "/" + place.call;
      if (!place.file.empty()) where = std::filesystem::path(place.file).filename().string() + ":" + std::to_string(place.line);
    }
    regions[{name, where}].times[static_cast<std::size_t>(part.kind)] += part.time;
  }
  out.parts = no_time();
  for (const auto& [name, sums] : regions) {
    RegionTime region;
    region.path = name.first, region.where = name.second;
    region.parts = no_time();
    region.origin = Origin::exact;
    double seconds = 0;
    for (std::size_t kind = 0; kind < simulate::kPathKinds; ++kind) {
      const double time = static_cast<double>(sums.times[kind]) * kSecond;
      const auto which = static_cast<simulate::PathKind>(kind);
      const Origin origin = which == simulate::PathKind::compute ? computing : Origin::exact;
      for (Parts* parts : {&region.parts, &out.parts}) {
        Estimate& part = part_of(*parts, which);
        part = without_interval(part.value + time, time > 0 ? weaker(part.origin, origin) : part.origin);
      }
      if (time > 0) region.origin = weaker(region.origin, origin);
      seconds += time;
    }
    region.seconds = without_interval(seconds, region.origin);
    out.regions.push_back(std::move(region));
  }
  std::ranges::stable_sort(out.regions, [](const RegionTime& a, const RegionTime& b) { return a.seconds.value > b.seconds.value; });
}

std::map<Origin, double> coverage(const Model& model, const Computing& computing, const Prediction& prediction) {
  std::map<Origin, double> out;
  for (const Origin origin : kOrigins) out[origin] = 0;
  const auto recorded = model.share_by_origin.find("unknown");
  const double unknown = recorded == model.share_by_origin.end() ? 0 : std::clamp(recorded->second, 0.0, 1.0);
  const double share = prediction.seconds.value > 0 ? prediction.parts.compute.value / prediction.seconds.value : 0;
  for (const auto& [origin, part] : computing.shares) out[origin] += (1 - unknown) * share * part;
  out[Origin::exact] += (1 - unknown) * (computing.shares.empty() ? 1 : 1 - share);
  out[Origin::unknown] += unknown;
  return out;
}

std::vector<Warning> warnings_of(const Model& model, const machine::Machine& machine, const Question& question, const trace::Trace& trace, const Platform& platform) {
  std::vector<Warning> out = question_warnings(model, machine, question);
  for (const auto* sentences : {&trace.assumptions, &platform.assumptions})
    for (const std::string& sentence : *sentences) add_unique(out, {{"simulated", sentence, ""}});
  add_notices(model, out);
  return out;
}

class SimulateEngine final : public Engine {
 public:
  std::string_view name() const override { return "simulate"; }

  Result<Prediction> predict(const Model& as_built, const machine::Machine& machine, const Question& question, const Progress& progress) const override {
    PARCAST_TRY(check(as_built, question));
    const Model model = program::settled(as_built, question.point);
    PARCAST_ASSIGN(const trace::Trace trace, program::generate(model, question.point));
    PARCAST_TRY(trace::check(trace));
    const Placement placement = place(machine, question);
    double ratio = 1;
    if (question.recorded_machine) {
      PARCAST_ASSIGN(ratio, machine::compute_ratio(*question.recorded_machine, machine));
    }
    const Runs runs(trace, placement.ranks_per_node, ratio);
    PARCAST_ASSIGN(const Platform platform, runs.platform(machine));
    simulate::PathFinder finder(trace, platform);
    const std::array<simulate::Observer*, 1> observers{&finder};
    PARCAST_ASSIGN(const simulate::Outcome outcome, simulate::simulate(trace, platform, simulate::Trust::checked, observers));
    if (!outcome.waiting.empty()) return never_ends(outcome.waiting.size());
    const simulate::CriticalPath path = finder.path();
    PARCAST_ASSIGN(Computing computing, computing_of(model, machine, question, path.rank));
    if (computing.shares.empty() && !path.ranks.empty()) {  // it only waited for others: a host for its nodes
      PARCAST_ASSIGN(computing, computing_of(model, machine, question, path.ranks.front().rank));
    }
    const Origin origin = computing.shares.empty() ? Origin::exact : computing.shares.rbegin()->first;  // the least sure

    Varied varied(runs, machine, question, platform, static_cast<double>(outcome.makespan) * kSecond);
    PARCAST_ASSIGN(const Estimate seconds, varied.estimate(computing, placement, origin, progress));
    Prediction out = answer_of(name(), model, machine, question, seconds);
    take_path(trace, path, origin, out);
    out.coverage = coverage(model, computing, out);
    out.warnings = warnings_of(model, machine, question, trace, platform);
    return out;
  }
};

}  // namespace

const Engine& simulate_engine() {
  static const SimulateEngine engine;
  return engine;
}

}  // namespace parcast::predict
