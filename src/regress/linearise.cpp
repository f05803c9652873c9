// SPDX-License-Identifier: Apache-2.0
#include "regress/linearise.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "machine/cost.h"
#include "machine/memory.h"
#include "regress/machine.h"

namespace parcast::regress {
namespace {

using machine::Machine;
using symbolic::Expression;

constexpr const char* kFootprint = "footprint";
constexpr const char* kTraffic = "traffic";

Expression of(const char* name) {
  return symbolic::symbol(name, symbolic::SymbolKind::parameter);
}

double parameter(const Run& run, const char* name) {
  const auto found = run.parameters.find(name);
  return found == run.parameters.end() ? 0 : found->second;
}

/// Returns the value in the run; without one, nodes are filled one after the other by their cores.
double processes_of_node(const Run& run, const Machine& machine) {
  const double all = std::max({parameter(run, "p"), parameter(run, "processes"), 1.0});
  if (const double given = parameter(run, "ranks_per_node"); given > 0) return std::min(given, all);
  if (const double nodes = parameter(run, "nodes"); nodes > 0) return std::ceil(all / nodes);
  return machine.nodes > 1 ? std::min<double>(all, machine.cores_per_node) : all;
}

class Linearised {
 public:
  Linearised(const Machine& machine, LineariseBy by)
      : machine_(machine), by_(by), binding_(machine::cost_binding(machine)) {
    for (const machine::MemoryLevel& level : machine.memory) {
      if (level.capacity.value <= 0) continue;
      caches_.push_back(&level);
      misses_.push_back(machine::misses(machine, level.name, of(kTraffic), of(kFootprint)));
    }
    transfer_ = machine::transfer_seconds(machine, of(kTraffic), of(kFootprint));
    faults_ = machine::page_faults(machine, of(kTraffic), of(kFootprint));
  }

  Result<void> has_what_is_asked() const {
    const std::string where = "machine " + machine_.name;
    const char* hint =
        "describe its caches as [[memory]] with name and capacity in its file, or measure them: parcast "
        "calibrate";
    if (caches_.empty() && by_ != LineariseBy::curve)
      return Error{machine_.name + " has no cache of known capacity", where, hint};
    if (by_ == LineariseBy::bandwidth && transfer_.is_zero())
      return Error{"no level of the memory of " + machine_.name + " has a bandwidth", where,
                   "count misses instead: --linearise-by misses"};
    if (by_ == LineariseBy::curve && streaming(1).is_zero())
      return Error{machine_.name + " has no measured sweep of its memory", where,
                   "measure it with parcast calibrate, or count misses: --linearise-by misses"};
    return {};
  }

  std::vector<std::string> counts() const {
    std::vector<std::string> out;
    if (by_ == LineariseBy::misses) {
      for (const machine::MemoryLevel* cache : caches_) out.push_back(kMisses + cache->name);
    } else {
      out.emplace_back(kMemory);
    }
    out.emplace_back(kPageFaults);
    return out;
  }

  /// Sets the misses of the run's arrays, and returns its new counts.
  Result<std::vector<double>> count(Run& run) const {
    const double together = processes_of_node(run, machine_);
    std::vector<double> misses(caches_.size(), 0.0);
    double seconds = 0, footprint = 0, traffic = 0;
    for (Array& array : run.arrays) {
      footprint += together * array.footprint, traffic += array.traffic;
      for (std::size_t l = 0; l < caches_.size(); ++l) {
        PARCAST_ASSIGN(const double all, at(misses_[l], array.footprint, array.traffic));
        misses[l] += all;
        PARCAST_ASSIGN(const double any, at(misses_[l], array.footprint, 1));
        if (any > 0) array.missed.push_back(caches_[l]->name);
      }
      if (by_ == LineariseBy::misses) continue;
      PARCAST_ASSIGN(const double own,
                     by_ == LineariseBy::bandwidth
                         ? at(transfer_, array.footprint, array.traffic)
                         : at(of(kTraffic) * streaming(together), array.footprint, array.traffic));
      seconds += own;
    }
    PARCAST_ASSIGN(const double faults, at(faults_, footprint, traffic));
    run.memory_exceeded = machine_.memory_per_node > 0 && footprint > machine_.memory_per_node;
    if (by_ != LineariseBy::misses) misses = {seconds};
    misses.push_back(faults);
    return misses;
  }

  std::string exceeded(const Run& run) const {
    double footprint = 0;
    for (const Array& array : run.arrays) footprint += processes_of_node(run, machine_) * array.footprint;
    return "MEMORY EXCEEDED: the processes of a node hold " + format_bytes(footprint) + ", and a node of " +
           machine_.name + " has " + format_bytes(machine_.memory_per_node) +
           ", so all that is moved is taken to fault page by page: " + name_of(run) + " (" + run.place + ")";
  }

  void note(std::vector<std::string>& notes) const {
    std::vector<std::string> levels;
    for (const machine::MemoryLevel* cache : caches_)
      levels.push_back(cache->name + " " + format_bytes(cache->capacity.value) + " (" +
                       std::string(to_string(cache->capacity.origin)) + ")");
    notes.push_back("arrays are held against " + machine_.name + ": " + join(levels, ", ") +
                    (machine_.memory_per_node > 0
                         ? ", " + format_bytes(machine_.memory_per_node) + " of memory per node"
                         : "; the memory of its nodes is not known, so page faults are not predicted") +
                    "; an array misses whole in each cache that its portion on one process exceeds");
  }

 private:
  Expression streaming(double processes) const {
    return machine::streaming_seconds(machine_, of(kFootprint),
                                      static_cast<std::int32_t>(std::min(processes, 1e9)));
  }

  Result<double> at(const Expression& expression, double footprint, double traffic) const {
    symbolic::Binding binding = binding_;
    binding[kFootprint] = footprint, binding[kTraffic] = traffic;
    return evaluate(expression, binding);
  }

  const Machine& machine_;
  LineariseBy by_;
  symbolic::Binding binding_;
  std::vector<const machine::MemoryLevel*> caches_;
  std::vector<Expression> misses_;
  Expression transfer_, faults_;
};

Result<void> no_count_of_that_name(const Runs& runs, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (std::ranges::find(runs.counts, name) != runs.counts.end())
      return Error{"there is a count " + name + " already, and the arrays would give one", runs.where,
                   "leave it out with --counts, or do not linearise"};
  return {};
}

}  // namespace

Result<void> linearise(Runs& runs, std::vector<Run>& asked, const Machine& machine, LineariseBy by) {
  if (runs.arrays.empty())
    return Error{"no array is given, so there is nothing to linearise", runs.where,
                 "give columns footprint_NAME and traffic_NAME: bytes of an array that a process holds, and "
                 "that it moves"};
  const Linearised linearised(machine, by);
  PARCAST_TRY(linearised.has_what_is_asked());
  const std::vector<std::string> names = linearised.counts();
  PARCAST_TRY(no_count_of_that_name(runs, names));
  std::vector<Run*> all;
  for (Run& run : runs.runs) all.push_back(&run);
  for (Run& run : asked) all.push_back(&run);
  std::vector<std::vector<double>> counts;
  std::vector<double> most(names.size(), 0.0);
  for (Run* run : all) {
    auto counted = linearised.count(*run);
    if (!counted)
      return Error{counted.error().what, run->place + ", " + counted.error().where, counted.error().hint};
    for (std::size_t j = 0; j < names.size(); ++j) most[j] = std::max(most[j], (*counted)[j]);
    counts.push_back(*std::move(counted));
  }
  std::vector<std::string> absent;
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (!(most[j] > 0)) {
      absent.push_back(names[j]);
      continue;
    }
    runs.counts.push_back(names[j]);
    for (std::size_t i = 0; i < all.size(); ++i) all[i]->counts.push_back(counts[i][j]);
  }
  if (runs.counts.empty())
    return Error{"no array misses any cache of " + machine.name + ", and there is no other count", runs.where,
                 "add counts of operations, or runs with larger arrays"};
  runs.linearised_on = machine.name;
  linearised.note(runs.notes);
  if (!absent.empty()) runs.notes.push_back("no run has any " + join(absent, ", ") + ": left out");
  constexpr std::size_t kShown = 5;
  std::size_t exceeded = 0;
  for (const Run* run : all)
    if (run->memory_exceeded && ++exceeded <= kShown) runs.warnings.push_back(linearised.exceeded(*run));
  if (exceeded > kShown)
    runs.warnings.push_back("MEMORY EXCEEDED in " + std::to_string(exceeded - kShown) + " more runs");
  return {};
}

}  // namespace parcast::regress
