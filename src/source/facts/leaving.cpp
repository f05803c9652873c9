// SPDX-License-Identifier: Apache-2.0
// Which calls do not return: those that end the process in failure, which no successful run reaches, and
// those after which control continues elsewhere or the process ends successfully.

#include <algorithm>
#include <array>
#include <string_view>

#include "source/facts/derivation.h"

namespace parcast::facts {
namespace {

constexpr int kLongestChain = 16;         // length of a chain of functions that pass an exit code on
constexpr std::int64_t kOfStatus = 0xff;  // bits of an exit code that the parent process receives

/// Functions that leave their caller, or return to it a second time.
constexpr std::array<std::string_view, 34> kJumps{"longjmp",
                                                  "_longjmp",
                                                  "siglongjmp",
                                                  "__longjmp_chk",
                                                  "setjmp",
                                                  "_setjmp",
                                                  "sigsetjmp",
                                                  "__sigsetjmp",
                                                  "setcontext",
                                                  "swapcontext",
                                                  "exit",
                                                  "_exit",
                                                  "_Exit",
                                                  "quick_exit",
                                                  "pthread_exit",
                                                  "thrd_exit",
                                                  "_FortranAStopStatement",
                                                  "_FortranAStopStatementText",
                                                  "_FortranAExit",
                                                  "_ZSt9terminatev",
                                                  "execl",
                                                  "execle",
                                                  "execlp",
                                                  "execv",
                                                  "execve",
                                                  "execvp",
                                                  "execvpe",
                                                  "execveat",
                                                  "fexecve",
                                                  "syscall",
                                                  "err",
                                                  "errx",
                                                  "verr",
                                                  "verrx"};

}  // namespace

// Returns whether a call does not return because the process ends in failure. This includes calls that throw
// a type that nothing in the program catches, and resumptions of unwinding where nothing is passed on. Of
// types that may be caught, only running out of memory counts.
bool LinkedProgram::fails_for_good(FunctionPlace place, const Call& call) const {
  return fails_by_name(place, call) && called(place.module, *call.to).empty();
}

// The name counts only if the program does not define a function of that name.
bool LinkedProgram::fails_by_name(FunctionPlace place, const Call& call) const {
  static constexpr std::array kByAbort{"abort", "__assert_fail", "__stack_chk_fail"};
  static constexpr std::array kByMpi{"MPI_Abort", "PMPI_Abort", "mpi_abort_", "pmpi_abort_",
                                     "mpi_abort_f08_"};
  static constexpr std::array kOutOfMemory{"_ZSt20__throw_length_errorPKc", "_ZSt17__throw_bad_allocv",
                                           "_ZSt28__throw_bad_array_new_lengthv"};
  static constexpr std::array kWithACode{
      "exit", "quick_exit", "_FortranAStopStatement", "_FortranAExit", "err", "errx", "verr", "verrx"};
  static constexpr std::array kAtOnce{"_exit", "_Exit"};
  const auto is_one_of = [&](const auto& all) { return std::ranges::find(all, *call.to) != all.end(); };
  if (is_one_of(kByAbort)) return !habits_.aborts_otherwise;
  if (call.to == "_ZSt9terminatev") return !habits_.terminates_otherwise;
  if (is_one_of(kByMpi) || is_one_of(kOutOfMemory)) return true;
  if (call.to == "_Unwind_Resume")
    return !habits_.unwinds_otherwise && (at(place).name == "main" || !thrown_.contains(place));
  if (only_throws(call)) {
    const std::optional<Types> types = thrown_itself(place, call);
    return types && uncaught_.contains(*types);
  }
  // a text that is not an error message is printed, and the exit is successful
  constexpr std::size_t kIsError = 2;
  if (call.to == "_FortranAStopStatementText")
    return !habits_.exits_otherwise && call.arguments.size() > kIsError && call.arguments[kIsError] &&
           is_never_zero(place, *call.arguments[kIsError]);
  if (!is_one_of(kAtOnce) && (!is_one_of(kWithACode) || habits_.exits_otherwise)) return false;
  return !call.arguments.empty() && call.arguments[0] && is_never_zero(place, *call.arguments[0]);
}

// Also true if all existing calls pass a nonzero value and nothing else may call the function.
bool LinkedProgram::is_never_zero(FunctionPlace place, NodeNumber number, int depth) const {
  const Function& function = at(place);
  const Node& node = function.nodes[number];
  if (node.operation == Operation::integer) return (node.number & kOfStatus) != 0;
  if (node.operation != Operation::argument || depth > kLongestChain || function.name == "main") return false;
  if (const auto known = never_zero_.find({place, number}); known != never_zero_.end()) return known->second;
  return never_zero_[{place, number}] =
             is_passed_never_zero(function, static_cast<std::size_t>(node.number), depth);
}

bool LinkedProgram::is_name_of(const std::string& name, const Function& function) const {
  if (name == function.name) return true;
  const auto alias = aliases_.find(name);
  return alias != aliases_.end() &&
         std::ranges::any_of(alias->second, [&](FunctionPlace place) { return &at(place) == &function; });
}

bool LinkedProgram::is_passed_never_zero(const Function& function, std::size_t argument, int depth) const {
  bool any = false;
  if (std::ranges::any_of(taken_, [&](FunctionPlace place) { return &at(place) == &function; })) return false;
  for (int m = 0; m < static_cast<int>(modules_.size()); ++m)
    for (int f = 0; f < static_cast<int>(modules_[m].functions.size()); ++f) {
      const Function& caller = modules_[m].functions[f];
      for (const Call& call : caller.calls) {
        if (!call.to && call.arguments.size() > argument) return false;  // it may lead there
        if (!call.to || !is_name_of(*call.to, function)) continue;
        const auto passed = argument < call.arguments.size() ? call.arguments[argument] : std::nullopt;
        if (!passed || !is_never_zero({m, f}, *passed, depth + 1)) return false;
        any = true;
      }
    }
  return any;
}

// An exception continues at the handler of the call, by an arc of the graph. Leaving main, it ends the
// process.
bool LinkedProgram::may_leave(FunctionPlace function, const Call& call) const {
  if (may_jump(function, call)) return true;
  if (at(function).name == "main") return false;
  return call.to == "_Unwind_Resume" ? thrown_.contains(function)
                                     : may_throw(function, call) && handler(function, call) == nullptr;
}

// An arc to a handler is never taken if its call throws nothing.
bool LinkedProgram::may_unwind(FunctionPlace place, std::size_t arc) const {
  const Function& function = at(place);
  const auto invoked = function.invoked.find(arc);
  if (invoked == function.invoked.end() || !handler_behind(function, arc)) return true;
  const auto last =
      std::ranges::find(function.calls.rbegin(), function.calls.rend(), invoked->second, &Call::block);
  return last == function.calls.rend() || may_throw(place, *last) || may_jump(place, *last);
}

// Also true for calls that end the process or the thread successfully.
bool LinkedProgram::may_jump(FunctionPlace function, const Call& call) const {
  if (jumps_back_ && (!call.to || (called(function.module, *call.to).empty() && may_call_back(*call.to))))
    return true;
  if (habits_.cancels && call.to && !is_quiet(*call.to) && called(function.module, *call.to).empty())
    return true;
  if (call.to && std::ranges::find(kJumps, *call.to) != kJumps.end() && !fails_for_good(function, call))
    return true;
  const auto callees = given_callees(function, call);
  return callees
             ? std::ranges::any_of(*callees, [&](FunctionPlace callee) { return jumping_.contains(callee); })
             : !jumping_.empty();
}

bool LinkedProgram::may_throw(FunctionPlace function, const Call& call) const {
  return !thrown(function, call).empty();
}

// Returns the functions that a call leads to by its name, or may call back since they are passed to it.
// Returns nothing if it may be any function.
std::optional<std::vector<FunctionPlace>> LinkedProgram::given_callees(FunctionPlace place,
                                                                       const Call& call) const {
  // its callee is passed in a thread variable
  if (!call.to || call.to == "pthread_once") return std::nullopt;
  std::vector<FunctionPlace> all = called(place.module, *call.to);
  for (const auto& argument : call.arguments) {
    if (!argument) continue;
    const Node& node = at(place).nodes[*argument];
    if (node.operation != Operation::global) continue;
    const auto more = called(place.module, node.name);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

// A function that calls a jumping function may jump too. Repeats until none is added.
void LinkedProgram::find_jumping() {
  for (const Module& module : modules_) {
    const auto jumps = [](const std::string& name) {
      return std::ranges::find(kJumps, name) != kJumps.end();
    };
    jumps_back_ = jumps_back_ || std::ranges::any_of(module.taken, jumps);
  }
  for (bool more = true; more;) {
    more = false;
    for (const auto& [name, places] : by_name_)
      for (const FunctionPlace place : places)
        if (std::ranges::any_of(at(place).calls, [&](const Call& call) { return may_jump(place, call); }))
          more = jumping_.insert(place).second || more;
    const bool back =
        std::ranges::any_of(taken_, [&](FunctionPlace place) { return jumping_.contains(place); });
    more = more || (back && !jumps_back_);
    jumps_back_ = jumps_back_ || back;
  }
}

// Returns the blocks reachable from `start` (-1: the entry of the function) without passing through `stop`.
// Sets `leaves` to whether the function's exit is reachable.
std::vector<bool> LinkedProgram::reached_from(FunctionPlace place, int start, int stop, bool& leaves) const {
  const Function& function = at(place);
  const auto block = [](Point point) { return point == 0 ? -1 : (point - 1) / 2; };
  // a call at the end of a block returns by an arc of its own
  std::vector<bool> reached(function.blocks.size()), resumed(function.blocks.size());
  for (const auto& [arc, from] : function.invoked) resumed[static_cast<std::size_t>(from)] = true;
  leaves = false;
  const auto goes_on = [&](int from) {
    return from == start ||
           (from >= 0 && reached[static_cast<std::size_t>(from)] && from != stop && !only_fails(place, from));
  };
  for (bool grows = true; grows;) {
    grows = false;
    for (std::size_t arc = function.blocks.size(); arc < function.arcs.size(); ++arc) {
      const auto invoked = function.invoked.find(arc);
      const Point begin = function.arcs[arc].from, end = function.arcs[arc].to;
      const int from = invoked == function.invoked.end() ? block(begin) : invoked->second, to = block(end);
      if ((from < 0 && (to < 0 || end % 2 == 0)) || !goes_on(from)) continue;  // a block resumes after a call
      if (to < 0)
        leaves = leaves || !resumed[static_cast<std::size_t>(from)];
      else if (!reached[static_cast<std::size_t>(to)])
        reached[static_cast<std::size_t>(to)] = grows = true;
    }
  }
  return reached;
}

bool LinkedProgram::may_precede(FunctionPlace place, int block, int other) const {
  bool leaves = false;
  return block == other || reached_from(place, block, -1, leaves)[static_cast<std::size_t>(other)];
}

// True if every path that leaves the function, without ending the process in failure, passes the block, and
// if the same holds for a call of the function.
bool LinkedProgram::is_unavoidable(FunctionPlace place, int unavoidable, int depth) const {
  bool leaves = false;
  reached_from(place, -1, unavoidable, leaves);
  if (leaves) return false;
  const std::string& name = at(place).name;
  if (name == "main" || name == "_QQmain") return true;
  const auto callers = callers_.find(place);
  return depth < kLongestChain && callers != callers_.end() &&
         std::ranges::any_of(callers->second, [&](const CallPlace& caller) {
           return is_unavoidable(caller.function,
                                 at(caller.function).calls[static_cast<std::size_t>(caller.call)].block,
                                 depth + 1);
         });
}

// A function whose paths all end the process in failure ends it itself. Repeats until none is added.
void LinkedProgram::find_endings() {
  bool more = true;
  while (more) {
    more = false;
    for (const auto& [name, places] : by_name_)
      for (const FunctionPlace place : places) more = find_endings(place) || more;
  }
}

// Returns the blocks from which a path leads out of the function, or continues forever, without passing a
// block in `ends`.
std::vector<bool> LinkedProgram::leading_on(const Function& function, const std::vector<bool>& ends) {
  const auto block = [](Point point) { return point == 0 ? -1 : (point - 1) / 2; };
  std::vector<bool> leads_on = ends;
  leads_on.flip();
  for (bool shrinks = true; shrinks;) {
    std::vector<bool> next(function.blocks.size());
    for (std::size_t arc = function.blocks.size(); arc < function.arcs.size(); ++arc) {
      const auto invoked = function.invoked.find(arc);
      const int from = invoked == function.invoked.end() ? block(function.arcs[arc].from) : invoked->second,
                to = block(function.arcs[arc].to);
      if (from >= 0 && leads_on[static_cast<std::size_t>(from)] &&
          (to < 0 || leads_on[static_cast<std::size_t>(to)]))
        next[static_cast<std::size_t>(from)] = true;
    }
    shrinks = next != leads_on;
    leads_on = std::move(next);
  }
  return leads_on;
}

// Finds blocks from which all paths end the process. Returns whether any was added.
bool LinkedProgram::find_endings(FunctionPlace place) {
  const Function& function = at(place);
  std::vector<bool> calls_end(function.blocks.size());
  for (const Call& call : function.calls) {
    if (!call.to) continue;
    const std::vector<FunctionPlace> callees = called(place.module, *call.to);
    if (fails_for_good(place, call) ||
        (!callees.empty() && std::ranges::all_of(callees, [&](FunctionPlace callee) {
          const auto known = ending_.find(callee);
          return known != ending_.end() && !known->second.empty() && known->second[0];
        })))
      calls_end[static_cast<std::size_t>(call.block)] = true;
  }
  std::vector<bool> ending = leading_on(function, calls_end);
  ending.flip();
  std::vector<bool>& known = ending_[place];
  const bool more = known != ending;
  known = std::move(ending);
  return more;
}

}  // namespace parcast::facts
