// SPDX-License-Identifier: Apache-2.0
#include "pass/insertion.h"

#include <map>

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "pass/expansion.h"
#include "recording/counted.h"

namespace parcast::pass {
namespace {

using namespace llvm;

// counters of one loop nest kept in registers; further ones stay in memory
constexpr std::size_t kInRegisters = 12;

}  // namespace

void CounterMemory::finish(std::uint64_t id) {
  LLVMContext& context = module_.getContext();
  Type *word = Type::getInt64Ty(context), *pointer = PointerType::getUnqual(context);
  constexpr std::uint64_t in_page = PARCAST_COUNTED_PAGE / 8;
  const std::uint64_t words = (counters_ + probes_ * PARCAST_PROBE_WORDS + in_page - 1) / in_page * in_page;
  auto* type = ArrayType::get(word, words);
  auto* memory = new GlobalVariable(module_, type, false, GlobalValue::InternalLinkage,
                                    Constant::getNullValue(type), kCounters);
  memory->setSection(PARCAST_COUNTERS_SECTION);
  memory->setAlignment(Align(PARCAST_COUNTED_PAGE));
  auto* displacements =
      new GlobalVariable(module_, word, false, GlobalValue::ExternalLinkage, ConstantInt::get(word, 0),
                         kDisplacement, nullptr, GlobalValue::InitialExecTLSModel);
  once_per_binary(displacements);
  Function* displacement = Function::Create(FunctionType::get(pointer, false), GlobalValue::ExternalLinkage,
                                            "__parcast.thread", module_);
  once_per_binary(displacement);
  displacement->addFnAttr(Attribute::NoUnwind);
  IRBuilder<> builder(BasicBlock::Create(context, "", displacement));
  builder.CreateRet(builder.CreateThreadLocalAddress(displacements));

  Constant* fields[] = {ConstantInt::get(word, PARCAST_COUNTED_MAGIC),
                        ConstantInt::get(word, id),
                        memory,
                        ConstantInt::get(word, counters_),
                        ConstantInt::get(word, probes_),
                        displacement};
  Constant* structure = ConstantStruct::getAnon(fields);
  auto* table = new GlobalVariable(module_, structure->getType(), false, GlobalValue::InternalLinkage,
                                   structure, kModule);
  table->setSection(PARCAST_MODULES_SECTION);
  table->setAlignment(Align(8));
  appendToUsed(module_, {table});
}

void CounterMemory::rename(Module& module, std::uint64_t id) {
  GlobalVariable* table = module.getNamedGlobal(kModule);
  SmallVector<Constant*, 6> fields;
  for (const Use& field : table->getInitializer()->operands()) fields.push_back(cast<Constant>(field));
  fields[kId] = ConstantInt::get(fields[kId]->getType(), id);
  table->setInitializer(ConstantStruct::getAnon(fields));
}

BasicBlock* block_between(BasicBlock* from, BasicBlock* to) {
  BasicBlock* between = BasicBlock::Create(from->getContext(), "", from->getParent(), to);
  BranchInst::Create(to, between);
  Instruction* end = from->getTerminator();
  for (unsigned k = 0; k < end->getNumSuccessors(); ++k)
    if (end->getSuccessor(k) == to) end->setSuccessor(k, between);
  for (PHINode& phi : to->phis()) {
    phi.setIncomingBlock(phi.getBasicBlockIndex(from), between);
    for (int again = phi.getBasicBlockIndex(from); again >= 0; again = phi.getBasicBlockIndex(from))
      phi.removeIncomingValue(again, false);
  }
  return between;
}

void insert(Function& function, const std::vector<Increment>& increments,
            const std::vector<BasicBlock*>& whole_loop_heads) {
  Constant* once = ConstantInt::get(Type::getInt64Ty(function.getContext()), 1);
  if (whole_loop_heads.empty()) {
    for (const Increment& increment : increments)
      stand_for_add(increment.counter, increment.amount ? increment.amount : once, increment.at);
    return;
  }
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  SmallPtrSet<const BasicBlock*, 16> whole(whole_loop_heads.begin(), whole_loop_heads.end());
  IRBuilder<> builder(function.getContext());
  const auto nest_of = [&](const Instruction* at) -> Loop* {
    Loop* outermost = nullptr;
    for (Loop* loop = loops.getLoopFor(at->getParent()); loop && whole.contains(loop->getHeader());
         loop = loop->getParentLoop())
      if (loop->getLoopPreheader() && loop->hasDedicatedExits()) outermost = loop;
    return outermost;
  };
  std::map<std::pair<int, std::uint64_t>, AllocaInst*> registers;  // by number of the nest and counter
  DenseMap<Loop*, int> nests;
  DenseMap<Loop*, std::size_t> used;
  std::vector<std::pair<Loop*, std::pair<std::uint64_t, AllocaInst*>>> flushed;
  const auto register_of = [&](Loop* nest, std::uint64_t counter) -> AllocaInst* {
    const int number = nests.try_emplace(nest, static_cast<int>(nests.size())).first->second;
    const auto [at, fresh] = registers.try_emplace({number, counter}, nullptr);
    if (!fresh) return at->second;
    if (used[nest]++ >= kInRegisters) return nullptr;
    builder.SetInsertPoint(&*function.getEntryBlock().getFirstInsertionPt());
    at->second = builder.CreateAlloca(builder.getInt64Ty());
    builder.SetInsertPoint(nest->getLoopPreheader()->getTerminator());
    builder.CreateStore(builder.getInt64(0), at->second);
    flushed.push_back({nest, {counter, at->second}});
    return at->second;
  };
  for (const Increment& increment : increments) {
    builder.SetInsertPoint(increment.at);
    Value* amount = increment.amount ? increment.amount : once;
    Loop* nest = nest_of(increment.at);
    AllocaInst* kept = nest ? register_of(nest, increment.counter) : nullptr;
    if (!kept) {
      stand_for_add(increment.counter, amount, increment.at);
      continue;
    }
    builder.SetInsertPoint(increment.at);
    builder.CreateStore(builder.CreateAdd(builder.CreateLoad(builder.getInt64Ty(), kept), amount), kept);
  }
  std::vector<AllocaInst*> all;
  for (const auto& [nest, kept] : flushed) {
    SmallVector<BasicBlock*, 4> exits;
    nest->getUniqueExitBlocks(exits);
    for (BasicBlock* exit : exits) {
      Instruction* at = &*exit->getFirstInsertionPt();
      builder.SetInsertPoint(at);
      stand_for_add(kept.first, builder.CreateLoad(builder.getInt64Ty(), kept.second), at);
    }
    all.push_back(kept.second);
  }
  if (!all.empty()) PromoteMemToReg(all, dominators);
}

}  // namespace parcast::pass
