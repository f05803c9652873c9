// SPDX-License-Identifier: Apache-2.0
#include "report/blocks_text.h"

#include <filesystem>
#include <set>

#include "base/text.h"
#include "report/blocks_shares.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using program::BlockEquation;
using program::ProgramEquations;
using symbolic::Expression;

constexpr std::size_t kMostBlocks = 30;
constexpr double kSmallestShare = 0.001;

std::string place_of(const std::vector<facts::SourceLine>& at, const std::string& source) {
  if (at.empty()) return std::filesystem::path(source).filename().string();
  return std::filesystem::path(at.front().file).filename().string() + ":" + std::to_string(at.front().line);
}

std::string comment(symbolic::Language language, const std::string& text) {
  const std::string line = visible(text);
  switch (language) {
    case symbolic::Language::latex: return "% " + line + "\n";
    case symbolic::Language::maple:
    case symbolic::Language::text: return "# " + line + "\n";
    default: return "// " + line + "\n";
  }
}

}  // namespace

std::string blocks_text(const ProgramEquations& equations, const Style& style, bool all) {
  std::string out = bold(style, visible(equations.program)) + ", " + counted(static_cast<std::int64_t>(equations.blocks.size()), "block") + " and " +
                    counted(static_cast<std::int64_t>(equations.loops.size()), "loop") + " were executed\n\n";
  Table tiers({{"counts are"}, {"blocks", Column::Align::right}, {"executions", Column::Align::right}, {"work", Column::Align::right}, {"loops", Column::Align::right}});
  for (const auto& [tier, share] : shares_of(equations))
    tiers.add({std::string(to_string(tier)), std::to_string(share.blocks), percent(share.executions), percent(share.work), std::to_string(share.loops)});
  out += tiers.text(style) + "\n";
  Table table({{"work", Column::Align::right}, {"executions of a process in a run", Column::Align::left, Column::Shrink::cut_end}, {"found"}, {"function", Column::Align::left, Column::Shrink::cut_end}, {"where", Column::Align::left, Column::Shrink::cut_front}});
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < equations.blocks.size(); ++i) {
    const BlockEquation& block = equations.blocks[i];
    if (!all && (i >= kMostBlocks || block.share < kSmallestShare)) {
      ++left_out;
      continue;
    }
    table.add({percent(block.share), symbolic::readable_text(block.executions), std::string(to_string(block.tier)) + (block.ambiguous ? "?" : ""),
               visible(block.function), place_of(block.at, block.source)});
  }
  out += table.text(style);
  if (left_out > 0) out += dim(style, "  ... " + std::to_string(left_out) + " more, --all") + "\n";
  out += "\n";
  for (const program::Notice& notice : equations.notices) out += "  ! " + notice.text + "; " + notice.hint + "\n";
  return out;
}

std::string blocks_in(const ProgramEquations& equations, symbolic::Language language) {
  std::string out = comment(language, equations.program + ": executions of each basic block, and operations, of a process in a run; p processes, r the rank");
  std::set<std::pair<std::string, std::string>> renamed;
  const auto add = [&](const std::string& name, const Expression& value) {
    const symbolic::Definition definition = symbolic::define(name, value, language);
    for (const auto& [from, to] : definition.renamed)
      if (renamed.insert({from, to}).second) out += comment(language, to + " is " + from);
    out += definition.text;
  };
  if (language == symbolic::Language::cpp) out += "#include <cmath>\n";
  for (std::size_t i = 0; i < equations.blocks.size(); ++i) {
    const BlockEquation& block = equations.blocks[i];
    out += comment(language, "block " + std::to_string(block.block) + " of " + block.function + ", " + place_of(block.at, block.source) + ": " + std::string(to_string(block.tier)));
    add("block_" + std::to_string(i + 1), block.executions);
  }
  for (const auto& [name, sum] : operations_of(equations)) add(name, sum);
  return out;
}

}  // namespace parcast::report
