// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds how often each block of a program is executed, as an expression in the inputs of its runs, from one
// run or several. It uses the flow through a function's control-flow graph. Iteration counts from the loops'
// own arithmetic replace the counters. docs/models/source_counts.md.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/count_tier.h"
#include "source/counts/branch_ratio.h"
#include "source/counts/polling.h"
#include "source/counts/recognition.h"
#include "source/facts/derivation.h"
#include "symbolic/expression.h"

namespace parcast::program {

/// Counter and probe values of one object file.
struct ModuleCounts {
  std::vector<std::uint64_t> counters;
  std::vector<std::array<std::uint64_t, 4>> probes;
};

/// What one process of one run counted between two kinds of calls, summed over `visits` visits.
struct Sighting {
  std::uint64_t visits = 1;
  symbolic::Binding values;                              // values of all symbols in this process of this run
  std::map<std::uint64_t, const ModuleCounts*> modules;  // by module id
};

struct BlockCount {
  facts::FunctionPlace function;
  int block = 0;
  symbolic::Expression per_visit;
  CountTier tier = CountTier::measured;
  bool ambiguous = false;  // other formulas also give the observed counts
  double bits = 0;         // for a measured count: description length of its growth (CountGrowth)
  std::vector<symbolic::Expression> alternatives = {};  // its value by alternative formulas (Told)
  bool polling = false;  // a polling loop executes it as often as time allows (polling.h)
};

/// A call of an MPI function, an allocator or the begin or end of a region by its name: its executions, and
/// the sums over all executions of the integers passed, as far as these are known. Only the executions were
/// compared with the counters.
struct CallSum {
  facts::FunctionPlace function;
  int call = 0;  // index in its function
  symbolic::Expression executions;
  CountTier tier = CountTier::measured;
  struct Passed {
    int argument = 0;
    symbolic::Expression sum;
    CountTier tier = CountTier::measured;
    // its value, if it is the same in all rounds of the enclosing loops
    std::optional<symbolic::Expression> each = {};
  };
  std::vector<Passed> passed;  // several entries for one argument are alternatives
};

/// A loop that was entered at least once.
struct LoopCount {
  facts::FunctionPlace function;
  int loop = 0;
  symbolic::Expression iterations;  // executions of its head per entry, in the rounds of the enclosing loops
  CountTier tier = CountTier::measured;
};

/// A loop that accesses an array, itself or by the loops inside it.
struct Sweep {
  facts::FunctionPlace function;
  int loop = 0;
  bool outermost = false;  // outermost among the enclosing loops that are entered and left within the place
  std::set<std::string> arrays;  // arrays that it may be (LinkedProgram::arrays)
  // distinct bytes per entry of the loop: the largest value over the rounds of the enclosing loops
  symbolic::Expression portion;
  symbolic::Expression bytes;  // portions of all entries together, per visit
  CountTier tier = CountTier::measured;
};

/// A branch with two successors, both of which were taken, and whose decision no formula gives.
struct BranchCount {
  facts::FunctionPlace function;
  int block = 0, to = 0;   // the first successor
  std::vector<Ways> ways;  // ways to the first successor, by sighting
};

struct PlaceCounts {
  std::vector<BlockCount> blocks;
  std::vector<CallSum> calls;
  std::vector<LoopCount> loops;
  std::vector<BranchCount> branches;
  std::vector<Sweep> sweeps;  // the largest portion of each loop and array
};

class BlockCounts {
 public:
  using InputSymbols = std::function<std::optional<symbolic::Expression>(const facts::Input&)>;

  /// `all`: all sightings of the program, from which the executed calls and stores are known. `parameters`:
  /// names of the numbers that the program was given. A value of unknown origin may be computed from them if
  /// the formula gives it wherever it was observed. Arguments passed by reference must outlive this object.
  BlockCounts(const std::vector<facts::Module>& modules, const std::vector<Sighting>& all,
              InputSymbols symbols, std::vector<std::string> parameters = {});
  ~BlockCounts();
  BlockCounts(const BlockCounts&) = delete;
  BlockCounts& operator=(const BlockCounts&) = delete;

  /// Returns the counts of the blocks that were executed at any of the sightings, which are all of one place
  /// in the program. `visits`: how often a process executes the place, if known.
  PlaceCounts at(const std::vector<Sighting>& sightings,
                 const std::optional<symbolic::Expression>& visits = {}) const;

 private:
  std::vector<facts::Formula> recognised(facts::FunctionPlace place, facts::NodeNumber node,
                                         const std::vector<facts::Formula>& numbers) const;
  void find_familiar();
  std::vector<const Sighting*> every() const;
  std::optional<Recognition::Values> stable(facts::FunctionPlace place, std::uint64_t probe) const;
  /// Returns whether in each run either all processes executed a block or none did.
  bool by_all(facts::FunctionPlace place, int block) const;
  std::map<const Sighting*, double> executions_together(const std::vector<Sighting>& sightings) const;
  Recognition& recognition(const std::vector<const Sighting*>& sightings) const;

  const std::vector<facts::Module>& modules_;
  const std::vector<Sighting>& all_;
  std::vector<std::string> parameters_;
  std::map<facts::FunctionPlace, std::vector<bool>> executed_;
  std::optional<std::vector<Factor>> familiar_;  // parts of parameters that occur as values of their own
  std::set<int> dimensions_;                     // dimensions of the process grids that the program creates
  mutable std::map<std::vector<symbolic::Binding>, std::unique_ptr<Recognition>> recognitions_;
  mutable std::vector<symbolic::Expression> recognised_;  // expressions that values were recognised as
  InputSymbols symbols_;
  mutable std::map<BlockPlace, bool> by_all_;  // results computed so far
  facts::LinkedProgram program_;
  std::set<BlockPlace> polling_;
};

/// Returns operations per visit by class (docs/models/operations.md), summed over the blocks.
std::map<std::string, symbolic::Expression> operations_per_visit(const std::vector<facts::Module>& modules,
                                                                 const std::vector<BlockCount>& blocks);

}  // namespace parcast::program
