// SPDX-License-Identifier: Apache-2.0
#include "report/blocks_text.h"

#include "base/text.h"
#include "model/formula_text.h"
#include "report/blocks_shares.h"
#include "report/definitions.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using program::BlockEquation;
using program::ProgramEquations;

constexpr std::size_t kMostBlocks = 30;
constexpr double kSmallestBlockShare = 0.001;

// Returns the loops that teams of threads share, with their schedules; empty without such loops.
std::string shared_text(const ProgramEquations& equations, const Style& style) {
  Table table(
      {{"shared out by threads"}, {"schedule"}, {"function", Column::Align::left, Column::Shrink::cut_end}});
  for (const program::LoopEquation& loop : equations.loops) {
    if (!loop.shared) continue;
    table.add({facts::place_of(loop.at, loop.source) + (loop.chunks ? ", chunks" : ""), visible(*loop.shared),
               visible(demangled(loop.function))});
  }
  return table.empty() ? "" : table.text(style) + "\n";
}

// Returns the branches whose direction follows no rule; empty without such branches.
std::string branches_text(const ProgramEquations& equations, const Style& style, bool all) {
  constexpr std::size_t kMost = 10;
  Table table({{"branches by what was seen", Column::Align::right},
               {"taken", Column::Align::right},
               {"90 %"},
               {"function", Column::Align::left, Column::Shrink::cut_end},
               {"where", Column::Align::left, Column::Shrink::cut_front}});
  std::size_t rows = 0;
  for (const program::BranchEquation& branch : equations.branches) {
    if (!all && rows == kMost) break;
    ++rows;
    table.add({std::to_string(static_cast<std::int64_t>(branch.seen)), percent(branch.ratio.ratio),
               percent(branch.ratio.low) + " .. " + percent(branch.ratio.high) +
                   (branch.ratio.by_chance ? " if by chance" : ""),
               visible(demangled(branch.function)), facts::place_of(branch.at, branch.source)});
  }
  if (table.empty()) return "";
  const std::size_t more = equations.branches.size() - rows;
  return table.text(style) +
         (more > 0 ? dim(style, "  ... " + std::to_string(more) + " more, --all") + "\n" : "") + "\n";
}

}  // namespace

std::string quantities_text(std::span<const program::Quantity> quantities, const Style& style) {
  Table table({{"derived quantity"},
               {"is", Column::Align::left, Column::Shrink::cut_end},
               {"in counts", Column::Align::right},
               {"share", Column::Align::right}});
  for (const program::Quantity& each : quantities)
    table.add({visible(each.name), program::formula_text(each.expression), std::to_string(each.counts),
               percent(each.share)});
  return table.empty() ? "" : "\n" + table.text(style);
}

std::string blocks_text(const ProgramEquations& equations, const Style& style, bool all) {
  std::string out = bold(style, visible(equations.program)) + ", " +
                    counted(static_cast<std::int64_t>(equations.blocks.size()), "block") + " and " +
                    counted(static_cast<std::int64_t>(equations.loops.size()), "loop") + " were executed\n\n";
  Table tiers({{"counts are"},
               {"blocks", Column::Align::right},
               {"executions", Column::Align::right},
               {"work", Column::Align::right},
               {"loops", Column::Align::right}});
  for (const auto& [tier, share] : shares_of(equations))
    tiers.add({std::string(to_string(tier)), std::to_string(share.blocks), percent(share.executions),
               percent(share.work), std::to_string(share.loops)});
  out += tiers.text(style) + "\n";
  Table table({{"work", Column::Align::right},
               {"executions of a process in a run", Column::Align::left, Column::Shrink::cut_end},
               {"found"},
               {"width", Column::Align::right},
               {"function", Column::Align::left, Column::Shrink::cut_end},
               {"where", Column::Align::left, Column::Shrink::cut_front}});
  std::size_t left_out = 0;
  const auto quantities = program::derived_quantities(equations);
  for (std::size_t i = 0; i < equations.blocks.size(); ++i) {
    const BlockEquation& block = equations.blocks[i];
    if (!all && (i >= kMostBlocks || block.share < kSmallestBlockShare)) {
      ++left_out;
      continue;
    }
    table.add(
        {percent(block.share), program::formula_text(program::with_names(block.executions, quantities)),
         std::string(to_string(block.tier)) + (block.ambiguous ? "?" : "") + (block.polling ? ", polls" : ""),
         block.width ? std::to_string(*block.width) : "", visible(demangled(block.function)), block.where});
  }
  out += table.text(style);
  if (left_out > 0) out += dim(style, "  ... " + std::to_string(left_out) + " more, --all") + "\n";
  out += quantities_text(quantities, style) + "\n" + shared_text(equations, style) +
         branches_text(equations, style, all);
  for (const program::Notice& notice : equations.notices)
    out += "  ! " + visible(notice.text) + "; " + visible(notice.hint) + "\n";
  return out;
}

std::string blocks_in(const ProgramEquations& equations, symbolic::Language language) {
  Definitions out(language);
  out.comment(
      equations.program +
      ": executions of each basic block, and operations, of a process in a run; p processes, r the rank");
  for (std::size_t i = 0; i < equations.blocks.size(); ++i) {
    const BlockEquation& block = equations.blocks[i];
    out.comment("block " + std::to_string(block.block) + " of " + demangled(block.function) + ", " +
                block.where + ": " + std::string(to_string(block.tier)));
    out.add("block_" + std::to_string(i + 1), block.executions);
  }
  for (const auto& [name, sum] : operations_of(equations)) out.add(name, sum);
  return out.text();
}

}  // namespace parcast::report
