// SPDX-License-Identifier: Apache-2.0
#include "pass/counted_function.h"

#include <map>
#include <set>
#include <tuple>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MD5.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "pass/by_data.h"
#include "pass/exceptions.h"
#include "pass/expansion.h"
#include "pass/hoisting.h"
#include "pass/nodes.h"
#include "pass/operations.h"
#include "pass/overwrites.h"
#include "pass/references.h"
#include "pass/worksharing.h"

namespace parcast::pass {
namespace {

using namespace llvm;

// Names are not copied: they stay where the module keeps them.
json::Value source_of(const DebugLoc& location) {
  json::Array lines;  // innermost first, then the places where it was inlined
  for (const DILocation* at = location.get(); at && lines.size() < 8; at = at->getInlinedAt())
    lines.push_back(json::Array{at->getFilename(), static_cast<std::int64_t>(at->getLine())});
  return lines;
}

json::Value source_of(const BasicBlock& block) {
  for (const Instruction& instruction : block)
    if (!isa<DbgInfoIntrinsic>(instruction) && instruction.getDebugLoc() &&
        instruction.getDebugLoc().getLine() > 0)
      return source_of(instruction.getDebugLoc());
  return json::Array{};
}

class FunctionCounter {
 public:
  FunctionCounter(Function& function, FunctionAnalysisManager& analyses, CounterMemory& memory)
      : function_(function),
        memory_(memory),
        layout_(function.getParent()->getDataLayout()),
        loops_(analyses.getResult<LoopAnalysis>(function)),
        evolution_(analyses.getResult<ScalarEvolutionAnalysis>(function)),
        dominators_(analyses.getResult<DominatorTreeAnalysis>(function)),
        library_(analyses.getResult<TargetLibraryAnalysis>(function)),
        target_(analyses.getResult<TargetIRAnalysis>(function)) {
    auto& assumptions = analyses.getResult<AssumptionAnalysis>(function);
    bool changed = false;
    for (Loop* loop : loops_)
      changed |= simplifyLoop(loop, &dominators_, &loops_, &evolution_, &assumptions, nullptr, false);
    BranchProbabilityInfo probabilities(function, loops_, &library_, &dominators_);
    BlockFrequencyInfo frequencies(function, probabilities, loops_);
    shape_ = shape_of(function, frequencies, probabilities, library_);
    for (Loop* loop : loops_.getLoopsInPreorder()) {
      if (!shape_.number.contains(loop->getHeader())) continue;
      loop_numbers_[loop] = static_cast<int>(order_.size());
      order_.push_back(loop);
    }
  }

  json::Object planned(int number, FinalCode& final) {
    SCEVExpander expander(evolution_, layout_, "parcast", false);
    const Hoisting hoisting(shape_, loops_, evolution_, dominators_, library_, target_, expander);
    Nodes nodes(evolution_, dominators_, loop_numbers_, layout_);
    make_cheaper(hoisting);
    const std::vector<bool> counted =
        shape_.in_place ? every_block() : facts::arcs_to_count(shape_.points(), shape_.arcs);
    json::Object given = tell(nodes, hoisting, counted);
    final.follow(function_, number, shape_, order_, loops_, target_);
    count(counted, hoisting, expander);
    final.mark(function_);
    return given;
  }

  json::Object in_place() {
    assign(every_block());
    json::Object given = header();
    given["arcs"] = arcs();
    if (json::Array rows = invoked(); !rows.empty()) given["invoked"] = std::move(rows);
    given["blocks"] = blocks(false);
    for (std::size_t i = 0; i < shape_.blocks.size(); ++i)
      stand_for_add(counters_[i], ConstantInt::get(Type::getInt64Ty(function_.getContext()), 1),
                    &*shape_.blocks[i]->getFirstInsertionPt());
    return given;
  }

 private:
  std::vector<bool> every_block() const {
    std::vector<bool> counted(shape_.arcs.size(), false);
    std::fill_n(counted.begin(), shape_.blocks.size(), true);
    return counted;
  }

  const Loop* closed_by(std::size_t arc) const {
    const auto [from, to] = shape_.ends[arc];
    if (shape_.kinds[arc] != ArcKind::edge) return nullptr;
    const Loop* loop = loops_.getLoopFor(shape_.blocks[to]);
    return loop && loop->getHeader() == shape_.blocks[to] && loop->getLoopLatch() == shape_.blocks[from]
               ? loop
               : nullptr;
  }

  void make_cheaper(const Hoisting& hoisting) {
    rounds_of_arc_.assign(shape_.arcs.size(), nullptr);
    for (std::size_t i = 0; i < shape_.arcs.size(); ++i) {
      const Loop* loop = closed_by(i);
      const Rounds* rounds = loop ? hoisting.rounds(loop) : nullptr;
      if (!rounds) continue;
      const double cost = 2 * shape_.arcs[shape_.number.lookup(rounds->place)].cost;
      if (cost >= shape_.arcs[i].cost && rounds->place == loop->getLoopPreheader() &&
          cost > 2 * shape_.arcs[i].cost)
        continue;
      shape_.arcs[i].cost = std::min(cost, shape_.arcs[i].cost);
      rounds_of_arc_[i] = rounds;
    }
  }

  void assign(const std::vector<bool>& counted) {
    counters_.assign(shape_.arcs.size(), 0);
    has_counter_ = counted;
    for (std::size_t i = 0; i < counted.size(); ++i)
      if (counted[i]) counters_[i] = memory_.counter();
  }

  json::Object header() const {
    json::Object given;
    given["name"] = function_.getName().str();
    if (function_.hasLinkOnceLinkage() || function_.hasWeakLinkage()) given["merged"] = true;
    if (function_.isVarArg()) given["variadic"] = true;
    if (const DISubprogram* program = function_.getSubprogram())
      given["at"] = json::Array{program->getFilename(), static_cast<std::int64_t>(program->getLine())};
    MD5 hash;
    for (const auto& [from, to] : shape_.ends) {
      const std::int32_t both[2] = {from, to};
      hash.update(ArrayRef<std::uint8_t>(reinterpret_cast<const std::uint8_t*>(both), sizeof both));
    }
    given["shape"] = utohexstr(hash.final().low());
    return given;
  }

  json::Array arcs() const {
    json::Array rows;
    rows.reserve(shape_.arcs.size());
    for (std::size_t i = 0; i < shape_.arcs.size(); ++i) {
      const facts::Arc& arc = shape_.arcs[i];
      json::Array row{arc.from, arc.to};
      if (has_counter_[i])
        row.push_back(static_cast<std::int64_t>(counters_[i]));
      else if (!arc.countable)
        row.push_back(nullptr);
      rows.push_back(std::move(row));
    }
    return rows;
  }

  // Returns the facts of all blocks; with the loops that they are in, if these are recorded.
  json::Array blocks(bool with_loops) const {
    json::Array rows;
    rows.reserve(shape_.blocks.size());
    for (const BasicBlock* block : shape_.blocks) {
      json::Object row;
      row["at"] = source_of(*block);
      if (const Loop* loop = loops_.getLoopFor(block); loop && with_loops)
        row["loop"] = loop_numbers_.lookup(loop);
      json::Object operations;
      for (const auto& [name, count] : operations_of(*block, layout_)) operations[name] = count;
      row["operations"] = std::move(operations);
      if (auto types = taken_by(*block)) row["takes"] = std::move(*types);
      rows.push_back(std::move(row));
    }
    return rows;
  }

  // Returns the arcs that return from a call at the end of a block.
  json::Array invoked() const {
    json::Array rows;
    for (std::size_t i = 0; i < shape_.arcs.size(); ++i)
      if (shape_.kinds[i] == ArcKind::edge && shape_.arcs[i].from == 0)
        rows.push_back(json::Array{static_cast<std::int64_t>(i), shape_.ends[i].first});
    return rows;
  }

  // Finds the sources that a value depends on and that probes must examine, at a place that is on every path
  // to the value's users. `more`: also sources without a probe so far.
  void probe_sources(Nodes& nodes, int root, BasicBlock* place, bool more) {
    std::vector<int> open{root};
    std::set<int> seen;
    while (!open.empty()) {
      const int node = open.back();
      open.pop_back();
      if (!seen.insert(node).second || !walked_.insert({node, place, more}).second) continue;
      if (const auto source = nodes.sources().find(node);
          source != nodes.sources().end() && (more || looked_at_.contains(node))) {
        BasicBlock*& at = looked_at_.try_emplace(node, source->second, place).first->second.second;
        at = dominators_.findNearestCommonDominator(at, place);
      }
      const json::Array& row = nodes.row(node);
      const StringRef name = *row[0].getAsString();
      static const std::set<StringRef> kWithoutOperands{"int",    "float",  "argument", "load",     "call",
                                                        "untold", "global", "behind",   "local",    "at",
                                                        "text",   "field",  "pointed",  "somewhere"};
      if (kWithoutOperands.contains(name)) continue;
      for (std::size_t i = name == "recurrence" ? 3 : 2; i < row.size(); ++i)
        if (const auto operand = row[i].getAsInteger(); operand && *operand < node)
          open.push_back(static_cast<int>(*operand));
    }
  }

  json::Object tell(Nodes& nodes, const Hoisting& hoisting, const std::vector<bool>& counted) {
    assign(counted);
    json::Object given = header();
    given["arcs"] = arcs();
    if (json::Array rows = invoked(); !rows.empty()) given["invoked"] = std::move(rows);
    given["blocks"] = blocks(true);
    json::Array loops;
    loops.reserve(order_.size());
    const std::map<const Loop*, Sharing> shared = shared_loops(function_, loops_, dominators_);
    for (Loop* loop : order_) {
      json::Object row = note_loop(*loop, nodes, hoisting);
      if (const auto sharing = shared.find(loop); sharing != shared.end()) {
        row["shared"] = sharing->second.schedule;
        if (sharing->second.chunks) row["chunks"] = true;
      }
      loops.push_back(std::move(row));
    }
    given["loops"] = std::move(loops);
    json::Array branches, calls, stores, returns, by_data;
    std::size_t most_calls = 0, most_stores = 0;
    for (const BasicBlock* block : shape_.blocks)
      for (const Instruction& instruction : *block) {
        most_calls += isa<CallBase>(instruction) &&
                      (!isa<IntrinsicInst>(instruction) || isa<MemTransferInst>(instruction));
        most_stores += isa<StoreInst>(instruction);
        most_stores += isa<MemSetInst>(instruction) ? kMostZeros : 0;
      }
    calls.reserve(most_calls + shape_.blocks.size());
    stores.reserve(most_stores);
    branches.reserve(shape_.blocks.size());
    ByData data(loops_, dominators_);
    Overwrites overwrites(loops_, nodes);
    for (std::size_t i = 0; i < shape_.blocks.size(); ++i) {
      if (data.decide(*shape_.blocks[i])) by_data.push_back(static_cast<int>(i));
      for (Instruction& instruction : *shape_.blocks[i]) {
        if (auto* call = dyn_cast<CallBase>(&instruction))
          note_call(*call, static_cast<int>(i), nodes, overwrites, calls);
        if (auto* store = dyn_cast<StoreInst>(&instruction))
          note_store(*store, static_cast<int>(i), nodes, overwrites, stores);
        if (auto* set = dyn_cast<MemSetInst>(&instruction))
          note_set(*set, static_cast<int>(i), nodes, overwrites, stores);
        overwrites.lose(instruction, static_cast<int>(i));
        if (auto* change = dyn_cast<AtomicRMWInst>(&instruction))
          overwrites.write(change->getPointerOperand(), static_cast<int>(i));
        if (auto* change = dyn_cast<AtomicCmpXchgInst>(&instruction))
          overwrites.write(change->getPointerOperand(), static_cast<int>(i));
      }
      Instruction* end = shape_.blocks[i]->getTerminator();
      if (isa<ResumeInst>(end))  // the call that the code generator makes of it
        calls.push_back(json::Object{{"block", static_cast<int>(i)},
                                     {"at", source_of(end->getDebugLoc())},
                                     {"to", "_Unwind_Resume"},
                                     {"arguments", json::Array{}}});
      if (auto* branch = dyn_cast<BranchInst>(end))
        note_branch(*branch, static_cast<int>(i), nodes, branches);
      if (auto* give = dyn_cast<ReturnInst>(end);
          give && give->getReturnValue() && give->getReturnValue()->getType()->isIntegerTy())
        returns.push_back(nodes.of(give->getReturnValue()));
    }
    if (json::Array references = note_references(nodes); !references.empty())
      given["references"] = std::move(references);
    for (const auto& [root, place] : asked_in_loops_) probe_sources(nodes, root, place, false);
    given["branches"] = std::move(branches);
    given["by_data"] = std::move(by_data);
    if (json::Array rows = overwrites.tell(); !rows.empty()) given["overwrites"] = std::move(rows);
    given["calls"] = std::move(calls);
    given["stores"] = std::move(stores);
    given["returns"] = std::move(returns);
    json::Array probes;
    for (const auto& [node, value, place] : looked()) {
      probe_numbers_.push_back(memory_.probe());
      probes.push_back(json::Array{node, static_cast<std::int64_t>(probe_numbers_.back())});
    }
    given["probes"] = std::move(probes);
    given["nodes"] = nodes.take_table();
    return given;
  }

  // Returns the references of all loops. When no place before a loop is on every path to it, the sources of
  // its references get no probes.
  json::Array note_references(Nodes& nodes) {
    json::Array all;
    ArrayNumbers arrays;
    for (std::size_t i = 0; i < shape_.blocks.size(); ++i) {
      const Loop* loop = loops_.getLoopFor(shape_.blocks[i]);
      if (!loop || !loop_numbers_.contains(loop)) continue;
      const auto asked = [&](int node) {
        if (BasicBlock* before = loop->getLoopPreheader()) probe_sources(nodes, node, before, true);
      };
      for (json::Value& row : references_of(*shape_.blocks[i], static_cast<int>(i), *loop, evolution_,
                                            layout_, loop_numbers_, nodes, arrays, asked))
        all.push_back(std::move(row));
    }
    return all;
  }

  json::Object note_loop(Loop& loop, Nodes& nodes, const Hoisting& hoisting) {
    json::Object row;
    row["head"] = shape_.number.lookup(loop.getHeader());
    if (const Loop* parent = loop.getParentLoop()) row["in"] = loop_numbers_.lookup(parent);
    row["at"] = source_of(loop.getStartLoc());
    const SCEV* rounds = evolution_.getBackedgeTakenCount(&loop);
    if (isa<SCEVCouldNotCompute>(rounds)) {
      SmallVector<BasicBlock*, 4> exiting;
      loop.getExitingBlocks(exiting);
      json::Array perhaps;
      for (BasicBlock* block : exiting)
        if (const std::optional<int> node = nodes.rounds_by_comparison(loop, *block))
          perhaps.push_back(*node);
      if (!perhaps.empty()) row["perhaps"] = std::move(perhaps);
      return row;
    }
    if (const std::optional<int> node = nodes.of(rounds)) {
      row["rounds"] = *node;
      if (BasicBlock* before = loop.getLoopPreheader()) probe_sources(nodes, *node, before, true);
    }
    row["whole"] = hoisting.whole(&loop);
    if (const PHINode* variable = loop.getInductionVariable(evolution_))
      if (const auto bounds = loop.getBounds(evolution_)) {
        json::Object descriptor;
        descriptor["first"] = nodes.of(&bounds->getInitialIVValue());
        descriptor["end"] = nodes.of(&bounds->getFinalIVValue());
        if (Value* step = bounds->getStepValue()) descriptor["step"] = nodes.of(step);
        descriptor["name"] = variable->getName().str();
        row["variable"] = std::move(descriptor);
      }
    return row;
  }

  // Records the copy of a complete object as a call of memcpy.
  void note_copy(MemTransferInst& copy, int block, Nodes& nodes, Overwrites& overwrites, json::Array& calls) {
    json::Object row{{"block", block}, {"at", source_of(copy.getDebugLoc())}, {"to", "memcpy"}};
    row["arguments"] =
        json::Array{nodes.of(copy.getDest()), nodes.of(copy.getSource()), nodes.of(copy.getLength())};
    overwrites.write_if_computed(copy.getDest(), block);
    calls.push_back(std::move(row));
  }

  void note_call(CallBase& call, int block, Nodes& nodes, Overwrites& overwrites, json::Array& calls) {
    if (auto* copy = dyn_cast<MemTransferInst>(&call))
      return note_copy(*copy, block, nodes, overwrites, calls);
    if (call.isInlineAsm() || is_store_of_processor(call))
      for (Value* argument : call.args())
        if (argument->getType()->isPointerTy()) overwrites.write(argument, block);
    if (isa<IntrinsicInst>(call) || call.isInlineAsm()) return;
    json::Object row;
    row["block"] = block;
    row["at"] = source_of(call.getDebugLoc());
    if (const StringRef callee = called_by(call); !callee.empty()) row["to"] = callee;
    json::Array arguments;
    arguments.reserve(call.arg_size());
    for (Value* argument : call.args()) {
      Type* type = argument->getType();
      arguments.push_back(type->isIntegerTy() || type->isPointerTy() ? json::Value(nodes.of(argument))
                                                                     : json::Value(nullptr));
    }
    // sources of values that are not in the facts; in loops these probes would cost too much
    if (!loops_.getLoopFor(call.getParent()))
      for (const json::Value& argument : arguments)
        if (const auto node = argument.getAsInteger())
          probe_sources(nodes, static_cast<int>(*node), call.getParent(), true);
    row["arguments"] = std::move(arguments);
    if (json::Array objects = overwrites.within(call); !objects.empty()) row["within"] = std::move(objects);
    if (call.getType()->isIntegerTy()) row["gives"] = nodes.of(&call);
    if (auto types = thrown_by(call)) row["throws"] = std::move(*types);
    calls.push_back(std::move(row));
  }

  // Returns whether the call is a target-specific or masked instruction that writes to memory through a
  // pointer.
  static bool is_store_of_processor(const CallBase& call) {
    const Function* callee = call.getCalledFunction();
    if (!callee || !callee->isIntrinsic() || call.onlyReadsMemory()) return false;
    const StringRef name = callee->getName();
    return callee->isTargetIntrinsic() || name.starts_with("llvm.masked.") || name.starts_with("llvm.vp.");
  }

  void note_store(StoreInst& store, int block, Nodes& nodes, Overwrites& overwrites, json::Array& stores) {
    Type* type = store.getValueOperand()->getType();
    const bool scalar = type->isIntegerTy() || type->isDoubleTy() || type->isFloatTy() || type->isPointerTy();
    const Loop* loop = loops_.getLoopFor(store.getParent());
    // elements of arrays
    if (!scalar || (loop && !loop->isLoopInvariant(store.getPointerOperand())))
      return overwrites.write(store.getPointerOperand(), block);
    const int value = nodes.of(store.getValueOperand()), place = nodes.place(store.getPointerOperand());
    if (!loop) probe_sources(nodes, value, store.getParent(), true);
    stores.push_back(json::Array{block, place, value});
    overwrites.write_if_computed(store.getPointerOperand(), block);
  }

  // Records a few words set to zero as a store of each word.
  void note_set(MemSetInst& set, int block, Nodes& nodes, Overwrites& overwrites, json::Array& stores) {
    constexpr std::int64_t kWord = 4;
    const auto* value = dyn_cast<ConstantInt>(set.getValue());
    const auto* length = dyn_cast<ConstantInt>(set.getLength());
    if (!value || !value->isZero() || !length || length->getValue().getActiveBits() > 31 ||
        length->getSExtValue() % kWord != 0 || length->getSExtValue() / kWord > kMostZeros)
      return overwrites.write(set.getDest(), block);
    for (std::int64_t at = 0; at < length->getSExtValue(); at += kWord)
      stores.push_back(json::Array{block, nodes.place(set.getDest(), at),
                                   nodes.of(ConstantInt::get(Type::getInt32Ty(function_.getContext()), 0))});
    overwrites.write_if_computed(set.getDest(), block);
  }

  void note_branch(BranchInst& branch, int block, Nodes& nodes, json::Array& branches) {
    auto* condition = branch.isConditional() ? dyn_cast<ICmpInst>(branch.getCondition()) : nullptr;
    if (!condition || !condition->getOperand(0)->getType()->isIntegerTy()) return;
    const Loop* loop = loops_.getLoopFor(branch.getParent());
    const auto side = [&](Value* value) { return nodes.of(evolution_.getSCEVAtScope(value, loop)); };
    const std::optional<int> left = side(condition->getOperand(0)), right = side(condition->getOperand(1));
    if (!left || !right) return;
    branches.push_back(json::Array{block, CmpInst::getPredicateName(condition->getPredicate()), *left, *right,
                                   shape_.number.lookup(branch.getSuccessor(0)),
                                   shape_.number.lookup(branch.getSuccessor(1))});
    for (const int root : {*left, *right}) {
      if (loop)
        asked_in_loops_.emplace_back(root, branch.getParent());
      else
        probe_sources(nodes, root, branch.getParent(), true);
    }
  }

  static constexpr std::int64_t kMostZeros = 16;  // words

  struct Looked {
    int node;
    Value* value;
    BasicBlock* place;
  };
  // Returns the probes in the order of nodes. A value is examined before the outermost loop in which it does
  // not change.
  std::vector<Looked> looked() {
    if (!looked_.empty() || looked_at_.empty()) return looked_;
    for (const auto& [node, at] : looked_at_) {
      auto [value, place] = at;
      for (Loop* loop = loops_.getLoopFor(place);
           loop && loop->isLoopInvariant(value) && loop->getLoopPreheader(); loop = loop->getParentLoop())
        place = loop->getLoopPreheader();
      auto* instruction = dyn_cast<Instruction>(value);
      if (instruction && !dominators_.dominates(instruction, place->getTerminator())) continue;
      looked_.push_back({node, value, place});
    }
    return looked_;
  }

  void count(const std::vector<bool>& counted, const Hoisting& hoisting, SCEVExpander& expander) {
    std::vector<Increment> increments;
    Type* word = Type::getInt64Ty(function_.getContext());
    std::vector<Value*> amounts(counted.size(), nullptr);
    for (std::size_t i = 0; i < counted.size(); ++i)  // before any block is split
      if (counted[i] && rounds_of_arc_[i])
        amounts[i] =
            expander.expandCodeFor(rounds_of_arc_[i]->total, word, rounds_of_arc_[i]->place->getTerminator());
    std::vector<BasicBlock*> whole;
    for (const Loop* loop : order_)
      if (hoisting.whole(loop) && !shape_.in_place) whole.push_back(loop->getHeader());
    for (std::size_t i = 0; i < counted.size(); ++i)
      if (counted[i]) increments.push_back({counters_[i], amounts[i], place_of(i, amounts[i])});
    const std::vector<Looked> looked_at = looked();
    insert(function_, increments, whole);
    for (std::size_t i = 0; i < looked_at.size(); ++i)
      stand_for_look(probe_numbers_[i], looked_at[i].value, end_of(*looked_at[i].place));
  }

  // Returns the last position in a block where code can be inserted: before a call that must be in tail
  // position.
  static Instruction* end_of(BasicBlock& block) {
    Instruction* last = block.getTerminatingMustTailCall();
    return last ? last : block.getTerminator();
  }

  Instruction* place_of(std::size_t arc, const Value* hoisted) {
    if (hoisted) return rounds_of_arc_[arc]->place->getTerminator();
    const auto [from, to] = shape_.ends[arc];
    switch (shape_.kinds[arc]) {
      case ArcKind::block:
        return &*shape_.blocks[to]->getFirstInsertionPt();
      case ArcKind::entry:
        return &*shape_.blocks[0]->getFirstInsertionPt();
      case ArcKind::resumption:
      case ArcKind::leaving:
        return shape_.blocks[from]->getTerminator();
      case ArcKind::edge:
        break;
    }
    BasicBlock *before = shape_.blocks[from], *after = shape_.blocks[to];
    if (before->getUniqueSuccessor() == after && !isa<InvokeInst>(before->getTerminator()))
      return before->getTerminator();
    if (after->getUniquePredecessor() == before) return &*after->getFirstInsertionPt();
    return block_between(before, after)->getTerminator();
  }

  Function& function_;
  CounterMemory& memory_;
  const DataLayout& layout_;
  LoopInfo& loops_;
  ScalarEvolution& evolution_;
  DominatorTree& dominators_;
  const TargetLibraryInfo& library_;
  const TargetTransformInfo& target_;
  Shape shape_;
  std::vector<Loop*> order_;
  DenseMap<const Loop*, int> loop_numbers_;
  std::vector<const Rounds*> rounds_of_arc_;
  std::vector<std::uint64_t> counters_, probe_numbers_;
  std::vector<bool> has_counter_;
  std::map<int, std::pair<Value*, BasicBlock*>> looked_at_;
  std::set<std::tuple<int, BasicBlock*, bool>> walked_;  // by probe_sources
  std::vector<Looked> looked_;
  std::vector<std::pair<int, BasicBlock*>> asked_in_loops_;  // nodes that branches depend on, and the blocks
};

}  // namespace

json::Object count_function(Function& function, int number, FunctionAnalysisManager& analyses,
                            CounterMemory& memory, Counting counting, FinalCode& final) {
  FunctionCounter counter(function, analyses, memory);
  return counting == Counting::in_place ? counter.in_place() : counter.planned(number, final);
}

}  // namespace parcast::pass
