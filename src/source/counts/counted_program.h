// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the compiled programs of a set of recordings counted, joined with what the compiler knows of them: the
// work behind each call of MPI, and the counts of the whole program. docs/models/source_counts.md.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "observations/inputs.h"
#include "observations/traces.h"
#include "source/counts/block_counts.h"
#include "source/counts/command_words.h"
#include "source/counts/function_flows.h"

namespace parcast::program {

/// What is executed from one call of MPI up to the next, per execution of the first.
struct CountedWork {
  std::vector<BlockCount> blocks;
  std::map<std::string, symbolic::Expression> operations;  // by class (docs/models/operations.md), and bytes
  std::optional<symbolic::Expression> weighted;  // in additions (weighted_work), where each process has some of every size: conditions
                                                 // that hold there do not stand in it; nothing where other processes have no such amount
  std::optional<symbolic::Expression> streamed;  // bytes of arrays that it goes through, each nest of loops by itself; as `weighted`
  std::map<std::string, symbolic::Expression> touched;  // array -> distinct bytes of it
  std::map<CountTier, double> shares;  // of the weighted work seen, by the tier of its blocks' counts; sum 1
  bool ambiguous = false;              // of some, other formulas give the same counts
  std::vector<symbolic::Expression> rivals = {};  // what `weighted` is multiplied with by these, where they differ (rivals.h)
  std::string advice = {};             // the run that would tell
};

class CountedProgram {
 public:
  /// What is passed must outlive this. Recordings without counts, and modules of which no facts are there or
  /// do not fit, are left out, and said in notices().
  CountedProgram(const std::vector<recording::Recording>& recordings, const Inputs& inputs, const Traces& traces);
  ~CountedProgram();

  /// Whether anything is known; else nothing below.
  bool any() const { return !modules_.empty(); }
  /// Whether any process that counted has done all of its run.
  bool finished() const { return finished_; }
  const std::vector<Notice>& notices() const { return notices_; }
  const std::vector<facts::Module>& modules() const { return modules_; }

  /// A block as a model keeps it.
  Block described(facts::FunctionPlace function, int block) const;
  /// Executions of a block in all processes of all runs.
  double seen(facts::FunctionPlace function, int block) const;
  /// The part of its executions that go another way than foreseen (unforeseen.h).
  double unforeseen(facts::FunctionPlace function, int block) const;
  /// Of all blocks and calls, over whole runs.
  const PlaceCounts& whole() const;
  /// Whether two expressions are equal at sizes, process counts and ranks of all kinds, the recorded ones among them.
  bool same_elsewhere(const symbolic::Expression& a, const symbolic::Expression& b) const;
  /// Equal where each process has some of every size, and at the points of same_elsewhere.
  symbolic::Expression shortened(const symbolic::Expression& expression) const;
  /// Equal where each process has some of every size.
  symbolic::Expression decided(const symbolic::Expression& expression) const;
  enum class Amount { executions, bytes };
  /// What the program's own arithmetic says of a call of MPI, where it gives `values` (one per trace). `executions`: of the key,
  /// for bytes.
  std::optional<Count> count_of(const CallKey& key, const std::vector<std::int64_t>& values, Amount amount, const Count* executions = nullptr) const;
  /// Behind a key, kOutside: before the first call. `executions`: of the key in a process, where they are
  /// known. Nothing where nothing was counted there.
  std::optional<CountedWork> behind(std::int32_t key, const std::optional<symbolic::Expression>& executions) const;
  /// Bytes of all arrays together, of each the largest portion that any of them touches; nothing where none does.
  std::optional<symbolic::Expression> footprint(const std::vector<CountedWork>& all) const;

 private:
  void read_facts(const std::vector<recording::Recording>& recordings);
  void add_totals(const std::vector<recording::Recording>& recordings);
  bool gives(const symbolic::Expression& expression, double factor, const std::vector<std::int64_t>& values) const;
  /// Equal in all processes of the recordings.
  bool same_as_seen(const symbolic::Expression& a, const symbolic::Expression& b) const;
  /// What a whole must be multiplied with to give the values: the same fraction in all processes, with a small denominator.
  std::optional<symbolic::Expression> part_of(const symbolic::Expression& whole, const std::vector<std::int64_t>& values) const;
  std::optional<symbolic::Expression> symbol_of(const facts::Input& input) const;
  /// The sets of one process as dense counters.
  std::map<std::uint64_t, ModuleCounts> joined(const recording::Counted& counted,
                                               const std::vector<const recording::CountedSet*>& sets) const;

  const std::vector<symbolic::Binding>& usual_points() const;
  std::vector<BlockCount> only_here(const std::vector<Sighting>& sightings, const symbolic::Expression& executions) const;

  const Inputs& inputs_;
  const Traces& traces_;
  std::vector<facts::Module> modules_;
  std::map<std::uint64_t, const facts::Module*> by_id_;
  CommandWords words_;
  struct Process {
    const recording::Counted* counted = nullptr;  // nothing where nothing was kept
    symbolic::Binding values;
    std::map<std::uint64_t, ModuleCounts> totals;
  };
  std::vector<Process> processes_;   // by trace
  std::vector<Sighting> all_;        // whole processes
  std::unique_ptr<BlockCounts> counts_;
  mutable std::optional<PlaceCounts> whole_;
  mutable std::vector<symbolic::Binding> usual_points_;
  mutable std::map<facts::FunctionPlace, std::vector<Flows>> flows_;  // of whole processes
  std::vector<Notice> notices_;
  bool finished_ = false;
};

}  // namespace parcast::program
