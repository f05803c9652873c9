// SPDX-License-Identifier: Apache-2.0
#pragma once
// Measured runs of one program, divided into phases: the time of every process in each phase, its work, and
// other counts. The analyses of overheads and causes use only these rows (Lemeire and Dirkx 2004, section 4).
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

/// Communication is the time for exchanging data that does not overlap with computation.
enum class Kind { computation, communication, idle };
std::string_view to_string(Kind kind);
std::optional<Kind> kind_named(std::string_view name);

constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

/// The role of a variable in the first-order model.
enum class Role {
  work,   // amount of work of a phase: operations, quantums, bytes, messages; time is proportional to it
  event,  // event during a phase: page faults, context switches, ...; each may cost time
  speed,  // speed of the processor: frequency; time is inversely proportional to it
};

struct Variable {
  std::string name;
  Role role = Role::event;
};

/// Returns the event that also causes this one; empty if unknown. A thread that waits for a page from disk
/// makes a context switch. It then finds the pages that were read along with it, which are page faults
/// without reading.
std::string_view brought_about_by(std::string_view event);

/// The data of one process in one phase of one run, summed over all executions.
struct Phase {
  std::int32_t process = 0;
  Kind kind = Kind::computation;
  std::string name;            // the developer's own subdivision, "solve/exchange"; empty: none
  double seconds = 0;          // >= 0
  std::vector<double> values;  // by Runs::variables; kNotMeasured if not measured
};

struct Run {
  std::map<std::string, double> parameters;  // without the number of processes
  std::int32_t processes = 0;
  std::vector<Phase> phases;
  std::optional<double> ideal_seconds;  // of the same run on a network without costs
};

struct Runs {
  std::vector<Variable> variables;
  std::vector<Run> runs;
  std::vector<std::string> notes;  // assumptions made for the rows, a sentence each
};

/// A phase of the program, independent of process and run.
struct PhaseClass {
  Kind kind = Kind::computation;
  std::string name;
  friend auto operator<=>(const PhaseClass&, const PhaseClass&) = default;
};
/// Returns e.g. "computation", "communication solve/exchange".
std::string to_string(const PhaseClass& phase);

/// Returns all phases that occur, by kind and name.
std::vector<PhaseClass> phase_classes(const Runs& runs);

/// Returns e.g. "n = 3800, p = 4".
std::string point_text(const Run& run);

/// Fails on a run without processes or phases, on a process outside of 0 .. p - 1 or without a phase, on
/// times and values that are negative or not finite, and on rows whose number of values differs from that of
/// the variables.
Result<void> check(const Runs& runs);

/// Returns the seconds of all phases, by process.
std::vector<double> seconds_by_process(const Run& run);
/// Returns the same for one kind.
std::vector<double> seconds_by_process(const Run& run, Kind kind);
/// Returns the time of the process that takes longest, which is the run's time.
double longest(const Run& run);

}  // namespace parcast::causes
