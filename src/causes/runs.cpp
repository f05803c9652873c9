// SPDX-License-Identifier: Apache-2.0
#include "causes/runs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/text.h"

namespace parcast::causes {
namespace {

constexpr std::array<std::string_view, 3> kKinds{"computation", "communication", "idle"};

Result<void> check_phase(const Run& run, const Phase& phase, const std::vector<Variable>& variables) {
  const std::string where = point_text(run) + ", process " + std::to_string(phase.process);
  if (phase.process < 0 || phase.process >= run.processes)
    return Error{
        "there is no process " + std::to_string(phase.process) + " among " + std::to_string(run.processes),
        point_text(run), "processes are numbered from 0"};
  if (!std::isfinite(phase.seconds) || phase.seconds < 0)
    return Error{"a phase takes " + format_exact(phase.seconds) + " seconds", where, "times are 0 or more"};
  if (phase.values.size() != variables.size())
    return Error{"a phase has " + std::to_string(phase.values.size()) + " values of " +
                     std::to_string(variables.size()) + " variables",
                 where, "give each variable a value, or leave it empty: not measured"};
  for (std::size_t i = 0; i < variables.size(); ++i)
    if (!std::isnan(phase.values[i]) && (!std::isfinite(phase.values[i]) || phase.values[i] < 0))
      return Error{variables[i].name + " is " + format_exact(phase.values[i]), where, "counts are 0 or more"};
  return {};
}

Result<void> check_run(const Run& run, const std::vector<Variable>& variables) {
  if (run.processes < 1) return Error{"a run has no processes", point_text(run), "p is at least 1"};
  if (run.phases.empty()) return Error{"a run has no phases", point_text(run), "leave it out"};
  std::set<std::int32_t> seen;
  for (const Phase& phase : run.phases) {
    PARCAST_TRY(check_phase(run, phase, variables));
    seen.insert(phase.process);
  }
  if (seen.size() != static_cast<std::size_t>(run.processes))
    return Error{"only " + std::to_string(seen.size()) + " of " + std::to_string(run.processes) +
                     " processes have phases",
                 point_text(run),
                 "give each process at least one row; runs at the same point need names of their own"};
  if (!(longest(run) > 0)) return Error{"a run takes no time", point_text(run), "leave it out"};
  return {};
}

}  // namespace

std::string_view to_string(Kind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

std::optional<Kind> kind_named(std::string_view name) {
  const auto at = std::find(kKinds.begin(), kKinds.end(), name);
  if (at == kKinds.end()) return std::nullopt;
  return static_cast<Kind>(at - kKinds.begin());
}

std::string_view brought_about_by(std::string_view event) {
  return event == "context_switches" || event == "page_faults" ? "major_faults" : "";
}

std::string to_string(const PhaseClass& phase) {
  return std::string(to_string(phase.kind)) + (phase.name.empty() ? "" : " " + phase.name);
}

std::vector<PhaseClass> phase_classes(const Runs& runs) {
  std::set<PhaseClass> found;
  for (const Run& run : runs.runs)
    for (const Phase& phase : run.phases) found.insert({phase.kind, phase.name});
  return {found.begin(), found.end()};
}

std::string point_text(const Run& run) {
  std::string text;
  for (const auto& [name, value] : run.parameters) text += name + " = " + format_exact(value) + ", ";
  return text + "p = " + std::to_string(run.processes);
}

Result<void> check(const Runs& runs) {
  for (const Run& run : runs.runs) PARCAST_TRY(check_run(run, runs.variables));
  return {};
}

std::vector<double> seconds_by_process(const Run& run) {
  std::vector<double> seconds(static_cast<std::size_t>(run.processes));
  for (const Phase& phase : run.phases) seconds[static_cast<std::size_t>(phase.process)] += phase.seconds;
  return seconds;
}

std::vector<double> seconds_by_process(const Run& run, Kind kind) {
  std::vector<double> seconds(static_cast<std::size_t>(run.processes));
  for (const Phase& phase : run.phases)
    if (phase.kind == kind) seconds[static_cast<std::size_t>(phase.process)] += phase.seconds;
  return seconds;
}

double longest(const Run& run) {
  const std::vector<double> seconds = seconds_by_process(run);
  return seconds.empty() ? 0 : *std::max_element(seconds.begin(), seconds.end());
}

}  // namespace parcast::causes
