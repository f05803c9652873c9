// SPDX-License-Identifier: Apache-2.0
#pragma once
// How often each block of a program is executed, as an expression in what its runs were given, from one run
// or several: the flow through a function's control-flow graph with the loops' own arithmetic in the place of
// their counters. docs/models/source_counts.md.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "facts/derivation.h"
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

/// How sure a count is where more is asked of it than was seen.
enum class CountTier {
  symbolic,  // the program's arithmetic over what the run was given, and it gave every count
  as_seen,   // the same as long as branches on which nothing is known go as they always or never went
  constant,  // the same number, or the same part of something, at every sighting: it may be one that was not
             // varied
  measured,  // none of these: the mean over the sightings
};

struct BlockCount {
  facts::FunctionPlace function;
  int block = 0;
  symbolic::Expression per_visit;
  CountTier tier = CountTier::measured;
  bool ambiguous = false;  // other formulas give the same counts so far
};

class BlockCounts {
 public:
  using InputSymbols = std::function<std::optional<symbolic::Expression>(const facts::Input&)>;

  /// `all`: whatever was counted anywhere, which tells the calls and stores that took place. `parameters`:
  /// whole numbers that the program was given, by name: a value of which nothing else is known may be one of
  /// them, if it equals it wherever it was looked at. What is passed by reference must outlive this.
  BlockCounts(const std::vector<facts::Module>& modules, const std::vector<Sighting>& all,
              InputSymbols symbols, std::vector<std::string> parameters = {});
  BlockCounts(const BlockCounts&) = delete;
  BlockCounts& operator=(const BlockCounts&) = delete;

  /// Of the blocks that were executed at any of the sightings, which are of one place in the program.
  std::vector<BlockCount> at(const std::vector<Sighting>& sightings) const;

 private:
  std::vector<facts::Formula> recognised(facts::FunctionPlace place, facts::NodeNumber node) const;

  const std::vector<facts::Module>& modules_;
  const std::vector<Sighting>& all_;
  std::vector<std::string> parameters_;
  std::map<facts::FunctionPlace, std::vector<bool>> executed_;
  InputSymbols symbols_;
  facts::LinkedProgram program_;
};

/// Operations per visit by class (docs/models/operations.md), summed over the blocks.
std::map<std::string, symbolic::Expression> operations_per_visit(const std::vector<facts::Module>& modules,
                                                                 const std::vector<BlockCount>& blocks);

}  // namespace parcast::program
