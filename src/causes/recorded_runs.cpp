// SPDX-License-Identifier: Apache-2.0
#include "causes/recorded_runs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>

#include "recording/unfold.h"

namespace parcast::causes {
namespace {

using recording::CallClass;
using recording::Event;
using recording::RankRecording;
using recording::Recording;

enum Measure : std::size_t {
  kBytes,
  kMessages,
  kPageFaults,
  kMajorFaults,
  kSwitches,
  kCacheMisses,
  kMeasures
};

const std::vector<Variable>& variables() {
  static const std::vector<Variable> all{
      {"bytes", Role::work},         {"messages", Role::work},          {"page_faults", Role::event},
      {"major_faults", Role::event}, {"context_switches", Role::event}, {"cache_misses", Role::event}};
  return all;
}

struct Sums {
  std::int64_t nanoseconds = 0;
  std::array<double, kMeasures> values;
  Sums() { values.fill(kNotMeasured); }
  void add(Measure measure, double amount) {
    values[measure] = (std::isnan(values[measure]) ? 0 : values[measure]) + amount;
  }
};

using PhaseSums = std::map<PhaseClass, Sums>;

bool marks_region(CallClass kind) {
  return kind == CallClass::region_begin || kind == CallClass::region_end;
}

/// Returns e.g. "main" of "main/solve".
std::string parent_of(const std::string& region) {
  const std::size_t slash = region.rfind('/');
  return slash == std::string::npos ? "" : region.substr(0, slash);
}

/// Divides one thread's time line into phases: the calls, and the stretches between them.
class Tiles {
 public:
  Tiles(const RankRecording& rank, const Recording& recording) : rank_(rank), recording_(recording) {}

  void add(const Event& event) {
    const recording::Call& call = recording_.calls[event.call];
    if (call.kind == CallClass::initialise || event.continued) return;
    const std::string region = event.region < rank_.regions.size() ? rank_.regions[event.region] : "";
    const std::int64_t enter = std::clamp(event.enter, at_, std::max(at_, rank_.wall));
    const std::int64_t computing = std::clamp<std::int64_t>(event.compute, 0, enter - at_);
    const std::string before = call.kind == CallClass::region_begin ? parent_of(region) : region;
    if (computing > 0) sums_[{Kind::computation, before}].nanoseconds += computing;
    off(enter - at_ - computing);
    at_ = enter;
    open_ = call.kind == CallClass::region_end ? parent_of(region) : region;
    if (call.kind == CallClass::finalise) return;
    inside(event, call, region, std::clamp(event.exit, at_, std::max(at_, rank_.wall)));
  }
  PhaseSums take() {
    if (at_ < rank_.wall) sums_[{Kind::computation, open_}].nanoseconds += rank_.wall - at_;
    add_usage();
    return std::move(sums_);
  }

 private:
  void off(std::int64_t nanoseconds) {
    if (nanoseconds > 0) sums_[{Kind::idle, std::string(kOffProcessor)}].nanoseconds += nanoseconds;
  }

  void inside(const Event& event, const recording::Call& call, const std::string& region, std::int64_t exit) {
    const std::int64_t stolen = std::clamp<std::int64_t>(event.stolen, 0, exit - at_);
    off(stolen);
    if (marks_region(call.kind)) {
      sums_[{Kind::computation, region}].nanoseconds += exit - at_ - stolen;
    } else {
      Sums& of = sums_[{Kind::communication, region.empty() ? call.name : region + "/" + call.name}];
      of.nanoseconds += exit - at_ - stolen;
      const bool collective = call.kind == CallClass::collective || call.kind == CallClass::start_collective;
      of.add(kBytes,
             static_cast<double>(collective ? collective_volume(event, call.pattern) : event.message.bytes));
      of.add(kMessages, event.repeats);
    }
    at_ = exit;
  }

  void add_usage() {
    for (const recording::Usage& usage : rank_.usage) {
      if (usage.thread != 0 || usage.region >= rank_.regions.size()) continue;
      const auto at = sums_.find({Kind::computation, rank_.regions[usage.region]});
      if (at == sums_.end()) continue;
      at->second.add(kPageFaults, static_cast<double>(usage.minor_faults));
      at->second.add(kMajorFaults, static_cast<double>(usage.major_faults));
      at->second.add(kSwitches, static_cast<double>(usage.voluntary_switches + usage.involuntary_switches));
      if (usage.cache_misses) at->second.add(kCacheMisses, static_cast<double>(*usage.cache_misses));
    }
  }

  const RankRecording& rank_;
  const Recording& recording_;
  std::int64_t at_ = 0;  // end of the phases so far, in nanoseconds
  std::string open_;     // the region that is open at that time
  PhaseSums sums_;
};

struct RankPhases {
  PhaseSums sums;
  bool threads = false;    // threads other than the first one had events
  std::uint64_t lost = 0;  // events whose order the recorder no longer kept
};

RankPhases phases_of(const RankRecording& rank, const Recording& recording) {
  Tiles tiles(rank, recording);
  bool threads = false;
  const std::uint64_t lost = recording::for_each_event(
      rank, recording.calls, [&](const Event& event, std::span<const recording::Completion>) {
        event.thread == 0 ? tiles.add(event) : void(threads = true);
      });
  return {tiles.take(), threads, lost};
}

Result<Run> run_of(const Recording& recording, std::vector<std::string>& notes) {
  PARCAST_TRY(check_whole(recording));
  Run run{recording.parameters, recording.processes, {}, {}};
  bool threads = false;
  for (const RankRecording& rank : recording.ranks) {
    const RankPhases phases = phases_of(rank, recording);
    if (phases.lost > 0)
      return Error{"of " + std::to_string(phases.lost) +
                       " events the order is not in the recording, so the time between them has no phase",
                   name_of(recording) + ", rank " + std::to_string(rank.rank), "record a shorter run"};
    threads |= phases.threads;
    for (const auto& [phase, sums] : phases.sums)
      run.phases.push_back({rank.rank,
                            phase.kind,
                            phase.name,
                            static_cast<double>(sums.nanoseconds) * 1e-9,
                            {sums.values.begin(), sums.values.end()}});
  }
  if (threads)
    notes.push_back(name_of(recording) + ": work of threads other than the first is not among the phases");
  for (const auto& loss : recording.losses) notes.push_back(name_of(recording) + ": " + loss.what);
  return run;
}

}  // namespace

std::string name_of(const Recording& recording) {
  return recording.program + " on " + std::to_string(recording.processes) + " processes";
}

Result<void> check_whole(const Recording& recording) {
  if (recording.ranks.size() == static_cast<std::size_t>(recording.processes)) return {};
  return Error{std::to_string(recording.ranks.size()) + " of " + std::to_string(recording.processes) +
                   " processes are in the recording",
               name_of(recording), "overheads need all processes; record the run again"};
}

Result<Runs> recorded_runs(const std::vector<Recording>& recordings) {
  Runs runs{variables(), {}, {}};
  for (const Recording& recording : recordings) {
    PARCAST_ASSIGN(Run run, run_of(recording, runs.notes));
    runs.runs.push_back(std::move(run));
  }
  PARCAST_TRY(check(runs));
  return runs;
}

}  // namespace parcast::causes
