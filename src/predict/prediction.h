// SPDX-License-Identifier: Apache-2.0
#pragma once
// The common answer type of all engines: seconds in total, by part and by region, each with an interval and
// its origin, and the warnings that every report must show.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/origin.h"
#include "base/text.h"
#include "machine/machine.h"
#include "model/binding.h"
#include "model/model.h"

namespace parcast::predict {

/// A reported number. `unit` is "s", "B", "node-h".
struct Estimate {
  double value = 0, low = 0, high = 0;
  double level = 0.9;  // 0: there is no interval; low and high equal the value
  std::string unit = "s";
  Origin origin = Origin::unknown;
};

/// The total of one rank's critical path, split into parts; the sum equals the total exactly.
struct Parts {
  Estimate compute, memory, message_startup, transfer, wait;
};

struct RegionTime {
  program::NodeId node = program::kNone;
  std::string path, where;
  Estimate seconds;
  Parts parts;
  std::string executions;  // as text, e.g. "steps*4"
  Origin origin = Origin::unknown;
};

/// One thing to know about an answer. `text` and `hint` are its sentence in full; a report may make a shorter
/// one of `about` and `numbers` (report/notes.h).
struct Warning {
  std::string code;  // "beyond-data"
  std::string text, hint;
  std::string about = {};  // the piece: a parameter, a call, a point, a machine; empty: the answer as such
  std::map<std::string, double> numbers =
      {};  // by name; "weight" ranks the pieces of one code, the largest first
};

/// A parameter of the machine, in base units.
struct Varied {
  double value = 0;
  Dimension dimension = Dimension::none;
};

struct Question {
  program::Point point;
  std::map<std::string, Varied> machine;       // parameters that differ from the machine's, by name: "L"
  std::optional<std::int32_t> ranks_per_node;  // default: cores per node
  std::int32_t threads = 1;
  double level = 0.9;
  std::optional<double> limit;  // seconds
  /// The machine of the recordings, when there is a model of it: computing is scaled by the ratio of core
  /// speeds.
  std::shared_ptr<const machine::Machine> recorded_machine;
};

/// Total of another engine for the same question.
struct SecondTotal {
  std::string engine;
  double seconds = 0;
};

/// How well the program's model reproduces runs (model/checks.h).
struct CheckSummary {
  struct Of {
    std::size_t runs = 0;
    double median = 0, largest = 0;  // errors: 0.06 is 6 %
    program::Point worst;            // the point with the largest error
  };
  Of computing;             // of all recordings
  std::optional<Of> total;  // of total times, on `machine`
  std::string machine;
  std::vector<std::string> left_out;  // variables whose largest values were left out, one variable at a time
  // Largest error in the computing of the left-out runs, by models of all other runs.
  double forward = 0;
  std::optional<double> nearest = {};  // largest error of the runs at the point nearest to the question
};

struct Hang;  // hang.h

struct Prediction {
  std::string program, machine, engine;
  Question question;
  /// Set when the run deadlocks; then no time of this answer has a meaning. Null: the run ends, as far as the
  /// engine follows ranks.
  std::shared_ptr<const Hang> hang;
  std::optional<SecondTotal> second;  // total of the engine with which the answer was compared
  std::int32_t nodes = 1, ranks_per_node = 1;
  Estimate seconds;  // from the return of MPI_Init to the entry of MPI_Finalize, slowest rank
  /// The same total, with only the part of the interval that comes from the program's model: growth of
  /// computing, counts. These errors are equal on every machine. Nothing when the engine does not separate
  /// it. Not stored in files.
  std::optional<Estimate> of_program;
  Parts parts;
  Estimate node_hours;
  // peak resident memory on the fullest node (memory.h); nothing: unknown
  std::optional<Estimate> memory_per_node;
  std::optional<double> within_limit;           // probability
  std::map<std::string, double> extrapolation;  // parameter -> factor beyond the data (only > 1 or < 1)
  std::map<Origin, double> coverage;            // share of time by origin, sum 1
  // Share of the recorded computing by tier of the counts of its basic blocks; for compiled programs.
  std::map<program::CountTier, double> work_by_tier;
  std::vector<RegionTime> regions;     // leaves of the region tree by time, descending; they sum to seconds
  std::optional<CheckSummary> checks;  // nothing for a model that was not checked
  std::optional<double> recorded;      // seconds of the recordings at this very point, their median
  // the recorded times alone, continued to this point (continued_totals.h); nothing: not compared
  std::optional<Estimate> of_totals;
  std::vector<Warning> warnings;
};

/// Called now and then with the completed share of an answer's work, by one thread at a time.
using Progress = std::function<void(double)>;

/// An engine answers a question about a program on a machine. It fails only when there is no answer at all.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string_view name() const = 0;
  virtual Result<Prediction> predict(const program::Model& model, const machine::Machine& machine,
                                     const Question& question, const Progress& progress = {}) const = 0;
};

/// Returns all engines, in the order of `--engine` (engines.cpp is the table).
std::vector<const Engine*> engines();
/// The engine that verbs use when the user names none: auto_engine.h.
inline constexpr std::string_view kDefaultEngine = "auto";
inline constexpr const char* kEnginesHelp =
    "auto (default: the closed form where it agrees with the run followed rank by rank, else that run), "
    "equation (the closed form), interpret (rank by rank on the system graph), or simulate (message by "
    "message)";
/// Returns the engine of that name; the error names the nearest one.
Result<const Engine*> find_engine(std::string_view name);

}  // namespace parcast::predict
