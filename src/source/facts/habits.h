// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a program does anywhere that changes what functions of libraries may do. All of it counts for the whole program, in every run.

namespace parcast::facts {

struct Habits {
  // How the process may end well where it ends in failure else.
  bool aborts_otherwise = false;      // abort, a failed assertion: a handler of that signal may end it well
  bool exits_otherwise = false;       // exit: something is done then, and something in the program ends it at once
  bool terminates_otherwise = false;  // what is not caught: as the program says itself

  // Where functions of libraries leave.
  bool unwinds_otherwise = false;     // a thread that ends does so by handlers
  bool cancels = false;               // and may be ended in any of them
  bool streams_throw = false;         // that fail, or end
  bool new_throws = false;            // what the program says
  bool loads_functions = false;       // of which nobody knows
  bool has_throwing_objects = false;  // whose virtual functions are a library's, and throw

  // What calls the program back by addresses that it got before.
  bool mpi_calls_back = false;
  bool files_call_back = false;       // C's
  bool extends_library = false;       // classes of C++'s library have virtual functions of the program

  bool returns_errors = false;        // MPI's functions may fail and return
  bool begins_anywhere = false;       // of datatypes of MPI's parts may lie before the address that is passed with them
};

}  // namespace parcast::facts
