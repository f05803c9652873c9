// SPDX-License-Identifier: Apache-2.0
#include "report/blocks_shares.h"

#include <vector>

namespace parcast::report {

using program::BlockEquation;
using program::ProgramEquations;
using symbolic::Expression;

std::map<program::CountTier, TierShares> shares_of(const ProgramEquations& equations) {
  std::map<program::CountTier, TierShares> shares;
  double all = 0;
  for (const BlockEquation& block : equations.blocks) all += block.seen;
  for (const BlockEquation& block : equations.blocks) {
    TierShares& of = shares[block.tier];
    ++of.blocks;
    of.executions += all > 0 ? block.seen / all : 0;
    of.work += block.share;
  }
  for (const program::LoopEquation& loop : equations.loops) ++shares[loop.tier].loops;
  return shares;
}

std::map<std::string, Expression> operations_of(const ProgramEquations& equations) {
  std::map<std::string, std::vector<Expression>> terms;
  for (const BlockEquation& block : equations.blocks)
    for (const auto& [name, count] : block.operations)
      terms[name].push_back(Expression(count) * block.executions);
  std::map<std::string, Expression> sums;
  for (const auto& [name, of] : terms) sums[name] = symbolic::sum_of(of);
  return sums;
}

}  // namespace parcast::report
