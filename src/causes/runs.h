// SPDX-License-Identifier: Apache-2.0
#pragma once
// Measured runs of one program, cut into phases: what every process spent on each, with how much work, and what else was
// counted meanwhile. All reasoning about overheads and causes rests on these rows alone (Lemeire and Dirkx 2004, section 4).
//
//   run       process  kind           name      seconds  operations  quantums  page_faults
//   n=3800,4  0        computation    multiply     3.43     1.37e10         -            0
//   n=3800,4  0        communication  shift        0.41           -    3.6e+6            -

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace parcast::causes {

/// Communication is the time that a process spends on exchanging data and that no computation covers.
enum class Kind { computation, communication, idle };
std::string_view to_string(Kind kind);
std::optional<Kind> kind_named(std::string_view name);

constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

/// The part that a variable plays in the first-order model.
enum class Role {
  work,   // what a phase does: operations, quantums, bytes, messages; its time is in proportion
  event,  // what may happen to it: page faults, context switches, ... ; each may cost time of its own
  speed,  // what it runs at: frequency; time is in inverse proportion
};

struct Variable {
  std::string name;
  Role role = Role::event;
};

/// The event that brings about this one as well, where it happens: empty where none is known. A thread waits for a page from disk, which is a switch, and finds
/// those read with it, which are page faults without reading.
std::string_view brought_about_by(std::string_view event);

/// What one process spent on one phase in one run, all its executions together.
struct Phase {
  std::int32_t process = 0;
  Kind kind = Kind::computation;
  std::string name;            // the developer's own subdivision, "solve/exchange"; empty: none
  double seconds = 0;          // >= 0
  std::vector<double> values;  // by Runs::variables; kNotMeasured where it was not
};

struct Run {
  std::map<std::string, double> parameters;  // without the number of processes
  std::int32_t processes = 0;
  std::vector<Phase> phases;
  std::optional<double> ideal_seconds;       // of the same run on a network that costs nothing
};

struct Runs {
  std::vector<Variable> variables;
  std::vector<Run> runs;
  std::vector<std::string> notes;  // what was assumed while the rows were made, a sentence each
};

/// A phase of the program, whatever process and run: what has costs of its own.
struct PhaseClass {
  Kind kind = Kind::computation;
  std::string name;
  friend auto operator<=>(const PhaseClass&, const PhaseClass&) = default;
};
/// "computation", "communication solve/exchange"
std::string to_string(const PhaseClass& phase);

/// The phases that occur, by kind and name.
std::vector<PhaseClass> phase_classes(const Runs& runs);

/// "n = 3800, p = 4"
std::string point_text(const Run& run);

/// Fails on a run without processes or phases, on a process outside of 0 .. p - 1 or without a phase, on times and values that are negative
/// or not finite, on rows whose values are not as many as the variables.
Result<void> check(const Runs& runs);

/// The seconds of all phases, by process.
std::vector<double> seconds_by_process(const Run& run);
/// The same of one kind.
std::vector<double> seconds_by_process(const Run& run, Kind kind);
/// The time of the process that takes longest: the run's.
double longest(const Run& run);

}  // namespace parcast::causes
