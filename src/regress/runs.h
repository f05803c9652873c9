// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs of several programs as rows of the papers' equation t = chi beta + e (Clement and Quinn 1997, section
// 3.3): a measured time, and the counts of all operations that cost time.
//
//   program  p   n     seconds  operations  messages     bytes
//   gauss    4   512     1.93      2.2e7       1533    3.1e+6

#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace parcast::regress {

/// The data of one array that a process of a run holds and moves.
struct Array {
  double footprint = 0;  // bytes of it that one process holds
  double traffic = 0;    // bytes of it that the busiest process moves in the run
  // caches smaller than that footprint, from the core outwards: set by `linearise`
  std::vector<std::string> missed;
};

struct Run {
  std::string program;
  std::map<std::string, double> parameters;  // that distinguish runs, including p; not used in the regression
  double seconds = 0;                        // > 0; NaN for a run to predict
  std::vector<double> counts;                // by Runs::counts, >= 0
  std::string place;                         // runs.csv:7
  std::string repetition;                    // distinguishes equal runs; empty if nothing does
  std::vector<Array> arrays;                 // by Runs::arrays
  bool memory_exceeded = false;  // by all arrays of a node's processes together: set by `linearise`
};

struct Runs {
  std::vector<std::string> counts;      // columns of chi
  std::vector<std::string> parameters;  // of all runs, in order of appearance
  std::vector<Run> runs;
  std::string where;                  // file or store
  std::vector<std::string> arrays;    // those with footprint and traffic
  std::string linearised_on;          // the machine whose caches were used; empty: none was named
  std::vector<std::string> notes;     // interpretation of columns, omissions: a sentence each
  std::vector<std::string> warnings;  // to be printed before any answer
};

/// The time of a run that is to be predicted.
inline constexpr double kAsked = std::numeric_limits<double>::quiet_NaN();

/// Returns the names of the programs.
std::vector<std::string> programs_of(const Runs& runs);
/// Returns e.g. "gauss, p = 4, n = 512".
std::string name_of(const Run& run);

}  // namespace parcast::regress
