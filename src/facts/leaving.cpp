// SPDX-License-Identifier: Apache-2.0
// Which calls do not come back: where the process ends in failure, so that no run that ends well gets there, and where it goes on or ends well.

#include <algorithm>
#include <array>
#include <string_view>

#include "facts/derivation.h"

namespace parcast::facts {
namespace {

constexpr int kDeepest = 16;               // functions that pass a code on
constexpr std::int64_t kOfStatus = 0xff;  // as much of a code reaches who waits for the process

/// What leaves where it is called, or comes back there again.
constexpr std::array<std::string_view, 33> kJumps{"longjmp", "_longjmp", "siglongjmp", "__longjmp_chk", "setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "setcontext", "swapcontext",
                           "exit", "_exit", "_Exit", "quick_exit", "pthread_exit", "thrd_exit", "_FortranAStopStatement", "_FortranAStopStatementText", "_FortranAExit", "_ZSt9terminatev",
                           "execl", "execle", "execlp", "execv", "execve", "execvp", "execvpe", "fexecve", "syscall", "err", "errx", "verr", "verrx"};

/// What is thrown and not caught ends the process.
bool ends_main(const Function& function, const Call& call) { return function.name == "main" && call.to == "_Unwind_Resume"; }

}  // namespace

// Calls that do not come back because the process ends in failure. Those that throw are none, but for running
// out of memory.
bool LinkedProgram::fails_for_good(FunctionPlace place, const Call& call) const {
  const Function& function = at(place);
  static constexpr std::array kAlways{"abort",
                                      "__assert_fail",
                                      "__stack_chk_fail",
                                      "MPI_Abort",
                                      "PMPI_Abort",
                                      "mpi_abort_",
                                      "_ZSt9terminatev",
                                      "_ZSt20__throw_length_errorPKc",
                                      "_ZSt17__throw_bad_allocv",
                                      "_ZSt28__throw_bad_array_new_lengthv",
                                      "_ZSt19__throw_logic_errorPKc"};
  static constexpr std::array kWithACode{"exit", "_exit", "_Exit", "quick_exit", "_FortranAStopStatement", "_FortranAExit", "err", "errx", "verr", "verrx"};
  if (call.to == "_ZSt9terminatev" && ends_otherwise_) return false;
  if (std::ranges::find(kAlways, *call.to) != kAlways.end() || ends_main(function, call)) return true;
  constexpr std::size_t kIsError = 2;  // a text that is not an error's is printed, and all is well
  if (call.to == "_FortranAStopStatementText") return call.arguments.size() > kIsError && call.arguments[kIsError] && is_never_zero(place, *call.arguments[kIsError]);
  if (std::ranges::find(kWithACode, *call.to) == kWithACode.end() || call.arguments.empty() ||
      !call.arguments[0])
    return false;
  return is_never_zero(place, *call.arguments[0]);
}

// Or what all calls that there are pass on, where nothing else may call the function.
bool LinkedProgram::is_never_zero(FunctionPlace place, NodeNumber number, int depth) const {
  const Function& function = at(place);
  const Node& node = function.nodes[number];
  if (node.operation == Operation::integer) return (node.number & kOfStatus) != 0;
  if (node.operation != Operation::argument || depth > kDeepest || function.name == "main") return false;
  if (const auto known = never_zero_.find({place, number}); known != never_zero_.end()) return known->second;
  return never_zero_[{place, number}] = is_passed_never_zero(function, static_cast<std::size_t>(node.number), depth);
}

bool LinkedProgram::is_name_of(const std::string& name, const Function& function) const {
  if (name == function.name) return true;
  const auto alias = aliases_.find(name);
  return alias != aliases_.end() && std::ranges::any_of(alias->second, [&](FunctionPlace place) { return &at(place) == &function; });
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

bool LinkedProgram::may_leave(FunctionPlace function, const Call& call) const {
  if (may_jump(function, call)) return true;
  if (call.to == "_Unwind_Resume") return at(function).name != "main";
  return may_throw(function, call) && (at(function).name != "main" || has_handler(function, call));  // what main does not catch ends the process
}

// Or ends the process, or the thread, and all is well.
bool LinkedProgram::may_jump(FunctionPlace function, const Call& call) const {
  if (jumps_back_ && (!call.to || (called(function.module, *call.to).empty() && may_call_back(*call.to)))) return true;
  return may(function, call, [&] { return std::ranges::find(kJumps, *call.to) != kJumps.end() && !fails_for_good(function, call); }, jumping_);
}

// Where nothing in the program catches what is thrown, that ends the process in failure.
bool LinkedProgram::may_throw(FunctionPlace function, const Call& call) const {
  static constexpr std::array kNames{"__cxa_throw", "__cxa_rethrow", "__cxa_bad_cast", "__cxa_bad_typeid", "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE"};
  // Of libstdc++ itself: a locale or a file that is not there, a position beyond the end of a string.
  static constexpr std::array kOfStrings{"6substrE", "2atE", "5eraseE", "6insertE", "7replaceE", "7compareE"};
  static constexpr std::array kBegin{"_ZNSt6localeC", "_ZNSt10filesystem", "_ZNSt13random_device", "_ZNSt6thread4join", "_ZNSt6thread6detach"};
  const auto by_library = [](const std::string& name) {
    if (name.starts_with("_ZSt") && name.find("__throw_") != std::string::npos) return true;
    const auto begins = [&](std::string_view with) { return name.starts_with(with); };
    if (std::ranges::any_of(kBegin, begins)) return !name.starts_with("_ZNSt6localeC") || !name.ends_with("Ev");
    const bool is_string = name.starts_with("_ZNSt7__cxx1112basic_string") || name.starts_with("_ZNKSt7__cxx1112basic_string");
    return is_string && std::ranges::any_of(kOfStrings, [&](std::string_view member) { return name.find(member) != std::string::npos; });
  };
  return (catches_ || ends_otherwise_) && may(function, call, [&] { return (std::ranges::find(kNames, *call.to) != kNames.end() || by_library(*call.to)) && !fails_for_good(function, call); }, throwing_);
}

bool LinkedProgram::may(FunctionPlace function, const Call& call, const std::function<bool()>& itself, const std::set<FunctionPlace>& known) const {
  if (!call.to) return !known.empty();
  if (itself()) return true;
  const auto leaves = [&](const std::string& name) { return std::ranges::any_of(called(function.module, name), [&](FunctionPlace callee) { return known.contains(callee); }); };
  if (leaves(*call.to) || (call.to == "pthread_once" && !known.empty())) return true;  // what that calls is told to it in a variable of the thread
  // Or what is passed to it, to be called back.
  return !known.empty() && std::ranges::any_of(call.arguments, [&](const auto& argument) {
    if (!argument) return false;
    const Node& node = at(function).nodes[*argument];
    return node.operation == Operation::global && leaves(node.name);
  });
}

// A way on which nothing can be inserted comes from it, the last call of its block and the one that may throw, to what begins there with a handler. Where
// that does not take an exception, it throws it again by a call of its own.
bool LinkedProgram::has_handler(FunctionPlace place, const Call& call) const {
  const Function& function = at(place);
  const auto in_block = [&](const Call& other) { return other.block == call.block; };
  const auto last = std::ranges::find_if(function.calls.rbegin(), function.calls.rend(), in_block);
  const auto throws_there = [&](const Call& other) { return in_block(other) && may_throw(place, other); };
  return last != function.calls.rend() && last->to == call.to && last->arguments == call.arguments && std::ranges::count_if(function.calls, throws_there) == 1 &&
         std::ranges::any_of(function.invoked, [&](const auto& arc) { return arc.second == call.block && !function.arcs[arc.first].countable; });
}

// What fails does not end the process where the program says so, and what is received does not begin where it is passed where datatypes say so.
void LinkedProgram::note_habits() {
  constexpr std::array kErrors{"MPI_Comm_set_errhandler", "MPI_Win_set_errhandler", "MPI_Errhandler_set", "MPI_Session_init"};
  constexpr std::array kDisplaced{"MPI_Type_create_hindexed", "MPI_Type_hindexed", "MPI_Type_indexed", "MPI_Type_create_struct", "MPI_Type_struct", "MPI_Type_create_resized",
                                  "MPI_Type_create_hindexed_block", "MPI_Type_create_indexed_block"};
  for (const Module& module : modules_)
    for (const Function& function : module.functions)
      for (const Call& call : function.calls) {
        if (!call.to) continue;
        ends_otherwise_ = ends_otherwise_ || call.to == "_ZSt13set_terminatePFvvE";
        returns_errors_ = returns_errors_ || std::ranges::find(kErrors, name_in_c(*call.to)) != kErrors.end();
        begins_anywhere_ = begins_anywhere_ || std::ranges::find(kDisplaced, name_in_c(*call.to)) != kDisplaced.end();
      }
}

// Who calls one that may is one, where it does not catch it: once more until none is added.
void LinkedProgram::find_leaving() {
  for (const Module& module : modules_) {
    const auto jumps = [](const std::string& name) { return std::ranges::find(kJumps, name) != kJumps.end(); };
    jumps_back_ = jumps_back_ || std::ranges::any_of(module.taken, jumps);
    for (const Function& function : module.functions)
      catches_ = catches_ || (function.name != "__clang_call_terminate" && std::ranges::any_of(function.calls, [](const Call& call) { return call.to == "__cxa_begin_catch"; }));
  }
  for (bool more = true; more;) {
    more = false;
    for (const auto& [name, places] : by_name_)
      for (const FunctionPlace place : places) {
        const auto any = [&](const auto& leaves) { return std::ranges::any_of(at(place).calls, leaves); };
        if (any([&](const Call& call) { return may_jump(place, call); })) more = jumping_.insert(place).second || more;
        const bool passes_on = any([](const Call& call) { return call.to == "_Unwind_Resume"; });  // what was thrown, and only then
        if (any([&](const Call& call) { return may_throw(place, call) && (passes_on || !has_handler(place, call)); })) more = throwing_.insert(place).second || more;
      }
    const bool back = std::ranges::any_of(taken_, [&](FunctionPlace place) { return jumping_.contains(place); });
    more = more || (back && !jumps_back_);
    jumps_back_ = jumps_back_ || back;
  }
}

// Blocks that ways lead to from `start` (-1: where the function is entered), but not on from `stop`; `leaves`: and whether out of the function.
std::vector<bool> LinkedProgram::reached_from(FunctionPlace place, int start, int stop, bool& leaves) const {
  const Function& function = at(place);
  const auto block = [](Point point) { return point == 0 ? -1 : (point - 1) / 2; };
  std::vector<bool> reached(function.blocks.size()), resumed(function.blocks.size());  // a call at their end comes back by an arc of its own
  for (const auto& [arc, from] : function.invoked) resumed[static_cast<std::size_t>(from)] = true;
  leaves = false;
  const auto goes_on = [&](int from) { return from == start || (from >= 0 && reached[static_cast<std::size_t>(from)] && from != stop && !only_fails(place, from)); };
  for (bool grows = true; grows;) {
    grows = false;
    for (std::size_t arc = function.blocks.size(); arc < function.arcs.size(); ++arc) {
      const auto invoked = function.invoked.find(arc);
      const Point begin = function.arcs[arc].from, end = function.arcs[arc].to;
      const int from = invoked == function.invoked.end() ? block(begin) : invoked->second, to = block(end);
      if ((from < 0 && (to < 0 || end % 2 == 0)) || !goes_on(from)) continue;  // a block goes on behind a call
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

// No way leads past the block out of the function, but to the end of the process in failure; and the same of a call of the function.
bool LinkedProgram::is_unavoidable(FunctionPlace place, int unavoidable, int depth) const {
  bool leaves = false;
  reached_from(place, -1, unavoidable, leaves);
  if (leaves) return false;
  const std::string& name = at(place).name;
  if (name == "main" || name == "_QQmain") return true;
  const auto callers = callers_.find(place);
  return depth < kDeepest && callers != callers_.end() &&
         std::ranges::any_of(callers->second, [&](const CallPlace& caller) { return is_unavoidable(caller.function, at(caller.function).calls[static_cast<std::size_t>(caller.call)].block, depth + 1); });
}

// A function all of whose ways end the process is itself one that does: once more until none is added.
void LinkedProgram::find_endings() {
  bool more = true;
  while (more) {
    more = false;
    for (const auto& [name, places] : by_name_)
      for (const FunctionPlace place : places) more = find_endings(place) || more;
  }
}

// Blocks from which no way leads out of the function but the end of the process. Whether any is added.
bool LinkedProgram::find_endings(FunctionPlace place) {
  const Function& function = at(place);
  std::vector<bool> calls_end(function.blocks.size()), leads_on(function.blocks.size());
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
  const auto block = [](Point point) { return point == 0 ? -1 : (point - 1) / 2; };
  bool grows = true;
  while (grows) {
    grows = false;
    for (std::size_t arc = function.blocks.size(); arc < function.arcs.size(); ++arc) {
      const auto invoked = function.invoked.find(arc);
      const int from = invoked == function.invoked.end() ? block(function.arcs[arc].from) : invoked->second,
                to = block(function.arcs[arc].to);
      if (from < 0 || leads_on[from] || calls_end[from]) continue;
      if (to < 0 || leads_on[to]) leads_on[from] = grows = true;
    }
  }
  std::vector<bool> ending(function.blocks.size());
  for (std::size_t b = 0; b < ending.size(); ++b) ending[b] = !leads_on[b];
  std::vector<bool>& known = ending_[place];
  const bool more = known != ending;
  known = std::move(ending);
  return more;
}

}  // namespace parcast::facts
