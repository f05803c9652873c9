// SPDX-License-Identifier: Apache-2.0
#include "pass/by_data.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Argument.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace parcast::pass {

using namespace llvm;

namespace {

// Returns the value that selects the successor of a block; null when there is no choice.
const Value* condition_of(const BasicBlock& block) {
  const Instruction* end = block.getTerminator();
  if (const auto* branch = dyn_cast<BranchInst>(end))
    return branch->isConditional() ? branch->getCondition() : nullptr;
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

bool ByData::is_data(const Instruction& instruction) {
  if (const auto* load = dyn_cast<LoadInst>(&instruction))
    return load->getType()->isFPOrFPVectorTy() || changes(load->getPointerOperand(), *load->getParent());
  return isa<CallBase>(instruction) && !isa<IntrinsicInst>(instruction);
}

// Returns whether an address differs between rounds of the loops around a block.
bool ByData::changes(const Value* address, const BasicBlock& block) {
  for (const Loop* loop = loops_.getLoopFor(&block); loop; loop = loop->getParentLoop())
    if (!stays(address, *loop)) return true;
  return false;
}

// Returns whether an address is the same in all rounds of a loop. It is if it comes from before the loop. It
// also is if it is computed from such addresses, or from pointers loaded from such addresses that the loop
// does not change.
bool ByData::stays(const Value* address, const Loop& loop) {
  if (loop.isLoopInvariant(address)) return true;
  if (const auto* step = dyn_cast<GetElementPtrInst>(address))
    return all_of(step->operands(), [&](const Value* operand) { return stays(operand, loop); });
  const Value* place = address->getType()->isPointerTy() ? loaded_from(address) : nullptr;
  return place && !may_change(place, loop) && stays(place, loop);
}

// Returns the place that a value is loaded from, if it is the same on all paths; otherwise null.
const Value* ByData::loaded_from(const Value* value) {
  const Value* place = nullptr;
  SmallPtrSet<const Value*, 8> seen;
  Values open{value};
  while (!open.empty()) {
    const Value* at = open.pop_back_val();
    if (!seen.insert(at).second) continue;
    if (const auto* phi = dyn_cast<PHINode>(at)) {
      open.append(phi->op_begin(), phi->op_end());
    } else if (const auto* choice = dyn_cast<SelectInst>(at)) {
      open.append({choice->getTrueValue(), choice->getFalseValue()});
    } else {
      const auto* load = dyn_cast<LoadInst>(at);
      if (!load || (place && place != load->getPointerOperand())) return nullptr;
      place = load->getPointerOperand();
    }
  }
  return place;
}

// Returns whether the loop's own stores may change the pointer at that place. Stores to objects that the
// function just allocated do not; a null pointer leads to no other field.
bool ByData::may_change(const Value* place, const Loop& loop) {
  const auto [known, fresh] = pointers_stored_.try_emplace(&loop);
  if (fresh)
    for (const BasicBlock* block : loop.blocks())
      for (const Instruction& instruction : *block) {
        const auto* store = dyn_cast<StoreInst>(&instruction);
        const bool leads_on = store && store->getValueOperand()->getType()->isPtrOrPtrVectorTy() &&
                              !isa<ConstantPointerNull>(store->getValueOperand());
        if (leads_on) known->second.insert(getUnderlyingObject(store->getPointerOperand()));
        if (const auto* copy = dyn_cast<AnyMemIntrinsic>(&instruction))
          known->second.insert(getUnderlyingObject(copy->getRawDest()));
      }
  const Value* object = getUnderlyingObject(place);
  return any_of(known->second,
                [&](const Value* stored) { return stored == object || !isNoAliasCall(stored); });
}

// Adds the conditions of the branches that select the value of a phi.
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
    // the condition of a back edge is that of its loop's end
    if (!dominators_.dominates(here, from)) go(from);
  while (!blocks.empty()) {
    const BasicBlock* block = blocks.pop_back_val();
    if (const Value* condition = condition_of(*block)) open.push_back(condition);
    if (block == above) continue;
    for (const BasicBlock* before : predecessors(block)) go(before);
  }
}

// Adds the exit conditions of loops between a value and its use: a value that a loop leaves depends on the
// number of rounds.
void ByData::add_exits_between(const Instruction& used, const Instruction& by, Values& open) const {
  for (const Loop* loop = loops_.getLoopFor(used.getParent()); loop && !loop->contains(by.getParent());
       loop = loop->getParentLoop()) {
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
    if (const Value* place =
            isa<PHINode, SelectInst>(instruction) && !instruction->getType()->isFPOrFPVectorTy()
                ? loaded_from(instruction)
                : nullptr) {
      if (changes(place, *instruction->getParent())) return true;
      continue;  // a variable, read where it may have changed
    }
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
