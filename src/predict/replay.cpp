// SPDX-License-Identifier: Apache-2.0
#include "predict/replay.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "machine/tools.h"
#include "predict/intervals.h"
#include "predict/simulate/extrap/simulate.h"
#include "predict/simulate/profile.h"
#include "predict/simulate/simulate.h"
#include "predict/simulate/variants.h"
#include "predict/simulated_seconds.h"
#include "trace/from_recording.h"
#include "trace/least_computing.h"

namespace parcast::predict {
namespace {

struct Simulated {
  simulate::Outcome outcome;
  std::vector<std::string> assumptions;
  std::int32_t nodes = 1;
};

Result<Simulated> by_extrap(const trace::Trace& trace, const machine::Machine& machine,
                            simulate::Profile& profile) {
  PARCAST_ASSIGN(simulate::extrap::Platform platform,
                 simulate::extrap::platform_of(machine.name, *machine.extrap));
  platform.collectives = machine.collectives;
  Simulated out{.nodes = trace.ranks};
  PARCAST_ASSIGN(out.outcome,
                 simulate::extrap::simulate(trace, platform, simulate::Trust::checked, &profile));
  out.assumptions = platform.assumptions;
  out.assumptions.emplace_back("ExtraP's model of " + machine.name +
                               ": every rank has a node of its own, and serves the accesses to its elements");
  return out;
}

Result<Simulated> by_links(const trace::Trace& trace, const machine::Machine& machine, double ratio,
                           simulate::Profile& profile) {
  PARCAST_ASSIGN(simulate::Platform platform, simulate::platform_of(machine, trace.ranks, 0));
  PARCAST_TRY(simulate::take_measured_collectives(machine, trace, platform));
  simulate::take_measured_attention(machine, platform);
  platform.compute_ratio =
      static_cast<simulate::Rate>(std::min(ratio, 1e6) * static_cast<double>(simulate::kOne) + 0.5);
  Simulated out;
  std::vector<simulate::Observer*> observers;
  if (!trace::has_locks(trace)) observers.push_back(&profile);
  PARCAST_ASSIGN(out.outcome, simulate::simulate(trace, platform, simulate::Trust::checked, observers));
  out.nodes = simulate::summary_of(out.outcome, platform).nodes;
  out.assumptions = platform.assumptions;
  return out;
}

Estimate exactly(double seconds) {
  return {seconds, seconds, seconds, 0, "s", Origin::assumed};
}

Parts parts_of(const simulate::Spent& spent, double ranks) {
  const auto mean = [&](simulate::Time time) { return exactly(static_cast<double>(time) * kSecond / ranks); };
  return {mean(spent.compute), exactly(0), mean(spent.communication), exactly(0), mean(spent.waiting)};
}

void add_region(const std::string& path, const std::string& where, const simulate::Spent& spent, double ranks,
                Prediction& out) {
  RegionTime region;
  region.path = path, region.where = where;
  region.parts = parts_of(spent, ranks);
  region.seconds = exactly(static_cast<double>(spent.time()) * kSecond / ranks);
  region.executions = std::to_string(spent.calls);
  if (spent.accesses > 0)
    region.path += " (" + std::to_string(spent.accesses) + " remote access" +
                   (spent.accesses == 1 ? "" : "es") + " of " + std::to_string(spent.access_bytes) +
                   " bytes)";
  region.origin = Origin::measured;
  out.regions.push_back(std::move(region));
}

/// Adds the calls, longest first; together they are the run's time.
void add_regions(const trace::Trace& trace, const simulate::Profile& profile,
                 const simulate::Outcome& outcome, Prediction& out) {
  const auto ranks = static_cast<double>(trace.ranks);
  simulate::Spent all;
  for (const simulate::SiteSums& site : simulate::sums_by_site(profile, trace.ranks)) {
    std::string path = "no call", where;
    if (site.site.place != trace::kNowhere) {
      const trace::Place& place = trace.places[site.site.place];
      path = (place.region.empty() ? "" : place.region + "/") + place.call;
      if (!place.file.empty())
        where = std::filesystem::path(place.file).filename().string() + ":" + std::to_string(place.line);
    }
    all += site.sum;
    add_region(path, where, site.sum, ranks, out);
  }
  simulate::Spent ended;
  for (const simulate::RankOutcome& rank : outcome.ranks) ended.waiting += outcome.makespan - rank.end;
  if (ended.waiting > 0) add_region("after a rank's end", "", ended, ranks, out);
  all += ended;
  out.parts = parts_of(all, ranks);
}

/// Returns the run of which these are recordings.
Result<trace::FromRecording> trace_of(std::span<const recording::Recording> recordings) {
  if (recordings.empty()) return Error{"there is no recording to replay", "", ""};
  std::vector<trace::Trace> traces;
  trace::FromRecording out;
  for (const recording::Recording& recording : recordings) {
    PARCAST_ASSIGN(trace::FromRecording made, trace::from_recording(recording));
    PARCAST_TRY(trace::check(made.trace));
    traces.push_back(made.trace);
    if (traces.size() == 1) out = std::move(made);
  }
  if (auto least = trace::with_least_computing(traces))
    out.trace = *std::move(least);
  else
    out.warnings.push_back("computing times are those of one recording of " + std::to_string(traces.size()) +
                           ": " + least.error().what);
  return out;
}

}  // namespace

Result<Prediction> replayed(std::span<const recording::Recording> recordings, const machine::Machine& machine,
                            std::shared_ptr<const machine::Machine> recorded_machine) {
  PARCAST_ASSIGN(const trace::FromRecording made, trace_of(recordings));
  const recording::Recording& recording = recordings.front();
  double ratio = 1;
  if (recorded_machine && !machine.extrap) {
    PARCAST_ASSIGN(ratio, machine::compute_ratio(*recorded_machine, machine));
  }
  simulate::Profile profile(made.trace);
  PARCAST_ASSIGN(const Simulated simulated, machine.extrap ? by_extrap(made.trace, machine, profile)
                                                           : by_links(made.trace, machine, ratio, profile));
  if (!simulated.outcome.waiting.empty())
    return Error{"the recorded run would not end on " + machine.name, "",
                 "parcast simulate RECORDING -m " + machine.name + " prints what each rank waits for"};
  Prediction out;
  out.program = made.trace.program;
  out.machine = machine.name;
  out.engine = kReplay;
  out.question.point.processes = recording.processes;
  out.question.point.parameters = recording.parameters;
  out.question.recorded_machine = std::move(recorded_machine);
  out.question.level = 0;
  out.nodes = simulated.nodes;
  out.ranks_per_node = (recording.processes + out.nodes - 1) / std::max(out.nodes, 1);
  set_seconds(exactly(static_cast<double>(simulated.outcome.makespan) * kSecond), out);
  add_regions(made.trace, profile, simulated.outcome, out);
  out.coverage[Origin::measured] = 1;
  for (const auto* sentences : {&made.warnings, &made.trace.assumptions, &simulated.assumptions})
    for (const std::string& sentence : *sentences) out.warnings.push_back({"simulated", sentence, ""});
  return out;
}

}  // namespace parcast::predict
