// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "machine/cost.h"
#include "predict/simulate/platform.h"

namespace parcast::simulate {
namespace {

bool has_table(const machine::Machine& machine, recording::Pattern pattern) {
  if (pattern == recording::Pattern::none) return false;
  for (const machine::PatternCost& cost : machine.patterns)
    if (cost.pattern == pattern && !cost.pieces.empty()) return true;
  return false;
}

/// What goes beyond the table is said once for each pattern.
void note_range(const machine::CommunicationCost& cost, const MeasuredCollective& of, const std::string& machine, std::map<recording::Pattern, bool>& noted, Platform& platform) {
  const bool beyond = (cost.most_processes > 0 && of.members > cost.most_processes) || (cost.largest_bytes > 0 && static_cast<double>(of.bytes) > cost.largest_bytes);
  if (!beyond || noted[of.pattern]) return;
  noted[of.pattern] = true;
  platform.assumptions.push_back(std::string(machine::pattern_name(of.pattern)) + " was measured on " + machine + " for up to " + std::to_string(cost.most_processes) +
                                 " processes and " + std::to_string(static_cast<long long>(cost.largest_bytes)) + " bytes, and is taken to go on in a straight line");
}

}  // namespace

Result<void> take_measured_collectives(const machine::Machine& machine, const trace::Trace& trace, Platform& platform) {
  const symbolic::Binding binding = machine::cost_binding(machine);
  std::map<recording::Pattern, bool> noted;
  for (const trace::Operation& operation : trace.operations) {
    if (operation.kind != trace::Kind::collective || !has_table(machine, operation.pattern) || platform.collectives.contains(operation.pattern)) continue;
    const auto members = operation.communicator == 0 ? trace.ranks : static_cast<std::int32_t>(trace.communicators[operation.communicator].members.size());
    const MeasuredCollective key{operation.pattern, operation.bytes, members};
    if (platform.measured.contains(key)) continue;
    const auto cost = machine::collective(machine, operation.pattern, 1, symbolic::Expression(static_cast<std::int64_t>(operation.bytes)), members);
    PARCAST_ASSIGN(const double seconds, symbolic::evaluate(cost.startup + cost.transfer, binding));
    if (!(seconds >= 0) || seconds * 1e12 > static_cast<double>(trace::kLongest))
      return Error{"a collective of " + std::to_string(operation.bytes) + " bytes would take " + std::to_string(seconds) + " s by its table", machine.name, "check the table of " + std::string(machine::pattern_name(operation.pattern))};
    platform.measured.emplace(key, static_cast<Time>(std::nearbyint(seconds * 1e12)));
    note_range(cost, key, machine.name, noted, platform);
  }
  if (platform.network && !platform.measured.empty())
    platform.assumptions.push_back("collectives take the time measured for them, and share no links with messages; --collectives messages has them share");
  return {};
}

}  // namespace parcast::simulate
