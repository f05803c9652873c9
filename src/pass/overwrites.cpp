// SPDX-License-Identifier: Apache-2.0
#include "pass/overwrites.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "pass/nodes.h"

namespace parcast::pass {
namespace {

using namespace llvm;

bool is_address(const Value* value) {
  return value->getType()->isPointerTy();
}

// Returns whether a number converted from an address is only compared, as in checks for overlapping arrays.
bool is_compared(const Value& number, int depth) {
  constexpr int kDeepest = 4;
  return depth < kDeepest && all_of(number.users(), [&](const User* user) {
           if (isa<ICmpInst>(user)) return true;
           const auto* operation = dyn_cast<BinaryOperator>(user);
           return operation && is_compared(*operation, depth + 1);
         });
}

}  // namespace

void Overwrites::write(Value* pointer, int block) {
  for (Value* object : objects_of(pointer)) all_.insert({block, object});
}

void Overwrites::write_if_computed(Value* pointer, int block) {
  if (is_computed(pointer)) write(pointer, block);
}

void Overwrites::lose(Instruction& instruction, int block) {
  if (auto* store = dyn_cast<StoreInst>(&instruction)) {
    lose_stored(*store, block);
  } else if (auto* give = dyn_cast<ReturnInst>(&instruction)) {
    Value* value = give->getReturnValue();
    if (value && is_address(value) && !isa<Argument>(value->stripPointerCasts())) write(value, block);
  } else if (isa<PtrToIntInst>(instruction)) {
    if (!is_compared(instruction, 0)) write(instruction.getOperand(0), block);
  } else if (isa<InsertElementInst>(instruction) || isa<InsertValueInst>(instruction) ||
             isa<AtomicCmpXchgInst>(instruction) || isa<AtomicRMWInst>(instruction)) {
    for (Value* operand :
         drop_begin(instruction.operands(),
                    isa<InsertElementInst>(instruction) || isa<InsertValueInst>(instruction) ? 0 : 1))
      if (is_address(operand)) write(operand, block);
  } else if (auto* call = dyn_cast<CallBase>(&instruction)) {
    if (!called_by(*call).contains("Output") && (!isa<IntrinsicInst>(call) || isa<MemTransferInst>(call)))
      for (Value* argument : call->args())
        if (auto* table = dyn_cast<GlobalVariable>(argument->stripPointerCasts());
            table && table->hasInitializer())
          write_all_in(*table->getInitializer(), block);
  }
}

void Overwrites::lose_stored(StoreInst& store, int block) {
  Value* value = store.getValueOperand();
  const Loop* loop = loops_.getLoopFor(store.getParent());
  const bool moves = loop && !loop->isLoopInvariant(store.getPointerOperand());
  if (is_address(value)) {
    if (moves || nodes_.row(nodes_.place(value))[0].getAsString() == "somewhere") write(value, block);
  } else if (auto* all = dyn_cast<Constant>(value)) {
    write_all_in(*all, block);
  }
}

// Notes all variables whose addresses are in a constant, as in tables of Fortran's lists.
void Overwrites::write_all_in(Constant& constant, int block) {
  SmallPtrSet<Constant*, 16> seen;
  SmallVector<Constant*, 16> open{&constant};
  while (!open.empty()) {
    Constant* at = open.pop_back_val();
    if (!seen.insert(at).second || isa<Function>(at)) continue;
    if (auto* variable = dyn_cast<GlobalVariable>(at)) {
      if (!variable->isConstant())
        all_.insert({block, variable});
      else if (variable->hasInitializer())
        open.push_back(variable->getInitializer());
      continue;
    }
    for (Value* operand : at->operands())
      if (auto* part = dyn_cast<Constant>(operand)) open.push_back(part);
  }
}

// Returns the objects that a pointer may point into, at an unknown distance.
SmallVector<Value*, 4> Overwrites::objects_of(Value* pointer) const {
  SmallVector<const Value*, 4> all;
  getUnderlyingObjects(pointer, all, &loops_);
  SmallVector<Value*, 4> given;
  for (const Value* object : all)
    if (isa<AllocaInst>(object) || isa<GlobalVariable>(object) || isa<Argument>(object) ||
        isa<LoadInst>(object))
      given.push_back(const_cast<Value*>(object));
  return given;
}

bool Overwrites::is_computed(Value* pointer) {
  const auto kind = nodes_.row(nodes_.place(pointer))[0].getAsString();
  return kind == "somewhere" || kind == "field";
}

json::Array Overwrites::within(const CallBase& call) {
  json::Array rows;
  for (const Use& argument : call.args())
    if (is_address(argument) && is_computed(argument))
      for (Value* object : objects_of(argument))
        rows.push_back(
            json::Array{static_cast<std::int64_t>(call.getArgOperandNo(&argument)), nodes_.place(object)});
  return rows;
}

json::Array Overwrites::tell() {
  json::Array rows;
  rows.reserve(all_.size());
  for (const auto& [block, object] : all_) rows.push_back(json::Array{block, nodes_.place(object)});
  return rows;
}

}  // namespace parcast::pass
