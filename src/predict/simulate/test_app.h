// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tests only: a program of six ranks with a bit of everything, one line of app.c for each call, and mistakes in it as people make them,
// one at each place where it can be made.

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

/// A rank's call in a line; the end of its body where there is none.
Body::iterator call_in(Program& program, std::int32_t rank, std::uint32_t line);
trace::Operation& operation(Program& program, std::int32_t rank, std::uint32_t line);
void leave_out(Program& program, std::int32_t rank, std::uint32_t line);
/// A call that stands in that line of app.c.
Node at(std::uint32_t line, Node node);

struct Bug {
  std::string name;
  Program program;
};

/// Every bug of a sort, once on each rank where the line is.
template <class Change>
void seed(std::vector<Bug>& bugs, const std::string& name, std::initializer_list<std::uint32_t> lines, Change change) {
  for (const std::uint32_t line : lines)
    for (std::int32_t rank = 0; rank < kAppRanks; ++rank) {
      Program program = app();
      if (call_in(program, rank, line) == program.ranks[static_cast<std::size_t>(rank)].end()) continue;
      change(program, rank, line);
      bugs.push_back({name + " in app.c:" + std::to_string(line) + " on rank " + std::to_string(rank), std::move(program)});
    }
}

/// Bugs with which some rank hangs, or a message is left.
std::vector<Bug> hanging_bugs();

}  // namespace parcast::simulate::testing
