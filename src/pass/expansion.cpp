// SPDX-License-Identifier: Apache-2.0
#include "pass/expansion.h"

#include <string>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "recording/counted.h"

namespace parcast::pass {
namespace {

using namespace llvm;

constexpr StringLiteral kAdd = "__parcast_add.", kLook = "__parcast_look.";

// Returns the function that represents counting. It accesses no memory of the program, so that optimisations
// keep one call per execution of its block.
FunctionCallee stand_in(Module& module, const std::string& name, Type* type) {
  LLVMContext& context = module.getContext();
  if (Function* function = module.getFunction(name)) return function;
  FunctionCallee made =
      module.getOrInsertFunction(name, Type::getVoidTy(context), Type::getInt64Ty(context), type);
  auto* function = cast<Function>(made.getCallee());
  // ^^NoMerge: two calls must not be merged into one whose number is selected.
  for (const Attribute::AttrKind kind :
       {Attribute::NoInline, Attribute::NoUnwind, Attribute::WillReturn, Attribute::NoFree, Attribute::NoSync,
        Attribute::NoCallback, Attribute::NoMerge})
    function->addFnAttr(kind);
  function->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  return made;
}

void stand(StringRef what, std::uint64_t number, Value* value, Instruction* at) {
  IRBuilder<> builder(at);
  const std::string name = what.str() + std::to_string(value->getType()->getIntegerBitWidth());
  builder.CreateCall(stand_in(*at->getModule(), name, value->getType()), {builder.getInt64(number), value})
      ->addFnAttr(Attribute::NoMerge);
}

// Returns the call if the instruction represents counting of that kind; otherwise null.
CallInst* standing_for(StringRef what, Instruction* instruction) {
  auto* call = dyn_cast<CallInst>(instruction);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName().starts_with(what) ? call : nullptr;
}

// Returns whether the thread's displacement must be loaded again: a recorder may change it in a call. Also,
// keeping it in a register across a call costs more than a load.
bool may_displace(const Instruction& instruction) {
  return isa<CallBase>(instruction) && !isa<IntrinsicInst>(instruction);
}

// Threads count in the same words unless a recorder separates them. That is no data race of the program.
template <class Access>
Access* own(Access* access) {
  if (access->getFunction()->hasFnAttribute(Attribute::SanitizeThread))
    access->setAtomic(AtomicOrdering::Monotonic);
  return access;
}

// Creates the function called when a value may differ from the first one: void (words, value).
Function* noticing(Module& module) {
  constexpr StringLiteral name = "__parcast.noticed";
  if (Function* made = module.getFunction(name)) return made;
  LLVMContext& context = module.getContext();
  Type* word = Type::getInt64Ty(context);
  auto* type = FunctionType::get(Type::getVoidTy(context), {PointerType::getUnqual(context), word}, false);
  Function* function = Function::Create(type, GlobalValue::ExternalLinkage, name, module);
  once_per_binary(function);
  function->setCallingConv(CallingConv::PreserveMost);
  for (const Attribute::AttrKind kind :
       {Attribute::NoInline, Attribute::NoUnwind, Attribute::Cold, Attribute::WillReturn})
    function->addFnAttr(kind);
  Value *words = function->getArg(0), *value = function->getArg(1);
  const auto block = [&] { return BasicBlock::Create(context, "", function); };
  BasicBlock *entry = block(), *another = block(), *open = block(), *first = block(), *further = block(),
             *end = block();
  IRBuilder<> builder(entry);
  const auto at = [&](int index) { return builder.CreateConstGEP1_64(word, words, index); };
  Value* known = builder.CreateLoad(word, at(PARCAST_PROBE_VALUE));
  builder.CreateCondBr(builder.CreateICmpNE(value, known), another, end);
  builder.SetInsertPoint(another);
  Value* seen = builder.CreateLoad(word, at(PARCAST_PROBE_SEEN));
  builder.CreateCondBr(builder.CreateICmpULT(seen, builder.getInt64(PARCAST_PROBE_CHANGES)), open, end);
  builder.SetInsertPoint(open);
  builder.CreateStore(builder.CreateAdd(seen, builder.getInt64(1)), at(PARCAST_PROBE_SEEN));
  builder.CreateCondBr(builder.CreateICmpEQ(known, builder.getInt64(PARCAST_PROBE_NOTHING)), first, further);
  builder.SetInsertPoint(first);
  for (const int index : {PARCAST_PROBE_VALUE, PARCAST_PROBE_LEAST, PARCAST_PROBE_MOST})
    builder.CreateStore(value, at(index));
  builder.CreateBr(end);
  builder.SetInsertPoint(further);
  Value *least = builder.CreateLoad(word, at(PARCAST_PROBE_LEAST)),
        *most = builder.CreateLoad(word, at(PARCAST_PROBE_MOST));
  builder.CreateStore(builder.CreateBinaryIntrinsic(Intrinsic::smin, least, value), at(PARCAST_PROBE_LEAST));
  builder.CreateStore(builder.CreateBinaryIntrinsic(Intrinsic::smax, most, value), at(PARCAST_PROBE_MOST));
  builder.CreateBr(end);
  builder.SetInsertPoint(end);
  builder.CreateRetVoid();
  return function;
}

class Expansion {
 public:
  explicit Expansion(Module& module)
      : module_(module),
        counters_(module.getNamedGlobal(kCounters)),
        displacement_(module.getNamedGlobal(kDisplacement)),
        counts_(cast<ConstantInt>(module.getNamedGlobal(kModule)->getInitializer()->getOperand(kCounts))
                    ->getZExtValue()) {}

  void expand(Function& function) {
    behind_.clear();
    const ReversePostOrderTraversal<Function*> in_order(&function);
    for (BasicBlock* block : std::vector<BasicBlock*>(in_order.begin(), in_order.end())) expand(*block);
  }

 private:
  void expand(BasicBlock& block) {
    memory_ = nullptr;
    bool first = true;
    for (const BasicBlock* before : predecessors(&block)) {
      Instruction* there = behind_.lookup(before);  // none yet for back edges
      memory_ = first || memory_ == there ? there : nullptr;
      first = false;
    }
    std::vector<Instruction*> calls;
    for (Instruction& instruction : block)
      if (may_displace(instruction)) calls.push_back(&instruction);
    Instruction* end = block.getTerminator();
    for (Instruction* at : calls)
      if (CallInst* add = standing_for(kAdd, at))
        expand_add(*add);
      else if (CallInst* look = standing_for(kLook, at))
        looks_.push_back(look);
      else {
        expand_looks(at);
        memory_ = nullptr;
      }
    expand_looks(end);
    behind_[end->getParent()] = memory_;
  }

  // Returns where the thread counts; counters and probes are at constant distances from it.
  Instruction* memory(IRBuilder<>& builder) {
    if (!memory_) {
      Value* bytes =
          own(builder.CreateLoad(builder.getInt64Ty(), builder.CreateThreadLocalAddress(displacement_)));
      memory_ = cast<Instruction>(builder.CreatePtrAdd(counters_, bytes));
    }
    return memory_;
  }

  void expand_add(CallInst& call) {
    IRBuilder<> builder(&call);
    Type* word = builder.getInt64Ty();
    Value* place = builder.CreateConstGEP1_64(word, memory(builder), number_of(call));
    Value* before = own(builder.CreateLoad(word, place));
    own(builder.CreateStore(builder.CreateAdd(before, call.getArgOperand(1)), place));
    call.eraseFromParent();
  }

  // Expands the collected probes before `at`. Each compares its value with the first one, and counts
  // differing values. From the first difference on, all remaining probes are handled in one block.
  void expand_looks(Instruction* at) {
    if (looks_.empty()) return;
    IRBuilder<> builder(at);
    Type* word = builder.getInt64Ty();
    SmallVector<std::pair<Value*, Value*>, 4> looked_at;  // words of the probe, value
    for (CallInst* call : looks_) {
      // A value that the program only passes on may be poison; branching on it would be undefined.
      Value* value = builder.CreateSExt(builder.CreateFreeze(call->getArgOperand(1)), word);
      looked_at.emplace_back(
          builder.CreateConstGEP1_64(word, memory(builder), counts_ + number_of(*call) * PARCAST_PROBE_WORDS),
          value);
      call->eraseFromParent();
    }
    looks_.clear();
    BasicBlock *here = at->getParent(), *on = SplitBlock(here, at);
    const auto block = [&] { return BasicBlock::Create(at->getContext(), "", on->getParent(), on); };
    BasicBlock* tell = block();
    here->getTerminator()->eraseFromParent();
    builder.SetInsertPoint(here);
    MDNode* seldom = MDBuilder(at->getContext()).createUnlikelyBranchWeights();
    for (const auto& [words, value] : looked_at) {
      BasicBlock *differs = block(), *next = words == looked_at.back().first ? on : block();
      builder.CreateCondBr(builder.CreateICmpNE(value, own(builder.CreateLoad(word, words))), differs, next,
                           seldom);
      builder.SetInsertPoint(differs);
      Value* seen =
          own(builder.CreateLoad(word, builder.CreateConstGEP1_64(word, words, PARCAST_PROBE_SEEN)));
      builder.CreateCondBr(builder.CreateICmpULT(seen, builder.getInt64(PARCAST_PROBE_CHANGES)), tell, next,
                           seldom);
      builder.SetInsertPoint(next);
    }
    builder.SetInsertPoint(tell);
    for (const auto& [words, value] : looked_at)
      builder.CreateCall(noticing(module_), {words, value})->setCallingConv(CallingConv::PreserveMost);
    builder.CreateBr(on);
  }

  static std::uint64_t number_of(const CallInst& call) {
    return cast<ConstantInt>(call.getArgOperand(0))->getZExtValue();
  }

  Module& module_;
  GlobalVariable *counters_, *displacement_;
  std::uint64_t counts_;
  DenseMap<const BasicBlock*, Instruction*> behind_;  // the value that still holds at the end of a block
  Instruction* memory_ = nullptr;
  std::vector<CallInst*> looks_;
};

}  // namespace

void stand_for_add(std::uint64_t counter, Value* amount, Instruction* at) {
  stand(kAdd, counter, amount, at);
}
void stand_for_look(std::uint64_t probe, Value* value, Instruction* at) {
  stand(kLook, probe, value, at);
}

bool expand(Module& module) {
  std::vector<Function*> stand_ins;
  SmallPtrSet<const Function*, 32> counting;
  for (Function& function : module)
    if (function.isDeclaration() &&
        (function.getName().starts_with(kAdd) || function.getName().starts_with(kLook))) {
      stand_ins.push_back(&function);
      for (const User* user : function.users()) counting.insert(cast<Instruction>(user)->getFunction());
    }
  if (stand_ins.empty()) return false;
  Expansion expansion(module);
  std::vector<Function*> functions;
  for (Function& function : module)
    if (counting.contains(&function)) functions.push_back(&function);
  for (Function* function : functions) expansion.expand(*function);
  for (Function* function : stand_ins) {
    for (User* unreached : make_early_inc_range(function->users()))
      cast<Instruction>(unreached)->eraseFromParent();
    function->eraseFromParent();
  }
  return true;
}

}  // namespace parcast::pass
