// SPDX-License-Identifier: Apache-2.0
#include "predict/table_placement.h"

#include <set>

#include "machine/placement.h"
#include "predict/question.h"
#include "recording/uneven.h"

namespace parcast::predict {
namespace {

using machine::Spread;

bool is_collective(const program::Node& node) {
  return node.kind == program::NodeKind::call && (node.call_class == recording::CallClass::collective ||
                                                  node.call_class == recording::CallClass::start_collective);
}

/// Returns the number of processes at which the call's table is read; 0: no table prices it.
double members_of(const program::Node& node, const symbolic::Binding& at, std::int32_t processes) {
  const symbolic::Expression& members = node.members.expression;
  if (node.pattern == recording::Pattern::neighbourhood)
    return members == symbolic::Expression(machine::kTabledNeighbours) ? processes : 0;
  if (members.is_zero()) return processes;
  const auto value = symbolic::evaluate(members, at);
  return value ? *value : 0;
}

std::string how_to_measure(const Placement& asked) {
  if (asked.nodes == 1)
    return "measure that too, on one node: parcast calibrate -o OTHER.machine.toml --launcher 'mpirun -n "
           "{p}', in a job of Slurm 'srun -N 1 -n {p}'";
  const std::string each = std::to_string(asked.ranks_per_node);
  return "measure that too: parcast calibrate -o OTHER.machine.toml --launcher 'mpirun --map-by ppr:" + each +
         ":node -n {p}' (MPICH 'mpirun -ppn " + each + " -n {p}', Slurm 'srun --ntasks-per-node=" + each +
         " -n {p}')";
}

}  // namespace

std::vector<Warning> placement_warnings(const program::Model& model, const machine::Machine& machine,
                                        const Question& question) {
  const std::int32_t processes = question.point.processes;
  if (machine.placements.empty() || processes < 2) return {};
  const auto binding = program::bind(model, question.point, 0);
  if (!binding) return {};
  const Placement asked = place(machine, question);
  const Spread spread = machine::spread_of(asked.nodes, asked.ranks_per_node);
  std::map<std::string, std::set<std::string>> tables;  // by the placement of their measurement
  for (const program::Node& node : model.nodes) {
    const machine::PatternCost* table =
        is_collective(node) ? machine::table_for(machine, node.pattern, recording::is_uneven(node.label))
                            : nullptr;
    if (!table) continue;
    const double members = members_of(node, *binding, processes);
    if (members < 2 || (members < processes && spread == Spread::several_per_node)) continue;
    if (const auto measured = machine::placed_otherwise(machine, *table, members, spread))
      tables[machine::spread_text(measured->nodes, measured->ranks_per_node)].insert(table->name);
  }
  std::vector<Warning> out;
  for (const auto& [measured, names] : tables)
    out.push_back({"other-placement",
                   join(std::vector<std::string>(names.begin(), names.end()), ", ") +
                       (names.size() == 1 ? " was" : " were") + " measured on " + machine.name + " with " +
                       measured + ", not with " + machine::spread_text(asked.nodes, asked.ranks_per_node),
                   how_to_measure(asked),
                   join(std::vector<std::string>(names.begin(), names.end()), ", "),
                   {{"nodes", asked.nodes}, {"ranks_per_node", asked.ranks_per_node}}});
  return out;
}

PlacementWarnings::PlacementWarnings(const program::Model& model, const machine::Machine& machine)
    : model_(model), machine_(machine) {
  std::set<std::string> names;
  bool depends_on_grid = false;
  for (const program::Node& node : model.nodes) {
    if (!is_collective(node)) continue;
    for (const symbolic::Expression& symbol : free_symbols(node.members.expression)) {
      names.insert(symbol.name());
      depends_on_grid =
          depends_on_grid || (symbol.kind() != symbolic::SymbolKind::parameter && symbol.name() != "p");
    }
  }
  for (const program::Parameter& parameter : model.parameters)
    if (depends_on_grid || names.contains(parameter.name)) parameters_.push_back(parameter.name);
}

std::vector<Warning> PlacementWarnings::at(const Question& question) const {
  if (machine_.placements.empty() || question.point.processes < 2) return {};
  std::vector<double> key{static_cast<double>(question.point.processes),
                          static_cast<double>(question.ranks_per_node.value_or(0)),
                          static_cast<double>(question.threads)};
  for (const std::string& name : parameters_) key.push_back(question.point.parameters.at(name));
  const std::lock_guard lock(guard_);
  const auto [known, is_new] = known_.try_emplace(std::move(key));
  if (is_new) known->second = placement_warnings(model_, machine_, question);
  return known->second;
}

}  // namespace parcast::predict
