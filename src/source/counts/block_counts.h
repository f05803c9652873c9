// SPDX-License-Identifier: Apache-2.0
#pragma once
// How often each block of a program is executed, as an expression in what its runs were given, from one run
// or several: the flow through a function's control-flow graph with the loops' own arithmetic in the place of
// their counters. docs/models/source_counts.md.

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

#include "source/facts/derivation.h"
#include "source/counts/polling.h"
#include "source/counts/branch_ratio.h"
#include "source/counts/recognition.h"
#include "model/count_tier.h"
#include "symbolic/expression.h"

namespace parcast::program {

/// The counters of one object file.
struct ModuleCounts {
  std::vector<std::uint64_t> counters;
  std::vector<std::array<std::uint64_t, 4>> probes;
};

/// What one process of one run counted between two kinds of calls, in so many visits.
struct Sighting {
  std::uint64_t visits = 1;
  symbolic::Binding values;                              // of all symbols, in this process of this run
  std::map<std::uint64_t, const ModuleCounts*> modules;  // by id
};

struct BlockCount {
  facts::FunctionPlace function;
  int block = 0;
  symbolic::Expression per_visit;
  CountTier tier = CountTier::measured;
  bool ambiguous = false;  // other formulas give the same counts so far
  double bits = 0;         // of a measured one: that it costs to say how it grows (CountGrowth)
  std::vector<symbolic::Expression> rivals = {};  // what it is by other formulas (Told)
  bool polling = false;    // as often as time allowed (polling.h)
};

/// A call of MPI by its name: executions, and the sums over all of them of the whole numbers that are passed, as
/// far as something is known of these. Nothing of it was compared with what was counted but the executions.
struct CallSum {
  facts::FunctionPlace function;
  int call = 0;  // in its function
  symbolic::Expression executions;
  CountTier tier = CountTier::measured;
  struct Passed {
    int argument = 0;
    symbolic::Expression sum;
    CountTier tier = CountTier::measured;
    std::optional<symbolic::Expression> each = {};  // where it is the same in all rounds of the loops around
  };
  std::vector<Passed> passed;  // several of one argument: each may be right
};

/// A loop that was entered.
struct LoopCount {
  facts::FunctionPlace function;
  int loop = 0;
  symbolic::Expression iterations;  // of its head, each time that it is entered, in rounds of the loops around
  CountTier tier = CountTier::measured;
};

/// A loop, with those inside of it, that goes through an array.
struct Sweep {
  facts::FunctionPlace function;
  int loop = 0;
  bool outermost = false;        // of the loops around that are entered and left within the place
  std::set<std::string> arrays;  // that it may be (LinkedProgram::arrays)
  symbolic::Expression portion;  // distinct bytes of it, each time that the loop is entered: the most in any round of the loops around
  symbolic::Expression bytes;    // of all these together, per visit
  CountTier tier = CountTier::measured;
};

/// A branch of two ways of which nothing tells which one is taken, and both were.
struct BranchCount {
  facts::FunctionPlace function;
  int block = 0, to = 0;    // the first way leads there
  std::vector<Ways> ways;   // of that one, by sighting
};

struct PlaceCounts {
  std::vector<BlockCount> blocks;
  std::vector<CallSum> calls;
  std::vector<LoopCount> loops;
  std::vector<BranchCount> branches;
  std::vector<Sweep> sweeps;  // of each loop and array the largest portion
};

class BlockCounts {
 public:
  using InputSymbols = std::function<std::optional<symbolic::Expression>(const facts::Input&)>;

  /// `all`: whatever was counted anywhere, which tells the calls and stores that took place. `parameters`:
  /// names of the numbers that the program was given: a value of which nothing else is known may follow from
  /// them, if it does so wherever it was looked at. What is passed by reference must outlive this.
  BlockCounts(const std::vector<facts::Module>& modules, const std::vector<Sighting>& all,
              InputSymbols symbols, std::vector<std::string> parameters = {});
  ~BlockCounts();
  BlockCounts(const BlockCounts&) = delete;
  BlockCounts& operator=(const BlockCounts&) = delete;

  /// Of the blocks that were executed at any of the sightings, which are of one place in the program. `visits`: how
  /// often that is executed in a process, where that is known.
  PlaceCounts at(const std::vector<Sighting>& sightings,
                 const std::optional<symbolic::Expression>& visits = {}) const;

 private:
  std::vector<facts::Formula> recognised(facts::FunctionPlace place, facts::NodeNumber node, const std::vector<facts::Formula>& numbers) const;
  void find_familiar();
  std::vector<const Sighting*> every() const;
  std::optional<Recognition::Values> stable(facts::FunctionPlace place, std::uint64_t probe) const;
  /// Whether in each run all processes executed a block, or none did.
  bool by_all(facts::FunctionPlace place, int block) const;
  std::map<const Sighting*, double> executions_together(const std::vector<Sighting>& sightings) const;
  Recognition& recognition(const std::vector<const Sighting*>& sightings) const;

  const std::vector<facts::Module>& modules_;
  const std::vector<Sighting>& all_;
  std::vector<std::string> parameters_;
  std::map<facts::FunctionPlace, std::vector<bool>> executed_;
  std::optional<std::vector<Factor>> familiar_;  // parts that values of it are
  std::set<int> dimensions_;  // of the process grids that it asks for
  mutable std::map<std::vector<symbolic::Binding>, std::unique_ptr<Recognition>> recognitions_;
  mutable std::vector<symbolic::Expression> recognised_;  // what values were recognised as
  InputSymbols symbols_;
  mutable std::map<BlockPlace, bool> by_all_;  // that were asked for
  facts::LinkedProgram program_;
  std::set<BlockPlace> polling_;
};

/// Operations per visit by class (docs/models/operations.md), summed over the blocks.
std::map<std::string, symbolic::Expression> operations_per_visit(const std::vector<facts::Module>& modules,
                                                                 const std::vector<BlockCount>& blocks);

}  // namespace parcast::program
