// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tests only: a program of six ranks with all sorts of calls, one line of app.c for each call. Typical
// mistakes in it are made one at a time, at each possible place.

#include <string>
#include <utility>
#include <vector>

#include "predict/simulate/platform.h"
#include "predict/simulate/test_program.h"

namespace parcast::simulate::testing {

constexpr std::int32_t kAppRanks = 6;

Program app();
/// Its places are lines of app.c.
trace::Trace traced(const Program& program);
Platform app_platform();

/// Returns a rank's call in a line; the end of its body if there is none.
Body::iterator call_in(Program& program, std::int32_t rank, std::uint32_t line);
trace::Operation& operation(Program& program, std::int32_t rank, std::uint32_t line);
void leave_out(Program& program, std::int32_t rank, std::uint32_t line);
/// Gives a call its line of app.c.
Node at(std::uint32_t line, Node node);

struct Bug {
  std::string name;
  Program program;
};

/// Adds every bug of one sort, once on each rank that has the line.
template <class Change>
void seed(std::vector<Bug>& bugs, const std::string& name, std::initializer_list<std::uint32_t> lines,
          Change change) {
  for (const std::uint32_t line : lines)
    for (std::int32_t rank = 0; rank < kAppRanks; ++rank) {
      Program program = app();
      if (call_in(program, rank, line) == program.ranks[static_cast<std::size_t>(rank)].end()) continue;
      change(program, rank, line);
      bugs.push_back({name + " in app.c:" + std::to_string(line) + " on rank " + std::to_string(rank),
                      std::move(program)});
    }
}

/// Returns bugs with which some rank deadlocks, or a message is left over.
std::vector<Bug> hanging_bugs();

}  // namespace parcast::simulate::testing
