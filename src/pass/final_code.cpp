// SPDX-License-Identifier: Apache-2.0
#include "pass/final_code.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "source/facts/packed.h"

namespace parcast::pass {
namespace {

using namespace llvm;

constexpr StringLiteral kMark = "parcast.loop";
// the vector loop, a remainder with shorter vectors, and one without
constexpr std::size_t kMostCopies = 3;
using facts::kWidest;

bool is_mark(const Metadata* operand) {
  const auto* node = dyn_cast_or_null<MDNode>(operand);
  const auto* name =
      node && node->getNumOperands() > 0 ? dyn_cast_or_null<MDString>(node->getOperand(0)) : nullptr;
  return name && name->getString() == kMark;
}

MDNode* with_operands(LLVMContext& context, ArrayRef<Metadata*> rest) {
  SmallVector<Metadata*, 4> all{nullptr};
  all.append(rest.begin(), rest.end());
  MDNode* id = MDNode::getDistinct(context, all);
  id->replaceOperandWith(0, id);
  return id;
}

SmallVector<Metadata*, 4> unmarked(const MDNode* id) {
  SmallVector<Metadata*, 4> rest;
  if (id)
    for (const MDOperand& operand : drop_begin(id->operands()))
      if (!is_mark(operand)) rest.push_back(operand);
  return rest;
}

// Returns the function and loop in a mark.
std::optional<std::pair<int, int>> mark_of(const Loop& loop) {
  MDNode* id = loop.getLoopID();
  if (!id) return std::nullopt;
  for (const MDOperand& operand : drop_begin(id->operands()))
    if (is_mark(operand) && cast<MDNode>(operand)->getNumOperands() == 3) {
      const auto* mark = cast<MDNode>(operand);
      const auto number = [&](unsigned k) {
        return static_cast<int>(mdconst::extract<ConstantInt>(mark->getOperand(k))->getZExtValue());
      };
      return std::pair(number(1), number(2));
    }
  return std::nullopt;
}

// Returns how many rounds of the original loop one round of this loop does: the step of the vectoriser's own
// variable.
std::optional<std::int64_t> rounds_together(const Loop& loop) {
  const BasicBlock* latch = loop.getLoopLatch();
  const auto* branch = latch ? dyn_cast<BranchInst>(latch->getTerminator()) : nullptr;
  const auto* end = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
  const auto* next = end ? dyn_cast<BinaryOperator>(end->getOperand(0)) : nullptr;
  if (!next || next->getOpcode() != Instruction::Add) return std::nullopt;
  const auto* variable = dyn_cast<PHINode>(next->getOperand(0));
  const auto* step = dyn_cast<ConstantInt>(next->getOperand(1));
  if (!variable || variable->getParent() != loop.getHeader() || !step || step->getBitWidth() > 64 ||
      step->getSExtValue() < 1 || step->getSExtValue() > kWidest * kWidest)
    return std::nullopt;
  return step->getSExtValue();
}

bool is_memory(const std::string& name) {
  return name == "load" || name == "store";
}

// Returns whether the sum becomes part of addresses in the final code, without an instruction of its own.
bool is_in_addresses(const Instruction& instruction) {
  const auto* sum = dyn_cast<BinaryOperator>(&instruction);
  return sum && (sum->getOpcode() == Instruction::Add || sum->getOpcode() == Instruction::Or) &&
         isa<Constant>(sum->getOperand(1)) && !sum->use_empty() &&
         std::ranges::all_of(sum->users(), [](const User* user) { return isa<GetElementPtrInst>(user); });
}

PackedCount reduced(PackedCount packed) {
  const std::int64_t divisor = std::max<std::int64_t>(1, std::gcd(packed.operations, packed.instructions));
  return {packed.operations / divisor, packed.instructions / divisor};
}

json::Object row_of(const std::map<std::string, PackedCount>& packed) {
  json::Object row;
  for (const auto& [name, of] : packed) row[name] = json::Array{of.operations, of.instructions};
  return row;
}

// Returns whether a linker optimises the module further, so that this is not the final code.
bool for_linking(const Module& module) {
  return std::ranges::any_of(std::initializer_list<StringRef>{"ThinLTO", "EnableSplitLTOUnit", "UnifiedLTO"},
                             [&](StringRef flag) { return module.getModuleFlag(flag); });
}

}  // namespace

struct FinalCode::Copy {
  // the vectoriser processed it: it is a vector loop or a remainder of one
  bool done = false;
  bool scalable = false;  // vectors whose length the processor determines
  std::int64_t width = 1;
  std::optional<std::int64_t> together;
  std::map<std::string, PackedCount> counts;
};

void FinalCode::follow(const Function& function, int number, const Shape& shape, ArrayRef<Loop*> loops,
                       const LoopInfo& of_blocks, const TargetTransformInfo& target) {
  Followed& of = functions_[function.getName().str()];
  of.number = number;
  of.register_bits = static_cast<unsigned>(
      target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getKnownMinValue());
  DenseMap<const Loop*, int> numbers;
  for (Loop* loop : loops) {
    numbers[loop] = static_cast<int>(of.loops.size());
    FollowedLoop& followed = of.loops.emplace_back();
    followed.head = loop->getHeader();
    followed.id = loop->getLoopID();
  }
  const DataLayout& layout = function.getParent()->getDataLayout();
  for (std::size_t i = 0; i < shape.blocks.size(); ++i) {
    const Loop* loop = of_blocks.getLoopFor(shape.blocks[i]);
    of.loop_of.push_back(loop && numbers.contains(loop) ? numbers.lookup(loop) : -1);
    of.operations.push_back(operations_of(*shape.blocks[i], layout));
    for (const Instruction& instruction : *shape.blocks[i])
      if (const DILocation* at = instruction.getDebugLoc().get();
          at && at->getLine() > 0 && class_of(instruction)) {
        const auto [found, is_new] = of.blocks_at.try_emplace(at, static_cast<int>(i));
        if (!is_new && found->second != static_cast<int>(i)) found->second = -1;
      }
  }
}

void FinalCode::mark(Function& function) const {
  const Followed* of = followed(function);
  if (!of || of->loops.empty()) return;
  DominatorTree dominators(function);
  const LoopInfo loops(dominators);
  LLVMContext& context = function.getContext();
  const auto number = [&](std::size_t value) -> Metadata* {
    return ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), value));
  };
  for (std::size_t l = 0; l < of->loops.size(); ++l) {
    const Loop* loop = loops.getLoopFor(of->loops[l].head);
    if (!loop || loop->getHeader() != of->loops[l].head) continue;
    SmallVector<Metadata*, 4> rest = unmarked(of->loops[l].id);
    rest.push_back(MDNode::get(
        context, {MDString::get(context, kMark), number(static_cast<std::size_t>(of->number)), number(l)}));
    loop->setLoopID(with_operands(context, rest));
  }
}

const FinalCode::Followed* FinalCode::followed(const Function& function) const {
  const auto found = functions_.find(function.getName().str());
  return found == functions_.end() ? nullptr : &found->second;
}

FinalCode::Copy FinalCode::copy_of(const Loop& loop, unsigned register_bits) {
  Copy copy;
  copy.done = getBooleanLoopAttribute(&loop, "llvm.loop.isvectorized");
  copy.together = rounds_together(loop);
  std::int64_t computed = 1, moved = 0;
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& instruction : *block) {
      const std::optional<Executed> executed = executed_by(instruction, register_bits);
      if (!executed || is_in_addresses(instruction)) continue;
      copy.scalable |= executed->scalable;
      PackedCount& count = copy.counts[executed->name];
      count.operations += executed->packed.operations;
      count.instructions += executed->packed.instructions;
      const std::int64_t lanes = executed->packed.operations;
      if (!is_memory(executed->name)) computed = std::max(computed, lanes);
      // several elements of neighbouring rounds may be moved together, in a longer vector
      else if (lanes > 1)
        moved = moved == 0 ? lanes : std::min(moved, lanes);
    }
  if (copy.done) copy.width = computed > 1 ? computed : std::max<std::int64_t>(1, moved);
  return copy;
}

// Records nothing when copies are inconsistent: parts of a distributed loop where only some are vector
// loops.
void FinalCode::tell(FollowedLoop& loop, const std::vector<Copy>& copies,
                     const std::map<std::string, std::int64_t>& operations) {
  if (copies.empty() || std::ranges::any_of(copies, &Copy::scalable)) return;
  const auto main = std::ranges::max_element(
      copies, {}, [](const Copy& copy) { return std::pair(copy.width, copy.together.value_or(0)); });
  const bool any_done = std::ranges::any_of(copies, &Copy::done);
  if (main->width == 1) {
    if (any_done && copies.size() == 1) return;  // a remainder of an unknown loop
    loop.width = 1;
    if (!any_done) loop.interleave = 1;
    return;
  }
  if (copies.size() > kMostCopies || !std::ranges::all_of(copies, &Copy::done) || main->width > kWidest)
    return;
  loop.width = main->width;
  if (main->together && *main->together % main->width == 0 && *main->together / main->width <= kWidest)
    loop.interleave = *main->together / main->width;
  for (const auto& [name, count] : operations) {
    const auto found = main->counts.find(name);
    const PackedCount now = found == main->counts.end() ? PackedCount{0, 0} : found->second;
    if (loop.interleave)
      loop.packed[name] = reduced({count * *main->together, now.instructions});
    else if (now.operations > 0)
      loop.packed[name] = reduced(now);
  }
}

void FinalCode::look_at_loops(const Function& function) {
  const auto found = functions_.find(function.getName().str());
  if (found == functions_.end() || found->second.loops.empty() || function.isDeclaration()) return;
  Followed& of = found->second;
  DominatorTree dominators(const_cast<Function&>(function));
  const LoopInfo loops(dominators);
  std::vector<std::vector<Copy>> copies(of.loops.size());
  for (const Loop* loop : loops.getLoopsInPreorder())
    if (const auto mark = mark_of(*loop);
        mark && mark->first == of.number && static_cast<std::size_t>(mark->second) < copies.size())
      copies[static_cast<std::size_t>(mark->second)].push_back(copy_of(*loop, of.register_bits));
  std::vector<std::map<std::string, std::int64_t>> operations(of.loops.size());
  for (std::size_t i = 0; i < of.loop_of.size(); ++i)
    if (of.loop_of[i] >= 0)
      for (const auto& [name, count] : of.operations[i])
        if (!is_bytes(name)) operations[static_cast<std::size_t>(of.loop_of[i])][name] += count;
  for (std::size_t l = 0; l < copies.size(); ++l) tell(of.loops[l], copies[l], operations[l]);
}

// Records blocks that are in no vector loop, by source places that only one block has.
void FinalCode::note_blocks(const Function& function, const Followed& of, json::Array& rows) {
  std::vector<std::map<std::string, PackedCount>> now(of.operations.size());
  std::set<int> with_vectors, scalable;
  if (!of.blocks_at.empty())
    for (const BasicBlock& block : function)
      for (const Instruction& instruction : block) {
        const auto at = of.blocks_at.find(instruction.getDebugLoc().get());
        if (at == of.blocks_at.end() || at->second < 0) continue;
        const std::optional<Executed> executed = executed_by(instruction, of.register_bits);
        if (!executed) continue;
        if (executed->scalable) scalable.insert(at->second);
        if (executed->packed.operations > executed->packed.instructions) with_vectors.insert(at->second);
        PackedCount& count = now[static_cast<std::size_t>(at->second)][executed->name];
        count.operations += executed->packed.operations;
        count.instructions += executed->packed.instructions;
      }
  for (int i = 0; i < static_cast<int>(of.operations.size()); ++i) {
    const FollowedLoop* loop =
        of.loop_of[static_cast<std::size_t>(i)] < 0
            ? nullptr
            : &of.loops[static_cast<std::size_t>(of.loop_of[static_cast<std::size_t>(i)])];
    std::map<std::string, PackedCount> packed;
    if (loop && loop->width && *loop->width > 1)
      packed = loop->packed;
    else if ((!loop || loop->width) && with_vectors.contains(i) && !scalable.contains(i))
      for (const auto& [name, count] : now[static_cast<std::size_t>(i)])
        if (count.operations > count.instructions) packed[name] = reduced(count);
    std::erase_if(packed, [&](const auto& of_class) {
      return !of.operations[static_cast<std::size_t>(i)].contains(of_class.first);
    });
    if (!packed.empty()) rows.push_back(json::Array{of.number, i, row_of(packed)});
  }
}

json::Value FinalCode::finished(Module& module) {
  json::Array loops, blocks;
  DenseMap<MDNode*, MDNode*> without_mark;
  std::vector<std::pair<const Followed*, const Function*>> in_order;
  for (Function& function : module) {
    for (BasicBlock& block : function)
      if (Instruction* end = block.getTerminator())
        if (MDNode* id = end->getMetadata(LLVMContext::MD_loop);
            id && std::ranges::any_of(drop_begin(id->operands()), is_mark)) {
          const auto [known, is_new] = without_mark.try_emplace(id, nullptr);
          if (const auto rest = unmarked(id); is_new && !rest.empty())
            known->second = with_operands(module.getContext(), rest);
          end->setMetadata(LLVMContext::MD_loop, known->second);
        }
    if (const Followed* of = followed(function); of && !function.isDeclaration())
      in_order.emplace_back(of, &function);
  }
  if (for_linking(module)) return nullptr;
  std::ranges::sort(in_order, {}, [](const auto& each) { return each.first->number; });
  for (const auto& [of, function] : in_order) {
    for (std::size_t l = 0; l < of->loops.size(); ++l)
      if (const FollowedLoop& loop = of->loops[l]; loop.width)
        loops.push_back(json::Array{of->number, static_cast<std::int64_t>(l), *loop.width,
                                    loop.interleave ? json::Value(*loop.interleave) : json::Value(nullptr)});
    note_blocks(*function, *of, blocks);
  }
  if (loops.empty() && blocks.empty()) return nullptr;
  return json::Object{{"loops", std::move(loops)}, {"blocks", std::move(blocks)}};
}

}  // namespace parcast::pass
