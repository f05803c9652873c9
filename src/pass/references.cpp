// SPDX-License-Identifier: Apache-2.0
#include "pass/references.h"

#include <vector>

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "pass/nodes.h"

namespace parcast::pass {
namespace {

using namespace llvm;

// most rows of a block; further references are left out
constexpr std::size_t kMostInABlock = 64;

// References to one base whose offsets differ by constants.
struct Group {
  const SCEV* base = nullptr;
  Value* array = nullptr;
  const Loop* changes = nullptr;  // innermost loop in which the base changes
  // of the pointers; null when the address does not advance evenly
  const SCEV* first = nullptr;
  std::int64_t low = 0, high = 0, loaded = 0, stored = 0;
};

const Loop* outermost(const Loop& loop) {
  const Loop* at = &loop;
  while (at->getParentLoop()) at = at->getParentLoop();
  return at;
}

// Returns whether a pointer is loaded repeatedly from one place. Its array may be replaced by another one; in
// every round it is an array of that place.
bool reloaded(Value* array, const Loop& loop, ScalarEvolution& evolution) {
  auto* load = dyn_cast<LoadInst>(array);
  return load && evolution.isLoopInvariant(evolution.getSCEV(load->getPointerOperand()), outermost(loop));
}

const Loop* changing(const SCEV* base, const Loop& loop, ScalarEvolution& evolution) {
  for (const Loop* at = &loop; at; at = at->getParentLoop())
    if (!evolution.isLoopInvariant(base, at)) return at;
  return nullptr;
}

}  // namespace

json::Array references_of(BasicBlock& block, int number, const Loop& loop, ScalarEvolution& evolution,
                          const DataLayout& layout, const DenseMap<const Loop*, int>& loops, Nodes& nodes,
                          ArrayNumbers& arrays, const std::function<void(int node)>& asked) {
  std::vector<Group> groups;
  for (Instruction& instruction : block) {
    const auto* load = dyn_cast<LoadInst>(&instruction);
    const auto* store = dyn_cast<StoreInst>(&instruction);
    if (!load && !store) continue;
    Value* pointer = getLoadStorePointerOperand(&instruction);
    const SCEV* address = evolution.getSCEV(pointer);
    if (isa<SCEVCouldNotCompute>(address) || evolution.isLoopInvariant(address, outermost(loop))) continue;
    Type* type = load ? load->getType() : store->getValueOperand()->getType();
    const auto bytes = static_cast<std::int64_t>(layout.getTypeStoreSize(type).getKnownMinValue());
    const bool even = isa<SCEVAddRecExpr>(address);
    Value* array = nullptr;
    const SCEV* base = evolution.getPointerBase(address);
    if (const auto* known = dyn_cast<SCEVUnknown>(base)) array = known->getValue();
    if (!even && array) {  // a pointer to an element: takes the object it points into
      array = getUnderlyingObject(array);
      base = evolution.getSCEV(array);
    }
    const Loop* changes =
        array && reloaded(array, loop, evolution) ? nullptr : changing(base, loop, evolution);
    if (changes) array = nullptr;
    Group* group = nullptr;
    std::int64_t at = 0;
    for (Group& other : groups) {
      if (other.base != base || (other.first != nullptr) != even) continue;
      if (!even) {
        group = &other;
        break;
      }
      const auto* distance = dyn_cast<SCEVConstant>(evolution.getMinusSCEV(address, other.first));
      if (!distance || distance->getAPInt().getSignificantBits() > 63) continue;
      at = distance->getAPInt().getSExtValue();
      group = &other;
      break;
    }
    if (!group) {
      if (groups.size() == kMostInABlock) continue;
      groups.push_back({base, array, changes, even ? address : nullptr, 0, 0, 0, 0});
      group = &groups.back();
    }
    group->low = std::min(group->low, at);
    group->high = std::max(group->high, at + bytes);
    (load ? group->loaded : group->stored) += bytes;
  }
  json::Array rows;
  for (const Group& group : groups) {
    const int base = arrays.try_emplace(group.base, static_cast<int>(arrays.size())).first->second;
    json::Value array = nullptr, offset = nullptr;
    if (group.array) array = nodes.place(group.array);
    if (group.first)
      if (const std::optional<int> node = nodes.of(evolution.removePointerBase(group.first))) {
        offset = *node;
        asked(*node);
      }
    json::Array row{number,    base,       std::move(array), std::move(offset),
                    group.low, group.high, group.loaded,     group.stored};
    if (group.changes) row.push_back(loops.lookup(group.changes));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace parcast::pass
