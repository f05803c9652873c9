// SPDX-License-Identifier: Apache-2.0
#pragma once
// Joins the counts in a set of recordings with the compiler's facts about the program: the work after each
// MPI call, and the counts of the entire program. docs/models/source_counts.md.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "observations/inputs.h"
#include "observations/traces.h"
#include "source/counts/arrays.h"
#include "source/counts/block_counts.h"
#include "source/counts/command_words.h"
#include "source/counts/function_flows.h"

namespace parcast::program {

/// Work executed from one MPI call to the next, per execution of the first.
struct CountedWork {
  std::vector<BlockCount> blocks;
  std::map<std::string, symbolic::Expression> operations;  // by class (docs/models/operations.md), and bytes
  // in additions (weighted_work), where each process has some of every size; conditions that hold there are
  // dropped. Empty if the amount has no value for other processes.
  std::optional<symbolic::Expression> weighted;
  // bytes of arrays traversed, each nest of loops counted separately; valid as `weighted` is
  std::optional<symbolic::Expression> streamed;
  std::map<std::string, symbolic::Expression> touched;  // array -> distinct bytes accessed
  // of the observed weighted work, by the tier of its blocks' counts; sum 1
  std::map<CountTier, double> shares;
  bool ambiguous = false;  // some counts have alternative formulas
  // factors of `weighted` by the alternatives, where these differ (alternatives.h)
  std::vector<symbolic::Expression> alternatives = {};
  std::string advice = {};  // the run that would decide between the alternatives
};

class CountedProgram {
 public:
  /// The arguments must outlive this object. Recordings without counts are left out, as are modules without
  /// facts or with facts that do not match. notices() reports them.
  CountedProgram(const std::vector<recording::Recording>& recordings, const Inputs& inputs,
                 const Traces& traces);
  ~CountedProgram();

  /// Returns whether any counts are known. Without them only notices() may be called.
  bool any() const { return !modules_.empty(); }
  /// Returns whether any process with counts finished its run.
  bool finished() const { return finished_; }
  const std::vector<Notice>& notices() const { return notices_; }
  const std::vector<facts::Module>& modules() const { return modules_; }

  /// Returns a block in the form that a model stores.
  Block described(facts::FunctionPlace function, int block) const;
  /// Returns the executions of a block in all processes of all runs.
  double seen(facts::FunctionPlace function, int block) const;
  /// Returns the part of a block's executions that a static branch prediction mispredicts (mispredicted.h).
  double mispredicted(facts::FunctionPlace function, int block) const;
  /// Returns the counts of all blocks and calls, over entire runs.
  const PlaceCounts& whole() const;
  /// Returns whether two expressions are equal at various sizes, process counts and ranks, including the
  /// recorded ones.
  bool same_elsewhere(const symbolic::Expression& a, const symbolic::Expression& b) const;
  /// Returns a shorter expression that is equal where each process has some of every size, and at the points
  /// of same_elsewhere().
  symbolic::Expression shortened(const symbolic::Expression& expression) const;
  /// Returns an expression that is equal where each process has some of every size.
  symbolic::Expression decided(const symbolic::Expression& expression) const;
  enum class Amount { executions, bytes };
  /// Returns the count of an MPI call from the program's own arithmetic, if it gives `values` (one per
  /// trace). `executions`: of the key; needed for bytes.
  std::optional<Count> count_of(const CallKey& key, const std::vector<std::int64_t>& values, Amount amount,
                                const Count* executions = nullptr) const;
  /// Returns the work after the call `key`; kOutside means before the first call. `executions`: executions of
  /// the key in a process, if known. Returns nothing if nothing was counted there.
  std::optional<CountedWork> behind(std::int32_t key,
                                    const std::optional<symbolic::Expression>& executions) const;
  /// Returns the memory that the program allocates, by calls of allocators in its code, in order of modules.
  std::vector<Array> arrays() const;
  /// Returns the bytes of all arrays together, with the largest portion of each array accessed by any of the
  /// works. Returns nothing if no array is accessed.
  std::optional<symbolic::Expression> footprint(const std::vector<CountedWork>& all) const;

 private:
  void read_facts(const std::vector<recording::Recording>& recordings);
  void add_totals(const std::vector<recording::Recording>& recordings);
  bool gives(const symbolic::Expression& expression, double factor,
             const std::vector<std::int64_t>& values) const;
  /// Returns whether two expressions are equal in all recorded processes.
  bool same_as_seen(const symbolic::Expression& a, const symbolic::Expression& b) const;
  /// Returns the factor by which `whole` must be multiplied to give the values. It is the same fraction in
  /// all processes, and its denominator is small.
  std::optional<symbolic::Expression> part_of(const symbolic::Expression& whole,
                                              const std::vector<std::int64_t>& values) const;
  std::optional<symbolic::Expression> symbol_of(const facts::Input& input) const;
  /// Returns the counted sets of one process as dense counters.
  std::map<std::uint64_t, ModuleCounts> joined(const recording::Counted& counted,
                                               const std::vector<const recording::CountedSet*>& sets) const;

  const std::vector<symbolic::Binding>& usual_points() const;
  std::vector<BlockCount> only_here(const std::vector<Sighting>& sightings,
                                    const symbolic::Expression& executions) const;

  const Inputs& inputs_;
  const Traces& traces_;
  std::vector<facts::Module> modules_;
  std::map<std::uint64_t, const facts::Module*> by_id_;
  CommandWords words_;
  struct Process {
    const recording::Counted* counted = nullptr;  // null if no counts were kept
    symbolic::Binding values;
    std::map<std::uint64_t, ModuleCounts> totals;
  };
  std::vector<Process> processes_;  // by trace
  std::vector<Sighting> all_;       // one per process, over its entire run
  std::unique_ptr<BlockCounts> counts_;
  mutable std::optional<PlaceCounts> whole_;
  mutable std::vector<symbolic::Binding> usual_points_;
  mutable std::map<facts::FunctionPlace, std::vector<Flows>> flows_;  // flows of entire processes
  std::vector<Notice> notices_;
  bool finished_ = false;
};

}  // namespace parcast::program
