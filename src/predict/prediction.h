// SPDX-License-Identifier: Apache-2.0
#pragma once
// The one answer type of all engines: seconds in total, by part and by region, each with an interval and its origin, with
// the warnings that every report must show.

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

/// A number as people are told it. `unit` is "s", "B", "node-h".
struct Estimate {
  double value = 0, low = 0, high = 0;
  double level = 0.9;          // 0: there is no interval, low and high repeat the value
  std::string unit = "s";
  Origin origin = Origin::unknown;
};

/// The total of one rank's critical path, split; the sum is the total exactly.
struct Parts {
  Estimate compute, memory, message_startup, transfer, wait;
};

struct RegionTime {
  program::NodeId node = program::kNone;
  std::string path, where;
  Estimate seconds;
  Parts parts;
  std::string executions;      // as text, e.g. "steps*4"
  Origin origin = Origin::unknown;
};

struct Warning {
  std::string code;            // "beyond-data"
  std::string text, hint;
};

/// A parameter of the machine, in base units.
struct Varied {
  double value = 0;
  Dimension dimension = Dimension::none;
};

struct Question {
  program::Point point;
  std::map<std::string, Varied> machine;        // what is not as the machine has it: "L"
  std::optional<std::int32_t> ranks_per_node;   // default: cores per node
  std::int32_t threads = 1;
  double level = 0.9;
  std::optional<double> limit;                  // seconds
  /// The machine of the recordings, when there is a model of it: computing is scaled by the ratio of core speeds.
  std::shared_ptr<const machine::Machine> recorded_machine;
};

/// What another engine gives for the same question.
struct SecondTotal {
  std::string engine;
  double seconds = 0;
};

/// How well the program's model gives runs back (model/checks.h).
struct CheckSummary {
  struct Of {
    std::size_t runs = 0;
    double median = 0, largest = 0;     // misses: 0.06 is 6 %
    program::Point worst;               // of the largest miss
  };
  Of computing;                         // of all recordings
  std::optional<Of> total;              // of total times, on `machine`
  std::string machine;
  std::vector<std::string> left_out;    // variables whose largest values were left out once, each by itself
  double forward = 0;                   // the largest miss of these runs' computing, by models of all others
};

struct Hang;  // hang.h

struct Prediction {
  std::string program, machine, engine;
  Question question;
  /// The run would never end; then no time of this answer has a meaning. Null: it ends, as far as the engine follows ranks.
  std::shared_ptr<const Hang> hang;
  std::optional<SecondTotal> second;            // of the engine that the answer was compared with
  std::int32_t nodes = 1, ranks_per_node = 1;
  Estimate seconds;            // from MPI_Init's return to MPI_Finalize's entry, slowest rank
  /// The same with the part of its interval that errs alike on every machine, since the program's model has it: growth of computing,
  /// counts. Nothing: the engine does not tell it apart. Not kept in files.
  std::optional<Estimate> of_program;
  Parts parts;
  Estimate node_hours;
  std::optional<Estimate> memory_per_node;      // resident at most on the fullest node (memory.h); nothing: unknown
  std::optional<double> within_limit;           // probability
  std::map<std::string, double> extrapolation;  // parameter -> factor beyond the data (only > 1 or < 1)
  std::map<Origin, double> coverage;            // share of time by origin, sum 1
  std::map<program::CountTier, double> work_by_tier;  // share of the recorded computing behind blocks of each tier, of compiled programs
  std::vector<RegionTime> regions;              // leaves of the region tree by time, descending: they sum to seconds
  std::optional<CheckSummary> checks;           // nothing of a model that was not checked
  std::vector<Warning> warnings;
};

/// Told now and then which share of an answer's work is done, by one thread at a time.
using Progress = std::function<void(double)>;

/// An engine answers a question about a program on a machine. An error only when there is no answer at all.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string_view name() const = 0;
  virtual Result<Prediction> predict(const program::Model& model, const machine::Machine& machine,
                                     const Question& question, const Progress& progress = {}) const = 0;
};

/// All engines, in the order of `--engine` (engines.cpp is the table).
std::vector<const Engine*> engines();
/// What verbs ask when no engine is named: auto_engine.h.
inline constexpr std::string_view kDefaultEngine = "auto";
inline constexpr const char* kEnginesHelp = "auto (default: the closed form where it agrees with the run followed rank by rank, else that run), equation (the closed form), interpret (rank by rank on the system graph), or simulate (message by message)";
/// By name; the error names the nearest.
Result<const Engine*> find_engine(std::string_view name);

}  // namespace parcast::predict
