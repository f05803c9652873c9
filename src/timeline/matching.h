// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds what a call of MPI waited for, from the events of all ranks. The k-th send from one rank to another
// with a tag in a communicator belongs to the k-th receive that completes there: messages of MPI do not
// overtake each other. The k-th collectives of the members of a communicator are one call.
// docs/models/timeline.md.

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "recording/recording.h"
#include "timeline/timeline.h"
#include "trace/communicator_table.h"

namespace parcast::timeline {

/// What another lane did at the time at which a wait ended.
struct Cause {
  std::uint32_t lane = 0;
  Time at = 0;
  bool by_message = false;  // the data then travelled until the call ended
};

/// An event with its times on the line that all ranks share.
struct Placed {
  std::int32_t rank = 0;
  std::uint32_t lane = 0;
  Time enter = 0, exit = 0;
  const recording::Event* event = nullptr;
  std::span<const recording::Completion> completions;
};

/// The messages of a run. All events are shown twice, in the same order: they are noted first, and asked
/// about when the other sides of their messages are known.
class Matching {
 public:
  /// `recording` must outlive this object.
  explicit Matching(const recording::Recording& recording);

  void note(const Placed& call);
  /// Ends the first pass.
  void finish();
  /// Returns the latest event that the call waited for; nothing if it waited for nobody.
  std::optional<Cause> cause_of(const Placed& call);

  /// Returns one of `every` messages, by sender, receiver and tag, in the order of their sends.
  std::vector<Message> messages(std::uint64_t every) const;
  std::uint64_t message_count() const;
  /// Returns the number of messages that were received before they were sent: the clocks do not agree.
  std::uint64_t reversed() const;

 private:
  struct Key {
    std::uint32_t communicator = 0;
    std::int32_t from = 0, to = 0, tag = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  /// Of a send: its call. Of a receive: when it was posted, and when its message was there.
  struct Side {
    std::uint32_t lane = 0;
    Time enter = 0, exit = 0;
    std::uint64_t bytes = 0;
  };
  struct Flow {
    std::vector<Side> sends, receives;
    std::size_t sent = 0, received = 0;  // of the second pass
  };
  struct Request {
    std::uint32_t communicator = 0;
    Time posted = 0;
    const Flow* sends = nullptr;  // of a send, in the second pass
    std::size_t number = 0;       // of the send in its flow
  };
  struct Meeting {
    Cause root, last;
    std::size_t members = 0;
  };

  std::optional<std::uint32_t> communicator(const Placed& call) const;
  Flow* flow(const std::optional<std::uint32_t>& communicator, std::int32_t from, std::int32_t to,
             std::int32_t tag);
  Meeting* meeting(const Placed& call);
  void note_meeting(const Placed& call);
  std::optional<Cause> cause_in_meeting(const Placed& call);
  const Side* next_send(const Placed& call, const std::optional<std::uint32_t>& communicator,
                        std::int32_t from, std::int32_t tag);
  Request take_request(std::int32_t rank, std::uint32_t number);
  const recording::Call& call_of(const Placed& call) const;

  const recording::Recording& recording_;
  trace::CommunicatorTable communicators_;
  std::unordered_map<Key, Flow, Hash> flows_;
  std::vector<std::unordered_map<std::uint32_t, Request>> requests_;   // by rank and number
  std::vector<std::vector<Meeting>> meetings_;                         // by communicator
  std::vector<std::unordered_map<std::uint32_t, std::size_t>> calls_;  // by rank and communicator
};

}  // namespace parcast::timeline
