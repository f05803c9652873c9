// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs of several programs as rows of the papers' equation t = chi beta + e (Clement and Quinn 1997, section 3.3): a measured time beside
// how often each thing was done that costs time.
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

/// What a process of a run holds and moves of one array.
struct Array {
  double footprint = 0;             // bytes of it that one process holds
  double traffic = 0;               // bytes of it that the busiest process moves in the whole run
  std::vector<std::string> missed;  // caches that are smaller than that footprint, from the core outwards: by `linearise`
};

struct Run {
  std::string program;
  std::map<std::string, double> parameters;  // that tell runs apart, p among them; no part of the regression
  double seconds = 0;                        // > 0; of a run that is only asked about NaN
  std::vector<double> counts;                // by Runs::counts, >= 0
  std::string place;                         // runs.csv:7
  std::string repetition;                    // tells equal runs apart; empty where nothing does
  std::vector<Array> arrays;                 // by Runs::arrays
  bool memory_exceeded = false;              // by all arrays of a node's processes together: by `linearise`
};

struct Runs {
  std::vector<std::string> counts;      // columns of chi
  std::vector<std::string> parameters;  // of all runs, in order of appearance
  std::vector<Run> runs;
  std::string where;                    // file or store
  std::vector<std::string> arrays;      // of which footprint and traffic are told
  std::string linearised_on;            // the machine whose caches they were held against; empty: none was named
  std::vector<std::string> notes;       // how columns were understood, what was left out: a sentence each
  std::vector<std::string> warnings;    // what answers must say first
};

/// A time that was not measured: of a run that is only asked about.
inline constexpr double kAsked = std::numeric_limits<double>::quiet_NaN();

/// Programs by name.
std::vector<std::string> programs_of(const Runs& runs);
/// "gauss, p = 4, n = 512"
std::string name_of(const Run& run);

}  // namespace parcast::regress
