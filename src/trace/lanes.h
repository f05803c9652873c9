// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the threads of a rank do at the same time, each in a lane of its own, with the times of the recording. A trace has one sequence
// per rank; rehearsal.h finds an order of these steps in which the run can end.

#include <cstdint>
#include <vector>

#include "recording/recording.h"
#include "trace/builder.h"

namespace parcast::trace {

/// Kinds that a thread stays in until something has come or gone.
constexpr bool stays(Kind kind) {
  return kind == Kind::send || kind == Kind::receive || kind == Kind::wait || kind == Kind::collective || kind == Kind::probe;
}

/// One operation of a thread, from `enter` to `exit`, which are one moment where it does not stay.
struct LaneStep {
  static constexpr std::uint32_t kWait = 0xffffffff;     // a wait for `requests`
  static constexpr std::uint32_t kNothing = 0xfffffffe;  // the computing behind a lane's last operation
  std::uint32_t operation = kNothing;     // index into Trace::operations
  std::uint32_t place = kNowhere;         // of a wait
  std::int64_t since = 0, enter = 0, exit = 0;  // nanoseconds, as in Event; the thread computes between the first two
  Time compute = 0;                       // so much of that time
  std::uint64_t first = 0;                // of a wait: index into RankLanes::requests; else the number of the request that it begins
  std::uint32_t count = 0;                // of a wait: requests
};
using Lane = std::vector<LaneStep>;

struct RankLanes {
  std::vector<Lane> lanes;              // empty: the rank has one thread, and its sequence is in the trace
  std::vector<std::uint64_t> requests;  // that waits name, numbered from 1 in order of their beginning
};

/// Whether several threads of the rank communicate.
bool has_lanes(const recording::RankRecording& rank, const std::vector<recording::Call>& calls);

/// Takes a rank's words, each for the lane of the event that it follows from.
class LaneWords final : public Words {
 public:
  LaneWords(Builder& builder, RankLanes& out) : builder_(builder), out_(out) {}

  /// What is added from here on belongs to this event.
  void turn_to(const recording::Event& event);
  void add_compute(Time time) override;
  void add(const Operation& operation) override;
  void add_wait(std::span<const std::uint64_t> requests, std::uint32_t place) override;
  /// Ends each lane with the computing behind its last operation.
  void finish();

 private:
  struct Open {
    std::int64_t since = 0, enter = 0, exit = 0;
    Time compute = 0;
  };
  void put(LaneStep step, bool stays);

  Builder& builder_;
  RankLanes& out_;
  std::vector<Open> open_;  // of each lane
  std::size_t lane_ = 0;
};

/// How much of a span of time some lane computed in, as the lane that computed most: threads that compute side by side do not add up.
class ComputingOfLanes {
 public:
  explicit ComputingOfLanes(const RankLanes& of) : of_(of), at_(of.lanes.size()), spent_(of.lanes.size()) {}

  /// A lane's next step begins. The rank's computing since the step that was told before.
  Time begin(std::size_t lane);
  /// It ends.
  Time end(std::size_t lane);

 private:
  Time until(std::int64_t time);

  const RankLanes& of_;
  std::vector<std::size_t> at_;   // of each lane: the step that is next, or at hand
  std::vector<bool> at_hand_ = std::vector<bool>(of_.lanes.size());
  std::vector<Time> spent_;       // of the computing before that step
  std::int64_t told_ = INT64_MIN;
};

}  // namespace parcast::trace
