// SPDX-License-Identifier: Apache-2.0
#pragma once
// Holds what the threads of a rank do concurrently, one lane per thread, with the recorded times. A trace has
// one sequence per rank; rehearsal.h finds an order of these steps in which the run can end.

#include <cstdint>
#include <vector>

#include "recording/recording.h"
#include "trace/builder.h"

namespace parcast::trace {

/// Returns whether a thread stays in an operation of this kind until a message or another rank lets it go on.
constexpr bool stays(Kind kind) {
  return kind == Kind::send || kind == Kind::receive || kind == Kind::wait || kind == Kind::collective ||
         kind == Kind::probe;
}

/// One operation of a thread, from `enter` to `exit`. Both are equal for an operation that the thread does
/// not stay in.
struct LaneStep {
  static constexpr std::uint32_t kWait = 0xffffffff;     // a wait for `requests`
  static constexpr std::uint32_t kNothing = 0xfffffffe;  // the computing after a lane's last operation
  std::uint32_t operation = kNothing;                    // index into Trace::operations
  std::uint32_t place = kNowhere;                        // of a wait
  // nanoseconds, as in Event; the thread computes between `since` and `enter`
  std::int64_t since = 0, enter = 0, exit = 0;
  Time compute = 0;  // computing time between `since` and `enter`
  // of a wait: index into RankLanes::requests; otherwise the number of the request that it begins
  std::uint64_t first = 0;
  std::uint32_t count = 0;  // of a wait: number of requests
};
using Lane = std::vector<LaneStep>;

struct RankLanes {
  // empty: the rank has one thread, and the trace has its sequence
  std::vector<Lane> lanes;
  // requests that waits name, numbered from 1 in the order in which they begin
  std::vector<std::uint64_t> requests;
};

/// Returns whether several threads of the rank communicate.
bool has_lanes(const recording::RankRecording& rank, const std::vector<recording::Call>& calls);

/// Receives a rank's words and adds each to the lane of the event that caused it.
class LaneWords final : public Words {
 public:
  LaneWords(Builder& builder, RankLanes& out) : builder_(builder), out_(out) {}

  /// Words added from now on belong to this event.
  void turn_to(const recording::Event& event);
  void add_compute(Time time) override;
  void add(const Operation& operation) override;
  void add_wait(std::span<const std::uint64_t> requests, std::uint32_t place) override;
  /// Ends each lane with the computing after its last operation.
  void finish();

 private:
  struct Open {
    std::int64_t since = 0, enter = 0, exit = 0;
    Time compute = 0;
  };
  void put(LaneStep step, bool stays);

  Builder& builder_;
  RankLanes& out_;
  std::vector<Open> open_;  // one per lane
  std::size_t lane_ = 0;
};

/// Computes the rank's computing time in a span: that of the lane that computed longest. Computing of
/// concurrent threads does not add up.
class ComputingOfLanes {
 public:
  explicit ComputingOfLanes(const RankLanes& of) : of_(of), at_(of.lanes.size()), spent_(of.lanes.size()) {}

  /// Begins the lane's next step. Returns the rank's computing time since the last begin() or end().
  Time begin(std::size_t lane);
  /// Ends the lane's current step. Returns the same.
  Time end(std::size_t lane);

 private:
  Time until(std::int64_t time);

  const RankLanes& of_;
  // of each lane: the current step, or the next one
  std::vector<std::size_t> at_;
  std::vector<bool> at_hand_ = std::vector<bool>(of_.lanes.size());
  std::vector<Time> spent_;  // of each lane: computing already counted before that step
  std::int64_t given_ = INT64_MIN;
};

}  // namespace parcast::trace
