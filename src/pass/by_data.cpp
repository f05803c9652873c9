// SPDX-License-Identifier: Apache-2.0
#include "pass/by_data.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Argument.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace parcast::pass {

using namespace llvm;

namespace {

// What decides between the ways on from a block.
const Value* condition_of(const BasicBlock& block) {
  const Instruction* end = block.getTerminator();
  if (const auto* branch = dyn_cast<BranchInst>(end)) return branch->isConditional() ? branch->getCondition() : nullptr;
  if (const auto* choice = dyn_cast<SwitchInst>(end)) return choice->getCondition();
  if (const auto* jump = dyn_cast<IndirectBrInst>(end)) return jump->getAddress();
  return nullptr;
}

}  // namespace

bool ByData::decide(const BasicBlock& block) {
  const Value* condition = condition_of(block);
  if (!condition || !rests_on_data(condition)) return false;
  data_.insert(condition);
  return true;
}

bool ByData::is_data(const Instruction& instruction) const {
  if (const auto* load = dyn_cast<LoadInst>(&instruction)) {
    const Loop* loop = loops_.getLoopFor(load->getParent());
    return load->getType()->isFPOrFPVectorTy() || (loop && !loop->isLoopInvariant(load->getPointerOperand()));
  }
  return isa<CallBase>(instruction) && !isa<IntrinsicInst>(instruction);
}

// Between what comes from where, the branches before it decide.
void ByData::add_ways(const PHINode& phi, Values& open) const {
  const BasicBlock* here = phi.getParent();
  const DomTreeNode* node = dominators_.getNode(here);
  const BasicBlock* above = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  SmallPtrSet<const BasicBlock*, 16> seen{here};
  SmallVector<const BasicBlock*, 16> blocks;
  const auto go = [&](const BasicBlock* block) {
    if (seen.insert(block).second) blocks.push_back(block);
  };
  for (const BasicBlock* from : phi.blocks())
    if (!dominators_.dominates(here, from)) go(from);  // a way back is decided where its loop ends
  while (!blocks.empty()) {
    const BasicBlock* block = blocks.pop_back_val();
    if (const Value* condition = condition_of(*block)) open.push_back(condition);
    if (block == above) continue;
    for (const BasicBlock* before : predecessors(block)) go(before);
  }
}

// What a loop left behind rests on how often it went round.
void ByData::add_exits_between(const Instruction& used, const Instruction& by, Values& open) const {
  for (const Loop* loop = loops_.getLoopFor(used.getParent()); loop && !loop->contains(by.getParent()); loop = loop->getParentLoop()) {
    SmallVector<BasicBlock*, 4> exiting;
    loop->getExitingBlocks(exiting);
    for (const BasicBlock* block : exiting)
      if (const Value* condition = condition_of(*block)) open.push_back(condition);
  }
}

bool ByData::rests_on_data(const Value* value) {
  SmallPtrSet<const Value*, 32> seen;
  Values open{value};
  while (!open.empty()) {
    const Value* at = open.pop_back_val();
    if (sure_.contains(at) || !seen.insert(at).second || isa<Constant>(at)) continue;
    if (data_.contains(at) || (isa<Argument>(at) && at->getType()->isFPOrFPVectorTy())) return true;
    const auto* instruction = dyn_cast<Instruction>(at);
    if (!instruction) continue;
    if (is_data(*instruction)) return true;
    if (isa<LoadInst>(instruction)) continue;  // a variable
    if (const auto* phi = dyn_cast<PHINode>(instruction)) add_ways(*phi, open);
    for (const Value* operand : instruction->operands()) {
      if (isa<BasicBlock, MetadataAsValue>(operand)) continue;
      open.push_back(operand);
      if (const auto* used = dyn_cast<Instruction>(operand)) add_exits_between(*used, *instruction, open);
    }
  }
  sure_.insert(seen.begin(), seen.end());
  return false;
}

}  // namespace parcast::pass
