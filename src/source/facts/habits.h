// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the program does anywhere that changes the behaviour of library functions. Each flag applies to the
// entire program, in every run.

namespace parcast::facts {

struct Habits {
  // Conditions under which calls that normally end in failure may end the process successfully.
  bool aborts_otherwise = false;      // abort, a failed assertion: the program handles that signal
  bool exits_otherwise = false;       // exit: functions registered for it run, and something ends the process
  bool terminates_otherwise = false;  // uncaught exceptions: the program sets its own terminate handler

  // How library functions may be left.
  bool unwinds_otherwise = false;     // a thread that ends unwinds through handlers
  bool cancels = false;               // threads may be cancelled in any library function
  bool streams_throw = false;         // streams throw on failure or at their end
  bool new_throws = false;            // operator new throws what the program's handler throws
  bool loads_functions = false;       // functions are loaded that the facts do not describe
  bool has_throwing_objects = false;  // objects exist whose virtual functions are in a library and throw

  // What calls functions of the program through addresses received earlier.
  bool mpi_calls_back = false;
  bool files_call_back = false;  // C's files
  bool extends_library = false;  // classes of the C++ library have virtual functions of the program

  bool returns_errors = false;   // MPI functions may fail and return
  bool begins_anywhere = false;  // parts of MPI datatypes may lie before the address passed with them
};

}  // namespace parcast::facts
