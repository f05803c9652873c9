// SPDX-License-Identifier: Apache-2.0
#pragma once
// Determines the order in which the functions of a place are resolved, and from which calls: callers before
// their callees. A function without calls by name is assigned to the call through a pointer that was executed
// as often, or else by the smallest factor more often. If no call was executed often enough, the nearest one
// is taken. In a circle of calls, the function whose executed calls are nearest to its entries is resolved
// first. docs/models/source_counts.md.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "source/counts/function_counts.h"

namespace parcast::program {

class CallOrder {
 public:
  /// Functions executed at the place: flows of each function by sighting.
  using Executed = std::map<facts::FunctionPlace, std::vector<Flows>>;
  CallOrder(const facts::LinkedProgram& program, const Executed& executed);

  struct Next {
    facts::FunctionPlace function;
    std::optional<SourceCount> calls;  // executions of the blocks that call it, as far as these are resolved
  };
  /// Returns the next function to resolve, or nothing if all are resolved.
  std::optional<Next> next();
  /// Records the counts of a function returned by next(). The caller must call it for each such function.
  void given(facts::FunctionPlace function, const std::vector<BlockCount>& blocks);

 private:
  using Counts = std::vector<std::uint64_t>;  // by sighting
  struct Open {
    Counts entries;
    std::vector<std::pair<facts::FunctionPlace, int>> callers;  // blocks that call it by name
    std::size_t awaited = 0;    // callers not yet resolved, without the function itself
    std::size_t arguments = 0;  // number of arguments that it uses
    bool elsewhere = false;     // it may have callers that were never executed
  };
  struct Caller {  // a resolved block that contains calls
    Counts executions;
    SourceCount per_visit;
  };
  struct Match {
    const Caller* caller = nullptr;
    double nearness = 0;  // 1: executed as often as the function is entered
  };
  std::optional<SourceCount> calls_by_name(const Open& open) const;
  double nearness_by_name(const Open& open) const;
  Match by_pointer(const Open& open) const;
  Counts executions(facts::FunctionPlace function, int block) const;

  const facts::LinkedProgram& program_;
  const Executed& executed_;
  std::map<facts::FunctionPlace, Open> open_;
  std::set<facts::FunctionPlace> ready_;
  // by caller, one entry per calling block
  std::map<facts::FunctionPlace, std::vector<facts::FunctionPlace>> called_;
  std::map<std::pair<facts::FunctionPlace, int>, Caller> given_;  // resolved blocks that contain calls
  // number of passed arguments, block of the call
  std::vector<std::pair<std::size_t, const Caller*>> through_pointers_;
};

}  // namespace parcast::program
