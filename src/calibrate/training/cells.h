// SPDX-License-Identifier: Apache-2.0
#pragma once
// A training set is a list of cells, one operation at one message size each. They are measured in turns:
// first each a few times, from small messages to large, then those whose median is least settled, until all
// are settled or the time is over.

#include <functional>
#include <string>
#include <vector>

#include "calibrate/training/samples.h"
#include "calibrate/training/team.h"

namespace parcast::training {

struct Cell {
  std::string table;
  double bytes = 0;
  int round = 0;                    // cells of a later round come only while half of the time is left
  std::function<void()> operation;  // entered by all processes
  std::vector<double> seconds;      // on rank 0
  Nanoseconds window = 0;           // 0: not visited yet
  bool left_out = false;
};

/// Collective. All processes pass the same cells in the same order; rank 0's get the samples. Cells of one
/// table must follow each other from small to large within a round. Returns sentences on what was left out
/// for want of time.
std::vector<std::string> measure(Team& team, std::vector<Cell>& cells, double seconds);

/// Appends what was measured, by table and size.
void report(const std::vector<Cell>& cells, int processes, calibrate::Measurements& into);

}  // namespace parcast::training
