// SPDX-License-Identifier: Apache-2.0
#pragma once
// A run as a picture of time: a lane per process and thread, filled with spans of one activity each, the
// messages between them, and the critical path. A recorded and a simulated run have the same form
// (docs/models/timeline.md).
//
//   rank 0  |computing      |MPI_Send|computing        |waiting|MPI_Recv|
//   rank 1  |computing|waiting  |MPI_Recv|computing         |MPI_Send|

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parcast::timeline {

/// Nanoseconds since the first process left MPI_Init.
using Time = std::int64_t;

enum class Activity : std::uint8_t {
  computing,
  point_to_point,
  collective,  // also creation of communicators
  one_sided,
  files,
  waiting,        // in a call, for another process that has not come yet
  off_processor,  // ready to run, without a processor
};
inline constexpr std::size_t kActivities = 7;
/// Returns e.g. "computing", "point to point".
std::string_view name_of(Activity activity);

/// Time of one activity. Neighbours that are too short to keep are summed in one span.
struct Span {
  Time begin = 0, end = 0;
  Activity activity = Activity::computing;
  std::uint32_t name = 0;    // index into Timeline::names: the call; 0: none, or several
  std::uint32_t region = 0;  // index into Timeline::regions
  std::uint32_t pieces = 1;  // recorded spans in it
  bool operator==(const Span&) const = default;
};

struct Lane {
  std::int32_t rank = 0;
  std::uint16_t thread = 0;
  std::string host;
  std::vector<Span> spans;  // in order, without overlap; gaps are times of which nothing is known
};

struct Message {
  std::uint32_t from = 0, to = 0;  // lanes
  Time sent = 0, received = 0;     // entry of the sending call, exit of the receiving one
  std::uint64_t bytes = 0;
  std::int32_t tag = 0;
  bool operator==(const Message&) const = default;
};

/// A part of the critical path: on a lane, or a message under way from it.
struct Step {
  std::uint32_t lane = 0;
  Time begin = 0, end = 0;
  bool is_message = false;
  bool operator==(const Step&) const = default;
};

struct Timeline {
  std::vector<std::string> names{""}, regions{""};
  std::vector<Lane> lanes;        // by rank, then thread
  std::vector<Message> messages;  // by lane of the sender, in order; a share of them if there are many
  std::vector<Step> path;         // in order of time; empty: not known
  Time length = 0;
  Time resolution = 0;  // spans within cells of this length are summed; 0: every span is kept
  std::uint64_t spans = 0, messages_of_run = 0;  // before spans are summed and messages left out
  double estimated = 0;                          // share of events whose times are means of repeated calls
  bool simulated = false;
  std::vector<std::string> notes;  // what is not exact, a sentence each
};

/// Returns the time of each activity on all lanes.
std::array<Time, kActivities> sums_of(const Timeline& timeline);

}  // namespace parcast::timeline
