// SPDX-License-Identifier: Apache-2.0
#include "pass/worksharing.h"

#include <optional>
#include <vector>

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Frontend/OpenMP/OMPConstants.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace parcast::pass {
namespace {

using namespace llvm;

// index of the argument of static_init and dispatch_init: ident, thread, schedule, ...
constexpr unsigned kSchedule = 2;

// Returns none when rounds are distributed over teams instead of threads, or when the schedule is chosen at
// run time.
std::optional<std::string> schedule_of(const CallBase& call) {
  const auto* number =
      call.arg_size() > kSchedule ? dyn_cast<ConstantInt>(call.getArgOperand(kSchedule)) : nullptr;
  if (!number) return std::nullopt;
  using Schedule = omp::OMPScheduleType;
  const auto kind = static_cast<Schedule>(static_cast<int>(number->getZExtValue()) &
                                          ~static_cast<int>(Schedule::ModifierMask));
  switch (kind) {
    case Schedule::BaseStatic:
      return "static";
    case Schedule::BaseStaticChunked:
    case Schedule::BaseStaticBalancedChunked:
      return "static chunked";
    case Schedule::BaseDynamicChunked:
      return "dynamic";
    case Schedule::BaseGuidedChunked:
    case Schedule::BaseGuidedIterativeChunked:
    case Schedule::BaseGuidedAnalyticalChunked:
    case Schedule::BaseGuidedSimd:
      return "guided";
    case Schedule::BaseRuntime:
    case Schedule::BaseRuntimeSimd:
      return "runtime";
    case Schedule::BaseAuto:
      return "auto";
    default:
      return std::nullopt;
  }
}

class Worksharing {
 public:
  Worksharing(const Function& function, const LoopInfo& loops, const DominatorTree& dominators)
      : loops_(loops), dominators_(dominators) {
    for (const BasicBlock& block : function)
      for (const Instruction& instruction : block)
        if (const auto* call = dyn_cast<CallBase>(&instruction))
          if (const Function* callee = call->getCalledFunction()) note(*call, callee->getName());
  }

  std::map<const Loop*, Sharing> find() {
    if (!static_begins_.empty())
      for (const Loop* loop : loops_.getLoopsInPreorder()) find_static(*loop);
    for (const CallBase* next : dispatch_nexts_) find_dispatched(*next);
    return std::move(shared_);
  }

 private:
  void note(const CallBase& call, StringRef name) {
    if (!name.starts_with("__kmpc_")) return;
    if (name.starts_with("__kmpc_for_static_init") || name.starts_with("__kmpc_dist_for_static_init"))
      static_begins_.push_back(&call);
    if (name.starts_with("__kmpc_for_static_fini")) static_ends_.push_back(&call);
    if (name.starts_with("__kmpc_dispatch_init")) dispatch_begins_.push_back(&call);
    if (name.starts_with("__kmpc_dispatch_next")) dispatch_nexts_.push_back(&call);
  }

  // Returns the last call that is on every path to the block.
  const CallBase* last_before(const std::vector<const CallBase*>& calls, const BasicBlock& block) const {
    const CallBase* last = nullptr;
    for (const CallBase* call : calls)
      if (dominators_.properlyDominates(call->getParent(), &block) &&
          (!last || dominators_.dominates(last, call)))
        last = call;
    return last;
  }

  // Finds the construct's own loop: the one between a begin and the end that follows it.
  void find_static(const Loop& loop) {
    const CallBase* begin = last_before(static_begins_, *loop.getHeader());
    if (!begin || loops_.getLoopFor(begin->getParent()) != loop.getParentLoop()) return;
    const CallBase* end = last_before(static_ends_, *loop.getHeader());
    if (end && dominators_.dominates(begin, end)) return;
    if (const auto schedule = schedule_of(*begin)) share(loop, *schedule, *schedule == "static chunked");
  }

  void find_dispatched(const CallBase& next) {
    const Loop* loop = loops_.getLoopFor(next.getParent());
    if (!loop) return;  // before the first chunk
    const CallBase* begin = last_before(dispatch_begins_, *loop->getHeader());
    if (!begin) return;
    if (const auto schedule = schedule_of(*begin)) share(*loop, *schedule, true);
  }

  void share(const Loop& loop, const std::string& schedule, bool in_chunks) {
    in_chunks = in_chunks && !loop.isInnermost();
    shared_[&loop] = {schedule, in_chunks};
    if (in_chunks)
      for (const Loop* inner : loop) shared_[inner] = {schedule, false};
  }

  const LoopInfo& loops_;
  const DominatorTree& dominators_;
  std::vector<const CallBase*> static_begins_, static_ends_, dispatch_begins_, dispatch_nexts_;
  std::map<const Loop*, Sharing> shared_;
};

}  // namespace

std::map<const Loop*, Sharing> shared_loops(const Function& function, const LoopInfo& loops,
                                            const DominatorTree& dominators) {
  return Worksharing(function, loops, dominators).find();
}

}  // namespace parcast::pass
