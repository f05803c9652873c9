// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes the events of one rank as records of its locations, one after the other. It keeps only what is still
// open.

#include <otf2/otf2.h>

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "interchange/collective_bytes.h"
#include "interchange/otf2_definitions.h"
#include "interchange/otf2_names.h"
#include "recording/recording.h"
#include "trace/communicator_table.h"

namespace parcast::interchange {

/// Counts over all ranks.
struct EventTotals {
  std::map<std::string, std::uint64_t> records;  // by kind
  std::uint64_t events = 0;
  std::uint64_t outside = 0;     // messages whose partner is not in their communicator
  std::uint64_t late = 0;        // events moved later, because their time went backwards
  std::uint64_t estimated = 0;   // events whose times are means, because they were folded
  std::uint64_t unordered = 0;   // events that cannot be written individually
  std::uint64_t orphans = 0;     // completions of requests whose start is missing
  std::uint64_t long_lists = 0;  // lists of bytes per partner that do not fit
};

class RankEvents {
 public:
  RankEvents(const recording::Recording& recording, const recording::RankRecording& rank,
             const trace::CommunicatorTable& communicators, std::uint64_t zero, Otf2Definitions& names,
             OTF2_Archive* archive, Outcome& outcome, EventTotals& totals);
  ~RankEvents();
  RankEvents(const RankEvents&) = delete;
  RankEvents& operator=(const RankEvents&) = delete;

  /// Writes all events of the rank. Calls `each_so_many` from time to time with the number of events done.
  void write(const std::function<void(std::size_t)>& each_so_many);

 private:
  struct Thread {
    OTF2_EvtWriter* writer = nullptr;
    std::vector<std::string> open;  // paths of the open regions
    std::uint64_t last = 0;         // time stamp of the last record
    std::int64_t exit = 0;          // exit time of the last event
    bool begun = false;
    bool leaves = false;  // a call is open whose Leave record follows after its other records
    OTF2_RegionRef region = 0;
    std::uint64_t leave = 0;
  };
  enum class Kind { send, receive, collective, put, other };
  struct Request {
    Kind kind = Kind::other;
    std::uint32_t communicator = 0;  // for an access: the window
    OTF2_CollectiveOp operation = OTF2_COLLECTIVE_OP_BARRIER;
    std::uint32_t root = 0;
    CollectiveBytes bytes;
  };

  Thread& thread(std::uint16_t number);
  std::uint64_t stamp(Thread& on, std::int64_t time);
  void count(const char* kind);

  void add(const recording::Event& event, std::span<const recording::Completion> completions);
  void begin_region(Thread& on, const recording::Event& event);
  void end_region(Thread& on, const recording::Event& event);
  void open_path(Thread& on, const std::string& path, std::uint64_t at);
  void close_call(Thread& on);
  void enter(Thread& on, OTF2_RegionRef region, std::uint64_t at);
  void leave(Thread& on, OTF2_RegionRef region, std::uint64_t at);

  void describe(Thread& on, const recording::Event& event);
  void describe_sides(const recording::Event& event);
  void describe_message(Attribute peer, const recording::Message& message);
  void describe_shares(Attribute attribute, std::uint32_t list);
  bool expressed(const recording::Event& event, const recording::Message& message, bool sends) const;
  bool request_expressed(const recording::Event& event) const;
  bool is_nothing_else(const recording::Event& event, bool sends) const;
  std::int64_t expected_compute(const Thread& on, const recording::Event& event) const;

  void write_start(Thread& on, const recording::Event& event, std::uint64_t at);
  void write_message(Thread& on, const recording::Event& event, std::uint64_t at);
  void write_collective(Thread& on, const recording::Event& event, std::uint64_t at, bool begins);
  void write_access(Thread& on, const recording::Event& event, std::uint64_t at);
  void write_end(Thread& on, const recording::Event& event, std::uint64_t at);
  void complete(Thread& on, const recording::Completion& completion, std::uint64_t at);

  std::uint32_t root_of(const recording::Event& event) const;
  Place place_of(const recording::Event& event) const;
  std::uint32_t communicator_of(const recording::Event& event) const;
  std::optional<std::uint32_t> partner(const recording::Event& event, std::int32_t peer) const;

  const recording::Recording& recording_;
  const recording::RankRecording& rank_;
  const trace::CommunicatorTable& communicators_;
  std::uint64_t zero_;
  Otf2Definitions& names_;
  OTF2_Archive* archive_;
  Outcome& outcome_;
  EventTotals& totals_;
  OTF2_AttributeList* attributes_;
  std::map<std::uint16_t, Thread> threads_;
  std::span<const recording::Completion> completions_;  // of the current event
  std::unordered_map<std::uint32_t, Request> requests_;
  std::unordered_map<std::string_view, std::uint64_t> counts_;
  std::vector<std::pair<OTF2_StringRef, OTF2_SourceCodeLocationRef>> sites_;  // by index
};

}  // namespace parcast::interchange
