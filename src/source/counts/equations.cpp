// SPDX-License-Identifier: Apache-2.0
#include "source/counts/equations.h"

#include <algorithm>
#include <set>

#include "model/binding.h"
#include "model/work.h"
#include "source/counts/counted_program.h"

namespace parcast::program {

using symbolic::Expression;

namespace {

constexpr double kBranchLevel = 0.9;

// Returns the width of the vectorised loop. For other blocks it is the largest average number of operations
// per instruction of one class.
std::optional<int> width_of(const facts::Function& function, const facts::Block& block) {
  const std::optional<int> of_loop =
      block.loop ? function.loops[static_cast<std::size_t>(*block.loop)].width : std::nullopt;
  if (of_loop && *of_loop > 1) return of_loop;
  std::int64_t most = 0;
  for (const auto& [name, packed] : block.packed)
    if (packed.instructions > 0) most = std::max(most, packed.operations / packed.instructions);
  return most > 1 ? std::optional(static_cast<int>(std::min(most, facts::kWidest))) : of_loop;
}

}  // namespace

Result<ProgramEquations> program_equations(const std::vector<recording::Recording>& recordings) {
  PARCAST_ASSIGN(const Inputs inputs, check_inputs(recordings));
  const Traces traces = reduce(recordings, inputs.order);
  const CountedProgram counted(recordings, inputs, traces);
  if (!counted.any()) {
    const std::string because = counted.notices().empty() ? "" : counted.notices().front().text;
    return Error{
        "nothing is known of the program's blocks" + (because.empty() ? "" : ": " + because), "",
        "compile it with parcast cc, cxx or fc in place of the compiler (-O1 at least) and record it again"};
  }
  if (!counted.finished()) {
    const std::string because =
        counted.notices().empty() ? "no process counted" : counted.notices().back().text;
    return Error{"nothing is known of how often blocks are executed: " + because, "",
                 "record a run that reaches MPI_Finalize"};
  }
  ProgramEquations all;
  all.program = recordings[inputs.order.front()].program;
  all.parameters = inputs.parameters;
  all.notices = counted.notices();
  const PlaceCounts& whole = counted.whole();
  double work = 0;
  for (const BlockCount& count : whole.blocks) {
    const facts::Module& module = counted.modules()[static_cast<std::size_t>(count.function.module)];
    const facts::Function& function = module.functions[static_cast<std::size_t>(count.function.function)];
    const facts::Block& block = function.blocks[static_cast<std::size_t>(count.block)];
    BlockEquation equation{module.source,
                           function.name,
                           count.block,
                           block.at,
                           facts::place_of(block.at, module.source),
                           block.operations,
                           counted.shortened(count.per_visit),
                           count.tier,
                           count.ambiguous,
                           0,
                           0,
                           block.packed,
                           width_of(function, block),
                           count.polling};
    equation.seen = counted.seen(count.function, count.block);
    equation.share = weight_of(block.operations) * equation.seen;
    work += equation.share;
    all.blocks.push_back(std::move(equation));
  }
  for (BlockEquation& equation : all.blocks) equation.share = work > 0 ? equation.share / work : 0;
  std::ranges::stable_sort(all.blocks, std::ranges::greater{}, &BlockEquation::share);
  for (const LoopCount& count : whole.loops) {
    const facts::Module& module = counted.modules()[static_cast<std::size_t>(count.function.module)];
    const facts::Function& function = module.functions[static_cast<std::size_t>(count.function.function)];
    const facts::Loop& loop = function.loops[static_cast<std::size_t>(count.loop)];
    all.loops.push_back({module.source, function.name, count.loop, loop.at, count.iterations, count.tier,
                         loop.width, loop.interleave, loop.shared, loop.chunks});
  }
  for (const BranchCount& count : whole.branches) {
    const facts::Module& module = counted.modules()[static_cast<std::size_t>(count.function.module)];
    const facts::Function& function = module.functions[static_cast<std::size_t>(count.function.function)];
    BranchEquation branch{module.source,
                          function.name,
                          count.block,
                          count.to,
                          function.blocks[static_cast<std::size_t>(count.block)].at,
                          branch_ratio(count.ways, kBranchLevel)};
    for (const Ways& ways : count.ways) branch.seen += static_cast<double>(ways.all);
    all.branches.push_back(std::move(branch));
  }
  std::ranges::stable_sort(all.branches, std::ranges::greater{}, &BranchEquation::seen);
  return all;
}

std::vector<Quantity> derived_quantities(const ProgramEquations& equations) {
  std::vector<Weighed> counts;
  for (const BlockEquation& block : equations.blocks) counts.push_back({block.executions, block.share});
  for (const LoopEquation& loop : equations.loops) counts.push_back({loop.iterations, 0});
  std::set<std::string> taken{equations.parameters.begin(), equations.parameters.end()};
  for (const auto& [name, kind] : symbol_kinds({})) taken.insert(name);
  return derived_quantities(counts, taken);
}

}  // namespace parcast::program
