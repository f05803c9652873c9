// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the training set measures, and what one measurement gives.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/late.h"

namespace parcast::training {

/// Every table's messages go from 0 and 8 bytes to this,
constexpr int kUsualLargest = 1 << 20;
/// and as far as time and memory allow up to this, doubled from size to size.
constexpr int kLargestMessage = 1 << 26;

/// One operation at increasing message sizes.
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

/// Repeats of a call, on rank 0: seconds from the last process's start to the last one's end, of those repeats that all started in time;
/// `late` are those of the others.
struct Batch {
  std::vector<double> seconds;
  std::vector<calibrate::LateRepeat> late;
};

}  // namespace parcast::training
