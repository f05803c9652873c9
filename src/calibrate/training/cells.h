// SPDX-License-Identifier: Apache-2.0
#pragma once
// A training set is a list of tables, each one operation at increasing message sizes; a cell is a table at one size. First each
// is measured a few times, from small messages to large, every fourth size before those between; then, until the time is over,
// tables take turns: all sizes of one at a stretch, and one more where it is least sure, so that a machine that changes
// between its turns changes all of them. What joined later is brought to the level of those that were there all the time.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/training/samples.h"
#include "calibrate/training/team.h"

namespace parcast::training {

/// Sizes of a table's messages go from 8 bytes to this.
constexpr int kLargestMessage = 1 << 20;

struct Table {
  /// How early and how long a table is measured: an earlier class comes before the next, and gets twice its time.
  enum class Class : int { first, usual, last };

  std::string name;
  Class importance = Class::usual;
  bool sized = true;  // false: its calls have no bytes
  struct Call {
    double bytes = 0;  // as the table's points say it
    std::function<void()> enter;  // by all processes
  };
  /// The call for a message of about so many bytes; nothing where there is none. The same on all processes.
  std::function<std::optional<Call>(int bytes)> call;
};

/// Collective. All processes pass the same tables, and `into` with as many sizes to be kept out; rank 0's gets the points, and what was left out for want of time.
void measure(Team& team, const std::vector<Table>& tables, double seconds, calibrate::Measurements& into);

}  // namespace parcast::training
