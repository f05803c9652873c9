// SPDX-License-Identifier: Apache-2.0
#include "causes/overheads.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "statistics/growth.h"

namespace parcast::causes {
namespace {

/// Returns how long each process waits for the slowest one.
std::vector<double> waits_at_end(const Run& run) {
  std::vector<double> waits = seconds_by_process(run);
  const double last = *std::max_element(waits.begin(), waits.end());
  for (double& wait : waits) wait = last - wait;
  return waits;
}

double sum(const std::vector<double>& values) {
  double total = 0;
  for (const double value : values) total += value;
  return total;
}

/// Fits the growth of the time on one process with the parameters that all these runs have.
std::optional<Sequential> modelled(const std::vector<const Run*>& alone, const Run& run) {
  statistics::GrowthData data;
  for (const auto& [name, value] : run.parameters) data.arguments.push_back(name);
  for (const Run* one : alone) {
    std::vector<double> point;
    for (const auto& [name, value] : run.parameters) {
      const auto at = one->parameters.find(name);
      if (at == one->parameters.end()) return std::nullopt;
      point.push_back(at->second);
    }
    data.points.push_back(std::move(point));
    data.values.push_back(longest(*one));
  }
  const auto growth = statistics::fit_growth(data);
  if (!growth) return std::nullopt;
  std::vector<double> point;
  for (const auto& [name, value] : run.parameters) point.push_back(value);
  const statistics::GrowthPrediction predicted = growth->predict(point, 0.9);
  if (predicted.unidentified || !(predicted.value > 0)) return std::nullopt;
  return Sequential{predicted.value, Sequential::Basis::modelled, alone.size()};
}

std::map<std::string, double> without(std::map<std::string, double> parameters,
                                      const std::vector<std::string>& names) {
  for (const std::string& name : names) parameters.erase(name);
  return parameters;
}

}  // namespace

Overheads overheads(const Run& run, const Sequential& sequential) {
  std::map<PhaseClass, std::vector<double>> by_phase;
  const auto processes = static_cast<std::size_t>(run.processes);
  for (const Phase& phase : run.phases) {
    auto& seconds = by_phase[{phase.kind, phase.name}];
    seconds.resize(processes);
    seconds[static_cast<std::size_t>(phase.process)] += phase.seconds;
  }
  const std::vector<double> waits = waits_at_end(run);
  if (sum(waits) > 0) {
    auto& end = by_phase[{Kind::idle, std::string(kEnd)}];
    end.resize(processes);
    for (std::size_t i = 0; i < processes; ++i) end[i] += waits[i];
  }
  Overheads out{sequential, longest(run), 0, 0, {}};
  double total = 0;
  for (auto& [phase, seconds] : by_phase) {
    const double all = sum(seconds);
    out.phases.push_back({phase, all, all / sequential.seconds, std::move(seconds)});
    total += out.phases.back().ratio;
  }
  out.efficiency = 1 / total;
  out.speedup = run.processes * out.efficiency;
  return out;
}

double ratio_of(const Overheads& overheads, Kind kind) {
  return seconds_of(overheads, kind) / overheads.sequential.seconds;
}

double seconds_of(const Overheads& overheads, Kind kind) {
  double seconds = 0;
  for (const Overhead& overhead : overheads.phases)
    if (overhead.phase.kind == kind) seconds += overhead.seconds;
  return seconds;
}

std::vector<OverheadRow> tree_of(const Overheads& overheads) {
  // by path, which begins with the kind, in the order of kinds
  std::map<std::vector<std::string>, double> seconds;
  for (const Overhead& overhead : overheads.phases) {
    std::vector<std::string> path{std::to_string(static_cast<int>(overhead.phase.kind))};
    seconds[path] += overhead.seconds;
    if (overhead.phase.name.empty()) continue;
    for (const std::string& part : split(overhead.phase.name, '/')) {
      path.push_back(part);
      seconds[path] += overhead.seconds;
    }
  }
  std::vector<OverheadRow> rows;
  for (const auto& [path, sum] : seconds) {
    const bool kind = path.size() == 1;
    rows.push_back({path.size() - 1,
                    kind ? std::string(to_string(static_cast<Kind>(std::stoi(path[0])))) : path.back(), sum,
                    sum / overheads.sequential.seconds});
  }
  return rows;
}

/// Returns whether the product of these parameters is the number of processes in every run.
bool multiply_to_processes(const Runs& runs, const std::vector<std::string>& names) {
  return std::ranges::all_of(runs.runs, [&](const Run& run) {
    double product = 1;
    for (const std::string& name : names) {
      const auto at = run.parameters.find(name);
      if (at == run.parameters.end()) return false;
      product *= at->second;
    }
    return product == run.processes;
  });
}

std::vector<std::string> grid_parameters(const Runs& runs) {
  const bool varied = std::ranges::any_of(
      runs.runs, [&](const Run& run) { return run.processes != runs.runs.front().processes; });
  if (!varied) return {};
  std::vector<std::string> names;
  for (const auto& [name, value] : runs.runs.front().parameters) names.push_back(name);
  std::vector<std::vector<std::string>> sets(1);
  for (const std::size_t size : {1u, 2u, 3u}) {
    std::vector<std::vector<std::string>> larger;
    for (const auto& set : sets)
      for (const std::string& name : names) {
        if (!set.empty() && name <= set.back()) continue;
        larger.push_back(set);
        larger.back().push_back(name);
        if (larger.back().size() == size && multiply_to_processes(runs, larger.back())) return larger.back();
      }
    sets = std::move(larger);
  }
  return {};
}

std::vector<std::size_t> alone_at(const Runs& runs, const Run& run) {
  const std::vector<std::string> grid = grid_parameters(runs);
  const std::map<std::string, double> problem = without(run.parameters, grid);
  std::vector<std::size_t> alone;
  for (std::size_t i = 0; i < runs.runs.size(); ++i)
    if (runs.runs[i].processes == 1 && without(runs.runs[i].parameters, grid) == problem) alone.push_back(i);
  return alone;
}

std::optional<Sequential> sequential_of(const Runs& runs, const Run& run) {
  const std::vector<std::size_t> same = alone_at(runs, run);
  double seconds = 0;
  for (const std::size_t i : same) seconds += longest(runs.runs[i]);
  if (!same.empty())
    return Sequential{seconds / static_cast<double>(same.size()), Sequential::Basis::measured, same.size()};
  const std::vector<std::string> grid = grid_parameters(runs);
  Run problem = run;
  problem.parameters = without(run.parameters, grid);
  std::vector<const Run*> alone;
  for (const Run& other : runs.runs)
    if (other.processes == 1) alone.push_back(&other);
  if (alone.size() < 3 || problem.parameters.empty()) return std::nullopt;
  return modelled(alone, problem);
}

}  // namespace parcast::causes
