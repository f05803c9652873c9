// SPDX-License-Identifier: Apache-2.0
#pragma once
// In which order the functions of a place are told, and from which calls: callers before what they call. A function that nobody
// calls by its name goes with the call through a pointer that was executed as often, or by the least more often; if none was often enough, with the nearest. Where
// functions call one another in a circle, that one is first whose calls are known most nearly. docs/models/source_counts.md.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "source/counts/function_counts.h"

namespace parcast::program {

class CallOrder {
 public:
  /// What was executed at the place: flows of each function by sighting.
  using Executed = std::map<facts::FunctionPlace, std::vector<Flows>>;
  CallOrder(const facts::LinkedProgram& program, const Executed& executed);

  struct Next {
    facts::FunctionPlace function;
    std::optional<Told> calls;  // executions of the blocks that call it, as far as these are told
  };
  /// Nothing where all are told.
  std::optional<Next> next();
  /// To be said of each function that was next.
  void told(facts::FunctionPlace function, const std::vector<BlockCount>& blocks);

 private:
  using Counts = std::vector<std::uint64_t>;  // by sighting
  struct Open {
    Counts entries;
    std::vector<std::pair<facts::FunctionPlace, int>> callers;  // blocks that call it by its name
    std::size_t awaited = 0;                                    // of these, other than in itself
    std::size_t arguments = 0;                                  // as far as it uses them
    bool elsewhere = false;                                     // some call by its name was never executed
  };
  struct Caller {  // a block that is told
    Counts executions;
    Told per_visit;
  };
  struct Match {
    const Caller* caller = nullptr;
    double nearness = 0;  // 1: it is executed as often as the function is entered
  };
  std::optional<Told> calls_by_name(const Open& open) const;
  double nearness_by_name(const Open& open) const;
  Match by_pointer(const Open& open) const;
  Counts executions(facts::FunctionPlace function, int block) const;

  const facts::LinkedProgram& program_;
  const Executed& executed_;
  std::map<facts::FunctionPlace, Open> open_;
  std::set<facts::FunctionPlace> ready_;
  std::map<facts::FunctionPlace, std::vector<facts::FunctionPlace>> called_;     // by the caller, one entry per block that calls
  std::map<std::pair<facts::FunctionPlace, int>, Caller> told_;                  // blocks that call anything
  std::vector<std::pair<std::size_t, const Caller*>> through_pointers_;          // with how many arguments
};

}  // namespace parcast::program
