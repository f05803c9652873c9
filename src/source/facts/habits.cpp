// SPDX-License-Identifier: Apache-2.0
#include "source/facts/habits.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "source/facts/derivation.h"

namespace parcast::facts {
namespace {

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& all, std::string_view name) {
  return std::ranges::find(all, name) != all.end();
}
template <std::size_t N>
bool has_one_of(const std::array<std::string_view, N>& all, std::string_view name) {
  return std::ranges::any_of(
      all, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

constexpr std::string_view kSetTerminate = "_ZSt13set_terminatePFvvE";
constexpr std::array<std::string_view, 4> kErrors{"MPI_Comm_set_errhandler", "MPI_Win_set_errhandler",
                                                  "MPI_Errhandler_set", "MPI_Session_init"};
constexpr std::array<std::string_view, 2> kErrorsOfFiles{"MPI_File_set_errhandler",
                                                         "MPI_File_create_errhandler"};
constexpr std::array<std::string_view, 8> kDisplaced{"MPI_Type_create_hindexed",
                                                     "MPI_Type_hindexed",
                                                     "MPI_Type_indexed",
                                                     "MPI_Type_create_struct",
                                                     "MPI_Type_struct",
                                                     "MPI_Type_create_resized",
                                                     "MPI_Type_create_hindexed_block",
                                                     "MPI_Type_create_indexed_block"};
constexpr std::array<std::string_view, 6> kGetFunctions{"Op_create", "create_errhandler", "Errhandler_create",
                                                        "eyval",     "Grequest",          "Register_datarep"};
constexpr std::array<std::string_view, 3> kEndThreads{"pthread_exit", "pthread_cancel", "thrd_exit"};
constexpr std::array<std::string_view, 6> kHandleSignals{"signal",      "sigaction",     "bsd_signal",
                                                         "sysv_signal", "__sysv_signal", "sigset"};
constexpr std::array<std::string_view, 5> kAtExit{"atexit", "on_exit", "at_quick_exit", "__cxa_atexit",
                                                  "__cxa_at_quick_exit"};
constexpr std::array<std::string_view, 3> kAtOnce{"_exit", "_Exit", "quick_exit"};
constexpr std::array<std::string_view, 4> kFiles{"fopencookie", "register_printf_function",
                                                 "register_printf_specifier", "register_printf_modifier"};
constexpr std::array<std::string_view, 3> kThrowingObjects{"basic_filebuf", "_ZNSt3pmr", "_ZNKSt3pmr"};
constexpr std::array<std::string_view, 3> kBases{"_ZNSt15basic_streambuf", "_ZNSt6locale5facet", "St3pmr"};

/// Returns whether the call handles the signal of abort, or an unknown signal.
bool handles_abort(const Function& function, const Call& call) {
  constexpr std::int64_t kAbort = 6;  // on all systems
  if (!is_one_of(kHandleSignals, *call.to)) return false;
  const auto signal = call.arguments.empty() ? std::nullopt : call.arguments[0];
  return !signal || function.nodes[*signal].operation != Operation::integer ||
         function.nodes[*signal].number == kAbort;
}

/// Returns whether the call ends the process at once with a code that is zero or unknown.
bool ends_well_at_once(const Function& function, const Call& call) {
  constexpr std::int64_t kOfStatus = 0xff;
  if (!is_one_of(kAtOnce, *call.to)) return false;
  const auto code = call.arguments.empty() ? std::nullopt : call.arguments[0];
  return !code || function.nodes[*code].operation != Operation::integer ||
         (function.nodes[*code].number & kOfStatus) == 0;
}

// The library's exceptions() makes a stream throw; it calls clear() with the current state. Other calls of
// clear() pass a constant or add a bit.
bool makes_streams_throw(const Function& function, const Call& call) {
  constexpr std::string_view kBegin = "_ZNSt9basic_iosI", kEnd = "5clearESt12_Ios_Iostate";
  if (!call.to->starts_with(kBegin) || !call.to->ends_with(kEnd) || call.arguments.size() < 2 ||
      !call.arguments[1])
    return false;
  const Operation state = function.nodes[*call.arguments[1]].operation;
  return state == Operation::load || state == Operation::argument || state == Operation::call ||
         state == Operation::unknown;
}

}  // namespace

void LinkedProgram::note_habits() {
  bool at_exit = false, at_once = false;
  for (const Module& module : modules_) {
    for (const std::string& name : module.taken) {
      habits_.terminates_otherwise = habits_.terminates_otherwise || name == kSetTerminate;
      habits_.extends_library =
          habits_.extends_library || ((name.starts_with("_ZNSt") || name.starts_with("_ZNKSt")) &&
                                      by_name_.find(name) == by_name_.end());
    }
    for (const Function& function : module.functions)
      for (const Call& call : function.calls) {
        if (!call.to) continue;
        const std::string in_c = name_in_c(*call.to);
        habits_.aborts_otherwise = habits_.aborts_otherwise || handles_abort(function, call);
        at_exit = at_exit || is_one_of(kAtExit, *call.to);
        at_once = at_once || ends_well_at_once(function, call);
        habits_.terminates_otherwise = habits_.terminates_otherwise || call.to == kSetTerminate;
        habits_.unwinds_otherwise = habits_.unwinds_otherwise || is_one_of(kEndThreads, *call.to);
        habits_.cancels = habits_.cancels || call.to == "pthread_cancel";
        habits_.streams_throw = habits_.streams_throw || makes_streams_throw(function, call);
        habits_.new_throws = habits_.new_throws || call.to == "_ZSt15set_new_handlerPFvvE";
        habits_.loads_functions = habits_.loads_functions || call.to == "dlsym" || call.to == "dlvsym";
        habits_.has_throwing_objects = habits_.has_throwing_objects || has_one_of(kThrowingObjects, *call.to);
        habits_.mpi_calls_back =
            habits_.mpi_calls_back || (in_c.starts_with("MPI_") && has_one_of(kGetFunctions, in_c));
        habits_.files_call_back = habits_.files_call_back || is_one_of(kFiles, *call.to);
        habits_.extends_library = habits_.extends_library || has_one_of(kBases, *call.to);
        habits_.returns_errors = habits_.returns_errors || is_one_of(kErrors, in_c);
        habits_.mpi_calls_back = habits_.mpi_calls_back || is_one_of(kErrorsOfFiles, in_c);
        habits_.begins_anywhere = habits_.begins_anywhere || is_one_of(kDisplaced, in_c);
      }
  }
  habits_.aborts_otherwise = habits_.aborts_otherwise || by_name_.contains("abort");  // the program's own
  habits_.exits_otherwise = at_exit && at_once;
  habits_.terminates_otherwise = habits_.terminates_otherwise || habits_.aborts_otherwise;
}

}  // namespace parcast::facts
