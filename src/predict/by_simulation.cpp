// SPDX-License-Identifier: Apache-2.0
#include "predict/by_simulation.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <limits>
#include <thread>

#include "base/text.h"
#include "machine/tools.h"
#include "predict/assumed_link.h"
#include "predict/check_evidence.h"
#include "predict/computing_scale.h"
#include "predict/flat_system.h"
#include "predict/hang.h"
#include "predict/question.h"
#include "predict/reconcile.h"
#include "predict/simulate/critical_path.h"
#include "predict/simulate/simulate.h"
#include "predict/simulate/variants.h"
#include "predict/simulated_seconds.h"
#include "predict/variation.h"
#include "structure/generate.h"

namespace parcast::predict {
namespace {

using program::Model;
using simulate::Platform;

/// Simulates a trace on a machine, with variations.
class Runs {
 public:
  /// `node_of`: node of each rank; empty: block by block.
  Runs(const trace::Trace& trace, std::int32_t ranks_per_node, std::vector<std::int32_t> node_of,
       double compute_ratio)
      : trace_(trace),
        ranks_per_node_(ranks_per_node),
        node_of_(std::move(node_of)),
        compute_ratio_(compute_ratio) {}

  Result<Platform> platform(const machine::Machine& machine, double computing = 1) const {
    PARCAST_ASSIGN(Platform out, node_of_.empty()
                                     ? simulate::platform_of(machine, trace_.ranks, ranks_per_node_)
                                     : simulate::platform_of(machine, node_of_));
    PARCAST_TRY(simulate::take_measured_collectives(machine, trace_, out));
    simulate::take_measured_attention(machine, out);
    const double ratio = compute_ratio_ * computing;
    if (!(ratio <= 1e6))
      return Error{"computing that takes " + format_significant(ratio, 3) +
                       " times as long as recorded is out of range",
                   "", "at most 1e6 times"};
    out.compute_ratio = static_cast<simulate::Rate>(ratio * static_cast<double>(simulate::kOne) + 0.5);
    return out;
  }

  /// `progress` starts with the share of the run without variation, which is already done.
  Result<std::vector<simulate::Summary>> each(std::size_t count, const simulate::MakePlatform& make,
                                              const Progress& progress) const {
    const auto tell = [&](std::size_t done) {
      if (progress) progress(static_cast<double>(1 + done) / static_cast<double>(1 + count));
    };
    tell(0);
    return simulate::simulate_each(trace_, count, make, std::max(std::thread::hardware_concurrency(), 1u),
                                   tell);
  }

 private:
  const trace::Trace& trace_;
  std::int32_t ranks_per_node_;
  std::vector<std::int32_t> node_of_;
  double compute_ratio_;
};

/// Returns the tables that price collectives of the trace.
std::vector<std::string> tables_of(const machine::Machine& machine, const Platform& platform) {
  std::vector<std::string> out;
  for (const auto& [what, time] : platform.measured)
    if (const machine::PatternCost* table = machine::table_for(machine, what.pattern, what.uneven);
        table && std::ranges::find(out, table->name) == out.end())
      out.push_back(table->name);
  return out;
}

/// Returns the platform with one variation.
Result<Platform> varied_platform(const Runs& runs, const machine::Machine& machine,
                                 const Variation& variation) {
  PARCAST_ASSIGN(Platform out,
                 runs.platform(variation.machine ? *variation.machine : machine, variation.computing));
  if (variation.table.empty()) return out;
  for (auto& [what, time] : out.measured)
    if (const machine::PatternCost* table = machine::table_for(machine, what.pattern, what.uneven);
        table && table->name == variation.table)
      time = static_cast<simulate::Time>(static_cast<double>(time) * variation.factor);
  return out;
}

/// Returns the run's seconds for each variation; the simulations run in parallel.
Walk walk_of(const Runs& runs, const machine::Machine& machine) {
  return [&](std::span<const Variation> variations,
             const Progress& progress) -> Result<std::vector<std::vector<double>>> {
    PARCAST_ASSIGN(
        const std::vector<simulate::Summary> summaries,
        runs.each(
            variations.size(), [&](std::size_t i) { return varied_platform(runs, machine, variations[i]); },
            progress));
    std::vector<std::vector<double>> seconds;
    for (std::size_t i = 0; i < summaries.size(); ++i) {
      if (summaries[i].hanging > 0)
        return never_ends("simulate", summaries[i].hanging,
                          "with " + variations[i].what + ", as uncertain as it is, ");
      seconds.push_back({static_cast<double>(summaries[i].makespan) * kSecond});
    }
    return seconds;
  };
}

Estimate& part_of(Parts& parts, simulate::PathKind kind) {
  switch (kind) {
    case simulate::PathKind::compute:
      return parts.compute;
    case simulate::PathKind::overhead:
    case simulate::PathKind::collective:
      return parts.message_startup;
    case simulate::PathKind::transfer:
    case simulate::PathKind::handshake:
      return parts.transfer;
    case simulate::PathKind::queue:
      break;
  }
  return parts.wait;
}

Parts no_time() {
  Parts out;
  for (Estimate* each : {&out.compute, &out.memory, &out.message_startup, &out.transfer, &out.wait})
    *each = without_interval(0, Origin::exact);
  return out;
}

/// Sets the regions of the critical path, and the parts of the total. Both sum to the run's time in
/// picoseconds.
void take_path(const trace::Trace& trace, const simulate::CriticalPath& path, Origin computing,
               Prediction& out) {
  struct Sums {
    std::array<simulate::Time, simulate::kPathKinds> times{};
  };
  std::map<std::pair<std::string, std::string>, Sums> regions;  // by path and where
  for (const simulate::PathPart& part : path.parts) {
    const bool computes = part.kind == simulate::PathKind::compute;
    std::string name = "compute to the end", where;
    if (part.site.place != trace::kNowhere) {
      const trace::Place& place = trace.places[part.site.place];
      const std::string what = (computes ? "compute before " : "") + place.call;
      name = place.region.empty() ? what : place.region + "/" + what;
      if (!place.file.empty())
        where = std::filesystem::path(place.file).filename().string() + ":" + std::to_string(place.line);
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
  std::ranges::stable_sort(out.regions, [](const RegionTime& a, const RegionTime& b) {
    return a.seconds.value > b.seconds.value;
  });
}

std::vector<Warning> warnings_of(const Model& model, const machine::Machine& machine,
                                 const Question& question, const trace::Trace& trace,
                                 const Platform& platform) {
  std::vector<Warning> out = question_warnings(model, machine, question);
  const std::vector<std::string> warned = program::range_sentences(model, question.point);  // of other codes
  for (const auto* sentences : {&trace.assumptions, &platform.assumptions})
    for (const std::string& sentence : *sentences)
      if (std::ranges::find(warned, sentence) == warned.end()) add_unique(out, {{"simulated", sentence, ""}});
  add_notices(model, out);
  return out;
}

/// Factor of a trace's computing times on a machine.
struct ComputingRatio {
  double ratio = 1;
  ComputingScale scale;  // part of it
};

Result<ComputingRatio> computing_ratio(const Model& model, const machine::Machine& machine,
                                       const Question& question, trace::Trace& trace) {
  ComputingRatio out;
  if (question.recorded_machine) {
    PARCAST_ASSIGN(out.ratio, machine::compute_ratio(*question.recorded_machine, machine));
  }
  PARCAST_ASSIGN(out.scale, fit_to_segments(model, question, trace));
  out.ratio *= out.scale.factor;
  return out;
}

class SimulateEngine final : public Engine {
 public:
  std::string_view name() const override { return "simulate"; }

  Result<Prediction> predict(const Model& as_built, const machine::Machine& given, const Question& asked,
                             const Progress& progress) const override {
    PARCAST_TRY(check(as_built, asked));
    const auto [machine, question, node_of] = flattened(given, asked);
    const Model model = model_at(as_built, question.point);
    PARCAST_ASSIGN(trace::Trace trace, program::generate(model, question.point));
    PARCAST_TRY(trace::check(trace));
    const Placement placement = place(machine, question);
    PARCAST_ASSIGN(const ComputingRatio computes, computing_ratio(model, machine, question, trace));
    const Runs runs(trace, placement.ranks_per_node, node_of, computes.ratio);
    PARCAST_ASSIGN(const Platform platform, runs.platform(machine));
    simulate::PathFinder finder(trace, platform);
    const std::array<simulate::Observer*, 1> observers{&finder};
    PARCAST_ASSIGN(const simulate::Outcome outcome,
                   simulate::simulate(trace, platform, simulate::Trust::checked, observers));
    if (!outcome.waiting.empty()) {
      Prediction out = answer_of(name(), model, given, asked, {});
      out.hang = std::make_shared<const Hang>(Hang{std::make_shared<const trace::Trace>(trace),
                                                   outcome.waiting, outcome.cycle, outcome.by_choice});
      return out;
    }
    const simulate::CriticalPath path = finder.path();
    PARCAST_ASSIGN(ComputingKnown computing, computing_of(model, machine, question, path.rank));
    // it only waited for others, like a host for its nodes
    if (computing.shares.empty() && !path.ranks.empty()) {
      PARCAST_ASSIGN(computing, computing_of(model, machine, question, path.ranks.front().rank));
    }
    const double whole = static_cast<double>(outcome.makespan) * kSecond;
    PARCAST_ASSIGN(const std::vector<Estimate> estimates,
                   vary({model, machine, question, placement, computing, tables_of(machine, platform)},
                        std::span(&whole, 1), computing.origin(), walk_of(runs, machine), progress));
    const Estimate& seconds = estimates.front();
    Prediction out = answer_of(name(), model, given, asked, seconds);
    take_path(trace, path, computing.origin(), out);
    out.coverage = coverage_of(model, computing, out);
    out.warnings = warnings_of(model, machine, question, trace, platform);
    if (auto scaled = scale_warning(computes.scale)) add_unique(out.warnings, {*std::move(scaled)});
    add_unique(out.warnings, ignored_parts(name(), given, asked));
    hold_checks(model, out);
    hold_assumed_link(machine, out);
    return out;
  }
};

}  // namespace

const Engine& simulate_engine() {
  static const SimulateEngine engine;
  return engine;
}

}  // namespace parcast::predict
