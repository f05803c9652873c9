// SPDX-License-Identifier: Apache-2.0
#include "pass/shape.h"

#include <algorithm>

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace parcast::pass {
namespace {

using namespace llvm;

// Returns whether a library function calls a function passed to it, does not return, or returns twice.
bool calls_back_or_ends(LibFunc function) {
  switch (function) {
    case LibFunc_qsort:
    case LibFunc_fork:
    case LibFunc_execl:
    case LibFunc_execle:
    case LibFunc_execlp:
    case LibFunc_execv:
    case LibFunc_execvP:
    case LibFunc_execve:
    case LibFunc_execvp:
    case LibFunc_execvpe:
      return true;
    default:
      return false;
  }
}

// Functions of the C library return to their caller unless they end the process or jump. MPI functions do,
// too, but the code before and after them may be counted separately (formats/facts.md).
bool returns_in_library(const CallBase& call, const TargetLibraryInfo& library) {
  const Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration()) return false;
  LibFunc function;
  if (!library.getLibFunc(*callee, function) || call.doesNotReturn() || calls_back_or_ends(function))
    return false;
  return callee->getName().starts_with("_Z") ? call.doesNotThrow() : true;  // C++'s operator new may throw
}

bool surely_ends(const BasicBlock& block, const TargetLibraryInfo& library) {
  return std::all_of(block.begin(), block.end(),
                     [&](const Instruction& instruction) { return surely_continues(instruction, library); });
}

// Returns whether nothing is counted at the block's end. Such an end is never reached, or follows a call in
// tail position. Or it is a return after a call that may not come back: both lead outside, so that no block's
// count depends on which happened.
bool ends_inside(const BasicBlock& block, const TargetLibraryInfo& library) {
  return isa<UnreachableInst>(block.getTerminator()) || block.getTerminatingMustTailCall() ||
         (isa<ReturnInst>(block.getTerminator()) && !surely_ends(block, library));
}

bool may_leave(const BasicBlock& block, const TargetLibraryInfo& library) {
  return !ends_inside(block, library) && !surely_ends(block, library);
}

bool can_be_split(const BasicBlock& from, const BasicBlock& to) {
  return !to.isEHPad() && !isa<IndirectBrInst, CallBrInst>(from.getTerminator());
}

}  // namespace

bool surely_continues(const Instruction& instruction, const TargetLibraryInfo& library) {
  const auto* call = dyn_cast<CallBase>(&instruction);
  if (!call) return !isa<ResumeInst, UnreachableInst, CleanupReturnInst, CatchReturnInst>(instruction);
  return isGuaranteedToTransferExecutionToSuccessor(&instruction) || returns_in_library(*call, library);
}

Shape shape_of(Function& function, const BlockFrequencyInfo& frequencies,
               const BranchProbabilityInfo& probabilities, const TargetLibraryInfo& library) {
  Shape shape;
  for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&function)) {
    shape.number[block] = static_cast<int>(shape.blocks.size());
    shape.blocks.push_back(block);
  }
  shape.in_place = function.callsFunctionThatReturnsTwice();
  const double once = static_cast<double>(frequencies.getBlockFreq(&function.getEntryBlock()).getFrequency());
  const auto often = [&](const BasicBlock* block) {
    return static_cast<double>(frequencies.getBlockFreq(block).getFrequency()) / (once > 0 ? once : 1);
  };
  const auto entry = [](int block) { return 1 + 2 * block; };
  const auto end = [](int block) { return 2 + 2 * block; };
  const auto add = [&](facts::Arc arc, ArcKind kind, int from, int to) {
    shape.arcs.push_back(arc);
    shape.kinds.push_back(kind);
    shape.ends.emplace_back(from, to);
  };
  const int blocks = static_cast<int>(shape.blocks.size());
  std::vector<bool> leaves(blocks);
  for (int i = 0; i < blocks; ++i) {
    const BasicBlock& block = *shape.blocks[i];
    leaves[i] = may_leave(block, library);
    if (isa<IndirectBrInst, CallBrInst, CatchSwitchInst>(block.getTerminator())) shape.in_place = true;
    add({entry(i), leaves[i] ? 0 : end(i), often(&block)}, ArcKind::block, i, i);
  }
  add({0, entry(0), often(shape.blocks[0])}, ArcKind::entry, -1, 0);
  for (int i = 0; i < blocks; ++i) {
    const BasicBlock& block = *shape.blocks[i];
    const bool invokes = isa<InvokeInst>(block.getTerminator());
    if (leaves[i] && !invokes) add({0, end(i), often(&block)}, ArcKind::resumption, i, i);
    const facts::Point from = leaves[i] && invokes ? 0 : end(i);
    SmallPtrSet<const BasicBlock*, 8> seen;
    for (unsigned k = 0; k < block.getTerminator()->getNumSuccessors(); ++k) {
      const BasicBlock* next = block.getTerminator()->getSuccessor(k);
      if (!seen.insert(next).second) continue;
      const int to = shape.number.lookup(next);
      const double cost = often(&block) *
                          static_cast<double>(probabilities.getEdgeProbability(&block, next).getNumerator()) /
                          BranchProbability::getDenominator();
      add({from, entry(to), cost, can_be_split(block, *next)}, ArcKind::edge, i, to);
    }
    if (seen.empty()) add({from, 0, often(&block), !ends_inside(block, library)}, ArcKind::leaving, i, -1);
  }
  return shape;
}

}  // namespace parcast::pass
