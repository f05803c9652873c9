// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tables that the training set measures, and the result of one measurement.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/late.h"

namespace parcast::training {

/// Largest size that every table is measured at; sizes are 0 and powers of two from 8 bytes on.
constexpr int kUsualLargest = 1 << 20;
/// Largest size that is measured if time and memory allow, doubling from size to size.
constexpr int kLargestMessage = 1 << 26;

/// One operation at increasing message sizes.
struct Table {
  /// When and how long a table is measured: an earlier class comes first, and gets twice the time of the next
  /// class.
  enum class Class : int { first, usual, last };

  std::string name;
  Class importance = Class::usual;
  bool sized = true;  // false: its calls have no bytes
  struct Call {
    double bytes = 0;             // as reported in the points of the table
    std::function<void()> enter;  // called by all processes
  };
  /// Returns the call for a message of about this size; nothing if there is none. The same on all processes.
  std::function<std::optional<Call>(int bytes)> call;
};

/// Repeats of a call, on rank 0. `seconds`: from the start of the last process to the end of the last one,
/// for repeats that all processes started in time. `late`: the other repeats.
struct Batch {
  std::vector<double> seconds;
  std::vector<calibrate::LateRepeat> late;
};

}  // namespace parcast::training
