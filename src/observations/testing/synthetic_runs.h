// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recordings made in test code, as the recorder would make them. A tape per process collects calls and
// computing. Two complete programs: a shallow-water code on a periodic grid and Gaussian elimination with
// cyclic rows.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/testing/numbers.h"
#include "recording/recording.h"

namespace parcast::program::testing {

/// One side of a message, or a collective's root and contribution.
struct Sent {
  std::int32_t to = recording::kNoPeer;
  std::uint64_t bytes = 0;
};

/// The operations of one process, in order.
class Tape {
 public:
  Tape(recording::Recording& recording, std::int32_t rank);

  void compute(double seconds, bool disturbed = false);
  void begin(const std::string& region);
  void end();
  /// Appends a call; `line` represents its site.
  void call(const std::string& name, int line, recording::CallClass kind,
            recording::Pattern pattern = recording::Pattern::none, Sent sent = {}, Sent received = {},
            std::uint32_t communicator = 0);
  void send(int line, std::int32_t to, std::uint64_t bytes);
  void receive(int line, std::int32_t from, std::uint64_t bytes);
  void exchange(int line, Sent sent, Sent received);
  void collective(const std::string& name, int line, recording::Pattern pattern, std::int32_t root,
                  std::uint64_t bytes, std::uint32_t communicator = 0);
  void finish();

  std::int32_t rank() const { return rank_; }
  std::int32_t processes() const { return recording_.processes; }

 private:
  recording::RankRecording& mine();
  std::uint32_t region_index();

  recording::Recording& recording_;
  std::int32_t rank_;
  std::vector<std::string> path_;
  std::map<std::string, std::uint32_t> regions_;
  std::map<int, std::uint32_t> sites_;
  std::int64_t clock_ = 0, computed_ = 0;
  bool disturbed_ = false;
};

using Program = std::function<void(Tape&)>;

/// Runs the program on every rank. The host has two cores, so more than two processes are oversubscribed.
recording::Recording record(const std::string& program, std::map<std::string, double> parameters,
                            std::int32_t processes, const Program& body);

/// Adds a communicator of all ranks with a periodic grid of two dimensions, ranks along the last one first.
void add_grid(recording::Recording& recording, const std::vector<std::int32_t>& extents);

/// `noise` is the relative noise of every computing time; 0: none.
recording::Recording shallow_water(int n, int steps, std::int32_t processes, double noise = 0,
                                   std::uint64_t seed = 1);
recording::Recording gauss(int n, std::int32_t processes, double noise = 0, std::uint64_t seed = 1);

/// Returns two processes with a parallel region of 5 ms on two threads, in microseconds from 0 to 6900.
recording::Recording two_threads();

/// Returns the rows of a part in a block distribution; the first parts get the remainder. A rank of a cyclic
/// distribution has the same number.
std::int64_t block(std::int64_t n, std::int64_t parts, std::int64_t part);

}  // namespace parcast::program::testing
