// SPDX-License-Identifier: Apache-2.0
#pragma once
// Converts one rank's recorded events, in order, to words of a trace.

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "recording/recording.h"
#include "trace/arrivals.h"
#include "trace/builder.h"
#include "trace/communicators.h"
#include "trace/from_recording.h"
#include "trace/lanes.h"
#include "trace/left_out.h"

namespace parcast::trace {

class RankEvents {
 public:
  /// `lanes`: the same object as `words` when several threads of the rank communicate; otherwise null.
  RankEvents(const recording::Recording& recording, const recording::RankRecording& rank,
             Communicators& communicators, Builder& builder, LeftOut& left_out, Matching matching,
             Words& words, LaneWords* lanes = nullptr);

  /// Visits all events and passes their words on.
  Result<void> walk();

 private:
  using Event = recording::Event;
  using Key = std::array<std::uint32_t, 3>;  // call, site, region
  /// The requests of the trace that one recorded request represents: `count` consecutive ones that end with
  /// `last`.
  struct Begun {
    std::uint64_t last = 0;
    std::uint32_t count = 0;
  };
  struct Access {
    std::uint64_t request = 0;
    std::int32_t owner = 0;  // world rank
  };
  /// One rank's view of a window whose number the recording contains.
  struct Window {
    std::uint32_t communicator = 0;  // number that Communicators uses
    std::int32_t number = 0;
    // world ranks: targets of the last start, origins of the last post
    std::vector<std::int32_t> targets, origins;
    // owners, kAny: all; `unchecked` are locked without a request
    std::set<std::int32_t> locked, unchecked;
  };
  struct Started {
    std::uint32_t request = 0;
    Operation collective;
  };
  /// The wildcards of a receive or a probe.
  struct Open {
    bool source = false, tag = false;
    bool given = true;  // whether the recording contains the wildcards
  };
  /// What a thread's last probe found, until the message is received.
  struct Found {
    std::int32_t source = 0, tag = 0;
    std::uint32_t communicator = 0;
    Open open;
  };

  void take(const Event& event, std::span<const recording::Completion> completions, double computed);
  bool polls_in_vain(const Event& event, std::span<const recording::Completion> completions) const;
  void settle_polls(const Event& next);
  void compute(const Event& event, double nanoseconds);
  void find_cancelled();
  double interruption(const Event& event);
  double lost_share() const;
  void leave_out(const Event& event, Tally& tally);
  void access(const Event& event);
  void synchronise_window(const Event& event, recording::Pattern pattern);
  void wait_for_accesses(const Event& event, std::int32_t owner = kAny);

  // epochs.cpp
  Window* window_of(const Event& event);
  void post(const Event& event);
  void start(const Event& event);
  void complete(const Event& event);
  void await_origins(const Event& event);
  void lock(const Event& event);
  void unlock(const Event& event);
  std::vector<std::int32_t> group_of(const Event& event);
  void notify(const Event& event, const Window& window, const std::vector<std::int32_t>& ranks,
              std::int32_t what);
  void await_notices(const Event& event, const Window& window, const std::vector<std::int32_t>& ranks,
                     std::int32_t what);

  void send(const Event& event);
  void start_send(const Event& event);
  void begin(std::uint32_t request, std::uint64_t before);
  void wait(const Event& event, std::span<const recording::Completion> completions);

  // receiving.cpp
  void receive(const Event& event);
  void send_receive(const Event& event);
  void start_receive(const Event& event);
  void skip_arrival(const Event& event);
  void probe(const Event& event);
  void look(const Event& event);
  void remember_found(const Event& event);
  Open open_of(const Event& event, const recording::Message& came);
  std::optional<Operation> receive_of(const Event& event, Kind kind, const recording::Message& came);
  void count_open(const Open& open, Operation& operation);

  void collective(const Event& event, recording::Pattern pattern);
  void make_communicator(const Event& event);
  void synchronise(const Event& event, const Operation& operation);
  void do_started(std::size_t count);
  void neighbourhood(const Event& event);
  void start_shares(const Event& event, Kind kind, std::uint32_t list);

  std::optional<Operation> message(const Event& event, Kind kind, const recording::Message& side);
  std::optional<Operation> over(const Event& event, recording::Pattern pattern, std::uint32_t communicator,
                                std::int32_t root, std::uint64_t bytes);
  std::optional<std::int32_t> partner(std::int32_t peer);
  Place described(const Event& event) const;
  std::uint32_t place(const Event& event);
  Time inside(const Event& event);
  void find_means();

  const recording::Recording& recording_;
  const recording::RankRecording& rank_;
  Communicators& communicators_;
  Builder& builder_;
  LeftOut& left_out_;
  Matching matching_;
  Words& words_;
  LaneWords* lanes_;
  Arrivals arrivals_;
  std::set<std::uint32_t> cancelled_;                     // recorded numbers of requests
  std::unordered_map<std::uint32_t, Begun> outstanding_;  // by the recorded number of the request
  std::map<std::uint16_t, Found> found_;                  // by thread
  std::deque<Started> started_;                           // nonblocking collectives, in order
  // outstanding accesses, by the communicator of their window
  std::unordered_map<std::uint32_t, std::vector<Access>> accesses_;
  // by recorded communicator and window number
  std::map<std::pair<std::uint32_t, std::int32_t>, Window> windows_;
  std::map<Key, std::uint32_t> places_;
  std::set<Key> alone_;          // places of collectives over this rank only
  std::map<Key, double> means_;  // mean nanoseconds in a call, for folded events
  std::vector<std::uint64_t> waited_;
  Time polled_ = 0;         // time in unsuccessful polls since the thread's last other event
  std::vector<Key> polls_;  // places of those polls
  // time off the core is due to the machine, not to other ranks or threads
  bool own_core_ = false;
  std::int64_t left_ = 0;  // nanoseconds: exit of the previous event
  std::optional<double> lost_share_;
};

}  // namespace parcast::trace
