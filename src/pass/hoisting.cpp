// SPDX-License-Identifier: Apache-2.0
#include "pass/hoisting.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace parcast::pass {
namespace {

using namespace llvm;

// approximate number of instructions that may be spent before a loop to compute its rounds
constexpr unsigned kDearest = 12;
// largest scalar evolution that is examined, in nodes
constexpr unsigned kLargestSize = 40;

}  // namespace

Hoisting::Hoisting(const Shape& shape, LoopInfo& loops, ScalarEvolution& evolution,
                   const DominatorTree& dominators, const TargetLibraryInfo& library,
                   const TargetTransformInfo& target, SCEVExpander& expander)
    : loops_(loops), evolution_(evolution), dominators_(dominators), target_(target), expander_(expander) {
  const SmallVector<Loop*, 4> order = loops_.getLoopsInPreorder();
  for (Loop* loop : reverse(order)) {
    bool whole = true;
    for (const BasicBlock* block : loop->blocks()) {
      if (!shape.number.contains(block) || block->isEHPad() ||
          isa<InvokeInst, IndirectBrInst, CallBrInst>(block->getTerminator()))
        whole = false;
      for (const Instruction& instruction : *block)
        if (whole && !surely_continues(instruction, library)) whole = false;
      if (!whole) break;
    }
    whole_[loop] = whole;
  }
  if (shape.in_place) return;
  const BasicBlock* entry = shape.blocks[0];
  const ReversePostOrderTraversal<const BasicBlock*> blocks(entry);
  circles_ = containsIrreducibleCFG<const BasicBlock*>(blocks, loops_);
  for (Loop* loop : reverse(order))
    if (const std::optional<Rounds> found = find(loop)) rounds_[loop] = *found;
}

bool Hoisting::whole(const Loop* loop) const {
  return whole_.lookup(loop);
}

const Rounds* Hoisting::rounds(const Loop* loop) const {
  const auto found = rounds_.find(loop);
  return found == rounds_.end() ? nullptr : &found->second;
}

bool Hoisting::cheap(const SCEV* amount, BasicBlock* place, Loop* around) {
  if (amount->getExpressionSize() > kLargestSize) return false;
  Instruction* at = place->getTerminator();
  return expander_.isSafeToExpandAt(amount, at) &&
         !expander_.isHighCostExpansion(amount, around, kDearest, &target_, at);
}

// Returns the sum of `amount` over the rounds of a loop whose body is executed once more than the back edge.
const SCEV* Hoisting::over_all_rounds(const SCEV* amount, Loop* outer, const SCEV* rounds) const {
  Type* type = amount->getType();
  const SCEV* executions =
      evolution_.getAddExpr(evolution_.getTruncateOrZeroExtend(rounds, type), evolution_.getOne(type));
  if (evolution_.isLoopInvariant(amount, outer)) return evolution_.getMulExpr(amount, executions);
  const auto* recurrence = dyn_cast<SCEVAddRecExpr>(amount);
  if (!recurrence || recurrence->getLoop() != outer || recurrence->getNumOperands() > 3) return nullptr;
  SmallVector<const SCEV*, 4> operands{
      evolution_.getZero(type)};  // sums of {a, +, b} are values of {0, +, a, +, b}
  for (const SCEV* operand : recurrence->operands()) operands.push_back(operand);
  const auto* sums = dyn_cast<SCEVAddRecExpr>(evolution_.getAddRecExpr(operands, outer, SCEV::FlagAnyWrap));
  if (!sums) return nullptr;
  const SCEV* total = sums->evaluateAtIteration(executions, evolution_);
  return isa<SCEVCouldNotCompute>(total) ? nullptr : total;
}

std::optional<Rounds> Hoisting::find(Loop* loop) {
  if (!whole(loop) || !loop->getLoopPreheader() || !loop->getLoopLatch() ||
      !evolution_.hasLoopInvariantBackedgeTakenCount(loop))
    return std::nullopt;
  const SCEV* each = evolution_.getBackedgeTakenCount(loop);
  if (isa<SCEVCouldNotCompute>(each) || !each->getType()->isIntegerTy() ||
      each->getType()->getIntegerBitWidth() > 64)
    return std::nullopt;
  Type* wide = Type::getInt64Ty(loop->getHeader()->getContext());
  Rounds found{loop, each, evolution_.getTruncateOrZeroExtend(each, wide), loop->getLoopPreheader()};
  Loop* inside = loop;
  if (!cheap(found.total, found.place, loop)) return std::nullopt;
  while (Loop* outer = circles_ ? nullptr : inside->getParentLoop()) {
    BasicBlock* latch = outer->getLoopLatch();
    if (!whole(outer) || !outer->getLoopPreheader() || !latch || outer->getExitingBlock() != latch ||
        loops_.getLoopFor(found.place) != outer || !dominators_.dominates(found.place, latch))
      break;
    const SCEV* rounds = evolution_.getBackedgeTakenCount(outer);
    if (isa<SCEVCouldNotCompute>(rounds) || rounds->getType()->getIntegerBitWidth() > 64) break;
    const SCEV* total = over_all_rounds(found.total, outer, rounds);
    if (!total || !cheap(total, outer->getLoopPreheader(), outer)) break;
    found.total = total;
    found.place = outer->getLoopPreheader();
    inside = outer;
  }
  return found;
}

}  // namespace parcast::pass
