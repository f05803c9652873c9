// SPDX-License-Identifier: Apache-2.0
#include "pass/insertion.h"

#include <map>

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "recording/counted.h"

namespace parcast::pass {
namespace {

using namespace llvm;

constexpr StringLiteral kModule = "__parcast_module";
constexpr unsigned kId = 1;  // field of struct parcast_counted_module

constexpr std::size_t kInRegisters = 12;  // counters of one loop nest; further ones stay in memory

GlobalVariable* stand_in(Module& module, StringRef name) {
  return new GlobalVariable(module, Type::getInt8Ty(module.getContext()), false, GlobalValue::ExternalLinkage,
                            nullptr, name);
}

// One variable and one function per executable or shared library, whichever object file brings them.
template <class Symbol>
void once_per_binary(Symbol* symbol) {
  symbol->setLinkage(GlobalValue::LinkOnceODRLinkage);
  symbol->setVisibility(GlobalValue::HiddenVisibility);
  symbol->setComdat(symbol->getParent()->getOrInsertComdat(symbol->getName()));
}

// Threads count into the same words unless a recorder parts them, which is no race of the program's.
template <class Access>
Access* own(Access* access) {
  if (access->getFunction()->hasFnAttribute(Attribute::SanitizeThread))
    access->setAtomic(AtomicOrdering::Monotonic);
  return access;
}

}  // namespace

CounterMemory::CounterMemory(Module& module)
    : module_(module),
      counter_base_(stand_in(module, "parcast.counters")),
      probe_base_(stand_in(module, "parcast.probes")) {
  Type* word = Type::getInt64Ty(module.getContext());
  displacement_ =
      new GlobalVariable(module, word, false, GlobalValue::ExternalLinkage, ConstantInt::get(word, 0),
                         "__parcast_displacement", nullptr, GlobalValue::InitialExecTLSModel);
  once_per_binary(displacement_);
}

Value* CounterMemory::displaced(Value* address, Instruction* at) {
  IRBuilder<> builder(at);
  LoadInst* bytes =
      own(builder.CreateLoad(builder.getInt64Ty(), builder.CreateThreadLocalAddress(displacement_)));
  displacements_.insert(bytes);
  return builder.CreatePtrAdd(address, bytes);
}

namespace {

// A recorder may change the thread's displacement in it; and what is kept in a register beyond it costs more than a load.
bool may_displace(const Instruction& instruction) {
  const auto* call = dyn_cast<CallBase>(&instruction);
  return call && !isa<IntrinsicInst>(call);
}

}  // namespace

void CounterMemory::share_displacements(Function& function) {
  DenseMap<const BasicBlock*, Instruction*> behind;  // the load that still holds at a block's end
  std::vector<Instruction*> gone;
  for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&function)) {
    Instruction* known = nullptr;
    bool first = true;
    for (const BasicBlock* before : predecessors(block)) {
      Instruction* there = behind.lookup(before);  // none yet of ways back
      known = first || known == there ? there : nullptr;
      first = false;
    }
    for (Instruction& instruction : *block) {
      if (displacements_.contains(&instruction)) {
        if (!known) {
          known = &instruction;
          continue;
        }
        instruction.replaceAllUsesWith(known);
        gone.push_back(&instruction);
      } else if (may_displace(instruction)) {
        const auto* call = cast<CallBase>(&instruction);
        if (!noticing_ || call->getCalledOperand() != noticing_) known = nullptr;
      }
    }
    behind[block] = known;
  }
  for (Instruction* load : gone) {
    auto* address = dyn_cast<Instruction>(load->getOperand(0));
    load->eraseFromParent();
    if (address && address->use_empty()) address->eraseFromParent();
  }
  displacements_.clear();
}

void CounterMemory::add(std::uint64_t counter, Value* amount, Instruction* at) {
  IRBuilder<> builder(at);
  Value* place = displaced(builder.CreateConstGEP1_64(builder.getInt64Ty(), counter_base_, counter), at);
  Value* before = own(builder.CreateLoad(builder.getInt64Ty(), place));
  own(builder.CreateStore(builder.CreateAdd(before, amount), place));
}

// Called where a value is not the first one: void (words, value).
Function* CounterMemory::noticing() {
  if (noticing_) return noticing_;
  LLVMContext& context = module_.getContext();
  Type* word = Type::getInt64Ty(context);
  auto* type = FunctionType::get(Type::getVoidTy(context), {PointerType::getUnqual(context), word}, false);
  noticing_ = Function::Create(type, GlobalValue::ExternalLinkage, "__parcast_noticed", module_);
  once_per_binary(noticing_);
  noticing_->setCallingConv(CallingConv::PreserveMost);
  for (const Attribute::AttrKind kind :
       {Attribute::NoInline, Attribute::NoUnwind, Attribute::Cold, Attribute::WillReturn})
    noticing_->addFnAttr(kind);
  Value *words = noticing_->getArg(0), *value = noticing_->getArg(1);
  auto* entry = BasicBlock::Create(context, "", noticing_);
  auto* first = BasicBlock::Create(context, "", noticing_);
  auto* further = BasicBlock::Create(context, "", noticing_);
  IRBuilder<> builder(entry);
  const auto at = [&](int index) { return builder.CreateConstGEP1_64(word, words, index); };
  Value* seen = builder.CreateLoad(word, at(PARCAST_PROBE_SEEN));
  builder.CreateStore(builder.CreateAdd(seen, builder.getInt64(1)), at(PARCAST_PROBE_SEEN));
  Value* nothing = builder.CreateICmpEQ(builder.CreateLoad(word, at(PARCAST_PROBE_VALUE)),
                                        builder.getInt64(PARCAST_PROBE_NOTHING));
  builder.CreateCondBr(nothing, first, further);
  builder.SetInsertPoint(first);
  for (const int index : {PARCAST_PROBE_VALUE, PARCAST_PROBE_LEAST, PARCAST_PROBE_MOST})
    builder.CreateStore(value, at(index));
  builder.CreateRetVoid();
  builder.SetInsertPoint(further);
  Value *least = builder.CreateLoad(word, at(PARCAST_PROBE_LEAST)),
        *most = builder.CreateLoad(word, at(PARCAST_PROBE_MOST));
  builder.CreateStore(builder.CreateBinaryIntrinsic(Intrinsic::smin, least, value), at(PARCAST_PROBE_LEAST));
  builder.CreateStore(builder.CreateBinaryIntrinsic(Intrinsic::smax, most, value), at(PARCAST_PROBE_MOST));
  builder.CreateRetVoid();
  return noticing_;
}

void CounterMemory::look(std::uint64_t probe, Value* value, bool is_signed, Instruction* at) {
  IRBuilder<> builder(at);
  Type* word = builder.getInt64Ty();
  // What the program passes on without looking at it may be no value at all; to branch by it would be wrong.
  Value* wide = builder.CreateIntCast(builder.CreateFreeze(value), word, is_signed);
  Value* words = displaced(builder.CreateConstGEP1_64(word, probe_base_, probe * PARCAST_PROBE_WORDS), at);
  Value* differs = builder.CreateICmpNE(wide, own(builder.CreateLoad(word, words)));
  Value* seen = own(builder.CreateLoad(word, builder.CreateConstGEP1_64(word, words, PARCAST_PROBE_SEEN)));
  Value* open = builder.CreateICmpULT(seen, builder.getInt64(PARCAST_PROBE_CHANGES));
  Instruction* then = SplitBlockAndInsertIfThen(builder.CreateAnd(differs, open), at, false,
                                                MDBuilder(at->getContext()).createUnlikelyBranchWeights());
  builder.SetInsertPoint(then);
  CallInst* call = builder.CreateCall(noticing(), {words, wide});
  call->setCallingConv(CallingConv::PreserveMost);
}

void CounterMemory::finish(std::uint64_t id) {
  LLVMContext& context = module_.getContext();
  Type *word = Type::getInt64Ty(context), *pointer = PointerType::getUnqual(context);
  constexpr std::uint64_t in_page = PARCAST_COUNTED_PAGE / 8;
  const std::uint64_t words = (counters_ + probes_ * PARCAST_PROBE_WORDS + in_page - 1) / in_page * in_page;
  auto* type = ArrayType::get(word, words);
  auto* memory = new GlobalVariable(module_, type, false, GlobalValue::InternalLinkage,
                                    Constant::getNullValue(type), "__parcast_counters");
  memory->setSection(PARCAST_COUNTERS_SECTION);
  memory->setAlignment(Align(PARCAST_COUNTED_PAGE));
  const auto inside = [&](std::uint64_t offset) {
    return ConstantExpr::getInBoundsGetElementPtr(word, memory,
                                                  ArrayRef<Constant*>{ConstantInt::get(word, offset)});
  };
  counter_base_->replaceAllUsesWith(memory);
  probe_base_->replaceAllUsesWith(inside(counters_));
  counter_base_->eraseFromParent();
  probe_base_->eraseFromParent();

  Function* displacement = Function::Create(FunctionType::get(pointer, false), GlobalValue::ExternalLinkage,
                                            "__parcast_thread", module_);
  once_per_binary(displacement);
  displacement->addFnAttr(Attribute::NoUnwind);
  IRBuilder<> builder(BasicBlock::Create(context, "", displacement));
  builder.CreateRet(builder.CreateThreadLocalAddress(displacement_));

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
            const std::vector<BasicBlock*>& whole_loop_heads, CounterMemory& memory) {
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
  std::map<std::pair<int, std::uint64_t>, AllocaInst*> registers;  // by the nest's number and the counter
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
    Value* amount = increment.amount ? increment.amount : builder.getInt64(1);
    Loop* nest = nest_of(increment.at);
    AllocaInst* kept = nest ? register_of(nest, increment.counter) : nullptr;
    if (!kept) {
      memory.add(increment.counter, amount, increment.at);
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
      memory.add(kept.first, builder.CreateLoad(builder.getInt64Ty(), kept.second), at);
    }
    all.push_back(kept.second);
  }
  if (!all.empty()) PromoteMemToReg(all, dominators);
}

}  // namespace parcast::pass
