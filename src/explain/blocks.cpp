// SPDX-License-Identifier: Apache-2.0
#include "explain/blocks.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "model/work.h"
#include "predict/equation/regions.h"

namespace parcast::explain {
namespace {

using predict::SolvedFormulas;
using predict::Term;
using predict::TermValue;

// Returns the terms of computing and memory by segment, in the order of the solution's terms.
std::map<std::int32_t, std::vector<std::size_t>> terms_of_segments(const SolvedFormulas& solution) {
  std::map<std::int32_t, std::vector<std::size_t>> out;
  for (std::size_t t = 0; t < solution.terms.size(); ++t) {
    const TermValue& term = solution.terms[t];
    if (term.segment >= 0 && (term.part == Term::Part::compute || term.part == Term::Part::memory))
      out[term.segment].push_back(t);
  }
  return out;
}

// Returns the executions of the blocks; nothing if one of them has no value there.
std::optional<std::vector<double>> counts_at(const std::vector<program::Work::Executions>& executions,
                                             const symbolic::Binding& binding) {
  std::vector<double> counts;
  for (const program::Work::Executions& each : executions) {
    const auto value = symbolic::evaluate(each.count, binding);
    if (!value || !std::isfinite(*value)) return std::nullopt;
    counts.push_back(std::max(0.0, *value));
  }
  return counts;
}

}  // namespace

std::vector<BlockContribution> block_contributions(const program::Model& model,
                                                   const SolvedFormulas& solution) {
  if (model.blocks.empty()) return {};
  std::vector<BlockContribution> blocks(model.blocks.size()), rest;
  std::map<std::int32_t, predict::Leaf> leaves;
  for (predict::Leaf& leaf : predict::leaves(model, solution.terms))
    if (leaf.segment >= 0) leaves[leaf.segment] = std::move(leaf);
  double all = 0;
  for (const TermValue& term : solution.terms) all += term.value;
  for (const auto& [segment, terms] : terms_of_segments(solution)) {
    double seconds = 0;
    for (const std::size_t t : terms) seconds += solution.terms[t].value;
    // Evaluated for the slowest rank of the segment.
    const std::size_t first = terms.front();
    const symbolic::Binding& at =
        solution.bindings[first < solution.chosen.size() ? solution.chosen[first] : 0];
    const std::vector<program::Work::Executions> executions =
        program::executions_in(model, static_cast<std::size_t>(segment));
    const auto counts = counts_at(executions, at);
    std::vector<double> weights;
    double sum = 0;
    for (std::size_t k = 0; counts && k < executions.size(); ++k) {
      weights.push_back(
          (*counts)[k] *
          program::weight_of(model.blocks[static_cast<std::size_t>(executions[k].block)].operations));
      sum += weights.back();
    }
    if (!(sum > 0)) {
      const predict::Leaf& leaf = leaves.at(segment);
      rest.push_back({-1, leaf.path, leaf.where, std::nullopt, 0, seconds, 0});
      continue;
    }
    for (std::size_t k = 0; k < executions.size(); ++k) {
      BlockContribution& block = blocks[static_cast<std::size_t>(executions[k].block)];
      block.executions += (*counts)[k];
      block.seconds += seconds * weights[k] / sum;
      block.tier = std::max(block.tier.value_or(executions[k].tier), executions[k].tier);
    }
  }
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const program::Block& of = model.blocks[b];
    blocks[b].block = static_cast<std::int32_t>(b);
    blocks[b].function = of.function;
    blocks[b].where = of.where;
  }
  blocks.insert(blocks.end(), std::make_move_iterator(rest.begin()), std::make_move_iterator(rest.end()));
  // The cost of mispredicted branches belongs to the block that they end.
  std::erase_if(blocks, [&](const BlockContribution& block) {
    return !(block.seconds > 0) &&
           (!(block.executions > 0) ||
            (block.block >= 0 && model.blocks[static_cast<std::size_t>(block.block)].operations.contains(
                                     program::kMispredicted)));
  });
  for (BlockContribution& block : blocks) block.share = all > 0 ? block.seconds / all : 0;
  std::ranges::stable_sort(blocks, std::ranges::greater{}, &BlockContribution::seconds);
  return blocks;
}

std::map<std::optional<program::CountTier>, double> shares_by_tier(
    const std::vector<BlockContribution>& blocks) {
  std::map<std::optional<program::CountTier>, double> shares;
  double all = 0;
  for (const BlockContribution& block : blocks) shares[block.tier] += block.seconds, all += block.seconds;
  for (auto& [tier, share] : shares) share = all > 0 ? share / all : 0;
  return shares;
}

}  // namespace parcast::explain
