// SPDX-License-Identifier: Apache-2.0
#include "source/counts/block_counts.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "source/counts/call_order.h"

namespace parcast::program {
namespace {

using facts::Formula;
using facts::Function;
using facts::FunctionPlace;
using symbolic::Expression;

std::map<FunctionPlace, std::vector<bool>> executed_blocks(const std::vector<facts::Module>& modules,
                                                           const std::vector<Sighting>& sightings) {
  std::map<FunctionPlace, std::vector<bool>> executed;
  for (int m = 0; m < static_cast<int>(modules.size()); ++m)
    for (int f = 0; f < static_cast<int>(modules[m].functions.size()); ++f) {
      const Function& function = modules[m].functions[f];
      std::vector<bool>& blocks = executed[{m, f}];
      blocks.resize(function.blocks.size());
      for (const Sighting& sighting : sightings)
        if (const auto counts = sighting.modules.find(modules[m].id); counts != sighting.modules.end()) {
          const std::vector<std::uint64_t> executions =
              facts::block_executions(function, counts->second->counters);
          for (std::size_t b = 0; b < blocks.size(); ++b) blocks[b] = blocks[b] || executions[b] > 0;
        }
    }
  return executed;
}

// Returns the dimensions of the process grids that the program creates.
std::set<int> grid_dimensions(const std::vector<facts::Module>& modules) {
  std::set<int> dimensions;
  for (const facts::Module& module : modules)
    for (const Function& function : module.functions)
      for (const facts::Call& call : function.calls) {
        if (call.to != "MPI_Cart_create" && call.to != "MPI_Dims_create") continue;
        if (call.arguments.size() < 2 || !call.arguments[1]) continue;
        const facts::Node& node = function.nodes[static_cast<std::size_t>(*call.arguments[1])];
        if (node.operation == facts::Operation::integer && node.number >= 1 && node.number <= kMostDimensions)
          dimensions.insert(static_cast<int>(node.number));
      }
  return dimensions;
}

}  // namespace

BlockCounts::BlockCounts(const std::vector<facts::Module>& modules, const std::vector<Sighting>& all,
                         InputSymbols symbols, std::vector<std::string> parameters)
    : modules_(modules),
      all_(all),
      parameters_(std::move(parameters)),
      executed_(executed_blocks(modules, all)),
      dimensions_(grid_dimensions(modules)),
      symbols_([given = std::move(symbols), this](const facts::Input& input) -> std::optional<Expression> {
        if (input.kind == facts::InputKind::recognised)
          return recognised_[static_cast<std::size_t>(input.index)];
        return given(input);
      }),
      program_(
          modules,
          [this](FunctionPlace place, int block) {
            return executed_.at(place)[static_cast<std::size_t>(block)];
          },
          [this](FunctionPlace place, facts::NodeNumber node, const std::vector<Formula>& numbers) {
            return recognised(place, node, numbers);
          },
          [this](FunctionPlace place, int block) { return by_all(place, block); }) {
  polling_ = polling_blocks(modules, program_);
  find_familiar();
}

BlockCounts::~BlockCounts() = default;

Recognition& BlockCounts::recognition(const std::vector<const Sighting*>& sightings) const {
  std::vector<symbolic::Binding> processes;
  for (const Sighting* sighting : sightings) processes.push_back(sighting->values);
  std::unique_ptr<Recognition>& known = recognitions_[processes];
  if (!known) known = std::make_unique<Recognition>(parameters_, processes, dimensions_, familiar_);
  return *known;
}

std::vector<const Sighting*> BlockCounts::every() const {
  std::vector<const Sighting*> all;
  for (const Sighting& sighting : all_) all.push_back(&sighting);
  return all;
}

void BlockCounts::find_familiar() {
  std::vector<Factor> found;
  for (const auto& [place, executed] : executed_)
    for (const facts::Probe& probe : program_.at(place).probes)
      if (const auto values = stable(place, probe.probe))
        for (const Factor& part : recognition(every()).parts_in(*values))
          if (std::ranges::find(found, part) == found.end()) found.push_back(part);
  familiar_ = std::move(found);
  recognitions_.clear();
}

// Runs are identified by their inputs and their numbers of processes.
bool BlockCounts::by_all(FunctionPlace place, int block) const {
  const auto [known_one, is_new] = by_all_.try_emplace({place, block}, true);
  if (!is_new) return known_one->second;
  std::set<std::string> of_process;
  const auto note = [&](const facts::Input& input) {
    if (const auto symbol = symbols_(input); symbol && symbol->operation() == symbolic::Operation::symbol)
      of_process.insert(symbol->name());
  };
  note({facts::InputKind::rank});
  for (int dimensions = 1; dimensions <= kMostDimensions; ++dimensions)
    for (int d = 0; d < dimensions; ++d) note({facts::InputKind::grid_coordinate, d, dimensions});
  const facts::Module& module = modules_[static_cast<std::size_t>(place.module)];
  std::map<symbolic::Binding, bool> known;
  for (const Sighting& sighting : all_) {
    symbolic::Binding run = sighting.values;
    for (const std::string& name : of_process) run.erase(name);
    const auto counts = sighting.modules.find(module.id);
    const bool executed =
        counts != sighting.modules.end() &&
        facts::block_executions(module.functions[static_cast<std::size_t>(place.function)],
                                counts->second->counters)[static_cast<std::size_t>(block)] > 0;
    const auto [at, fresh] = known.try_emplace(std::move(run), executed);
    if (!fresh && at->second != executed) return known_one->second = false;
  }
  return true;
}

// Returns the value of a probe by process, empty where the probe recorded none. Returns nothing if the value
// changed in any process.
std::optional<Recognition::Values> BlockCounts::stable(FunctionPlace place, std::uint64_t probe) const {
  Recognition::Values values;
  for (const Sighting& sighting : all_) {
    values.emplace_back();
    const auto counts = sighting.modules.find(modules_[static_cast<std::size_t>(place.module)].id);
    if (counts == sighting.modules.end()) continue;
    const auto& [value, changes, least, most] = counts->second->probes.at(probe);
    if (changes > 1) return std::nullopt;
    if (changes == 1) values.back() = static_cast<std::int64_t>(value);
  }
  return values;
}

// Returns what a node's value may be, if it was constant in each process that observed it. Returns nothing if
// it is one of the constants that the program itself stores.
std::vector<Formula> BlockCounts::recognised(FunctionPlace place, facts::NodeNumber node,
                                             const std::vector<Formula>& numbers) const {
  const facts::Module& module = modules_[static_cast<std::size_t>(place.module)];
  const Function& function = module.functions[static_cast<std::size_t>(place.function)];
  const auto probe = std::ranges::find(function.probes, node, &facts::Probe::node);
  const unsigned bits = function.nodes[static_cast<std::size_t>(node)].bits;
  if (probe == function.probes.end() || bits == 0 || bits > 64) return {};
  const auto values = stable(place, probe->probe);
  if (!values) return {};
  for (const Formula& number : numbers)
    if (const auto is = facts::evaluate(number, {});
        is && !is->is_real &&
        std::ranges::all_of(*values, [&](const auto& value) { return !value || *value == is->whole; }))
      return {};
  std::vector<Formula> formulas;
  for (const Recognition::Found& found : recognition(every()).size(*values)) {
    auto known = std::ranges::find(recognised_, found.expression);
    if (known == recognised_.end()) known = recognised_.insert(recognised_.end(), found.expression);
    formulas.push_back(
        facts::input({facts::InputKind::recognised, static_cast<int>(known - recognised_.begin()), 0}, bits));
  }
  return formulas;
}

// Sums the executions of the blocks that every run executes and that do not poll.
std::map<const Sighting*, double> BlockCounts::executions_together(
    const std::vector<Sighting>& sightings) const {
  std::map<const Sighting*, double> together;
  std::vector<const Sighting*> pointers;
  for (const Sighting& sighting : sightings) pointers.push_back(&sighting);
  const Recognition& runs = recognition(pointers);
  if (!runs.grows()) return together;
  for (const auto& [place, blocks] : executed_) {
    const facts::Module& module = modules_[static_cast<std::size_t>(place.module)];
    const Function& function = module.functions[static_cast<std::size_t>(place.function)];
    // by block and sighting
    std::vector<std::vector<double>> counts(blocks.size(), std::vector<double>(sightings.size()));
    for (std::size_t o = 0; o < sightings.size(); ++o) {
      const auto counted = sightings[o].modules.find(module.id);
      if (counted == sightings[o].modules.end()) continue;
      const std::vector<std::uint64_t> executions =
          facts::block_executions(function, counted->second->counters);
      for (std::size_t b = 0; b < blocks.size(); ++b) counts[b][o] = static_cast<double>(executions[b]);
    }
    for (std::size_t b = 0; b < blocks.size(); ++b)
      if (runs.in_every_run(counts[b]) && !polling_.contains({place, static_cast<int>(b)}))
        for (std::size_t o = 0; o < sightings.size(); ++o) together[pointers[o]] += counts[b][o];
  }
  return together;
}

PlaceCounts BlockCounts::at(const std::vector<Sighting>& sightings,
                            const std::optional<Expression>& visits) const {
  const Surroundings surroundings{
      program_,
      symbols_,
      [this](const std::vector<const Sighting*>& of) -> Recognition& { return recognition(of); },
      visits,
      executions_together(sightings),
      polling_};
  CallOrder::Executed executed;
  for (const auto& [place, blocks] : executed_) {
    const facts::Module& module = modules_[static_cast<std::size_t>(place.module)];
    const Function& function = module.functions[static_cast<std::size_t>(place.function)];
    std::vector<Flows> flows;
    for (const Sighting& sighting : sightings) {
      const auto counts = sighting.modules.find(module.id);
      flows.push_back(counts == sighting.modules.end()
                          ? Flows(function.arcs.size())
                          : facts::arc_executions(function, counts->second->counters));
    }
    const bool any = std::ranges::any_of(flows, [](const Flows& f) {
      return std::ranges::any_of(f, [](const auto& flow) { return flow.value_or(0) > 0; });
    });
    if (any) executed[place] = std::move(flows);
  }
  CallOrder order(program_, executed);
  std::map<FunctionPlace, PlaceCounts> found;
  while (const auto next = order.next()) {
    const FunctionPlace place = next->function;
    const std::uint64_t id = modules_[static_cast<std::size_t>(place.module)].id;
    std::vector<Flows> flows;
    std::vector<const Sighting*> of;  // sightings that include the function
    for (std::size_t o = 0; o < sightings.size(); ++o)
      if (sightings[o].modules.contains(id)) {
        flows.push_back(executed[place][o]);
        of.push_back(&sightings[o]);
      }
    found[place] = function_counts(surroundings, place, of, std::move(flows), next->calls);
    order.given(place, found[place].blocks);
  }
  PlaceCounts all;
  for (auto& [place, counts] : found) {
    std::ranges::move(counts.blocks, std::back_inserter(all.blocks));
    std::ranges::move(counts.calls, std::back_inserter(all.calls));
    std::ranges::move(counts.loops, std::back_inserter(all.loops));
    std::ranges::move(counts.branches, std::back_inserter(all.branches));
    std::ranges::move(counts.sweeps, std::back_inserter(all.sweeps));
  }
  return all;
}

std::map<std::string, Expression> operations_per_visit(const std::vector<facts::Module>& modules,
                                                       const std::vector<BlockCount>& blocks) {
  std::map<std::string, std::vector<Expression>> terms;
  for (const BlockCount& block : blocks) {
    const Function& function = modules[static_cast<std::size_t>(block.function.module)]
                                   .functions[static_cast<std::size_t>(block.function.function)];
    for (const auto& [name, count] : function.blocks[static_cast<std::size_t>(block.block)].operations)
      terms[name].push_back(Expression(count) * block.per_visit);
  }
  std::map<std::string, Expression> sums;
  for (const auto& [name, of] : terms) sums[name] = symbolic::sum_of(of);
  return sums;
}

}  // namespace parcast::program
