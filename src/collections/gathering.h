// SPDX-License-Identifier: Apache-2.0
#pragma once
// One meeting of the processors of a process: a table to which each brings its bytes.
//
// Two gatherings serve in turn. A processor reads the table of a meeting until it enters the next one, and
// nobody enters the one after that before all have entered the next.

#include <algorithm>
#include <string>
#include <vector>

#include "parcast/collections/error.h"
#include "parcast/collections/runtime.h"

namespace parcast::collections {

/// "processor 3 calls reduce of 8 bytes"
std::string described(int rank, const detail::Meeting& meeting);
/// Throws unless both call the same.
void check_same(int rank, const detail::Meeting& meeting, int other_rank, const detail::Meeting& other);

class Gathering {
 public:
  explicit Gathering(int size) : size_(size) {}

  /// Returns whether all are here now; then finish() has to be called.
  bool join(int rank, const detail::Meeting& meeting, const void* mine, detail::Finish finish, double clock);
  void finish();

  const std::byte* table() const { return table_.data(); }
  double latest() const { return latest_; }
  int arrived() const { return arrived_; }
  int first_rank() const { return first_rank_; }
  const detail::Meeting& meeting() const { return meeting_; }

 private:
  int size_, arrived_ = 0, first_rank_ = 0;
  detail::Meeting meeting_;
  detail::Finish finish_;
  double latest_ = 0;
  std::vector<std::byte> table_;
};

}  // namespace parcast::collections
