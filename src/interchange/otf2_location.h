// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads the records of one location and makes the events of one thread from them: the records between the
// Enter and Leave of a call become one event. Only the record that completes a nonblocking receive holds its
// message. The event of the receive therefore waits for that record, and later events wait after it, up to
// kMostWaiting.

#include <otf2/otf2.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "interchange/collective_bytes.h"
#include "interchange/otf2_archive.h"
#include "interchange/otf2_attributes.h"
#include "interchange/rank_communicators.h"
#include "interchange/rank_writer.h"

namespace parcast::interchange {

/// Totals over all locations: records left out, by kind, and irregularities.
struct LocationTotals {
  std::map<std::string, std::uint64_t> left_out;
  std::uint64_t records = 0;
  std::uint64_t unmatched = 0;   // Leave without Enter, or of another region
  std::uint64_t unfinished = 0;  // calls without a Leave
  std::uint64_t backwards = 0;   // records earlier than the record before
  std::uint64_t unresolved = 0;  // nonblocking calls whose completion is missing
  std::uint64_t too_deep = 0;    // regions nested deeper than a recording allows
  std::uint64_t outside = 0;     // messages and requests outside of any call
};

/// State of a rank, shared by all its locations.
struct RankState {
  RankWriter& writer;
  RankCommunicators& communicators;
  std::int32_t rank = 0;
  std::map<const MpiCall*, std::uint64_t> counted;  // calls that are only counted
  // functions of MPI that are missing in the table
  std::map<std::string, std::uint64_t> unknown;
  std::map<std::pair<std::uint32_t, OTF2_RegionRef>, std::uint32_t> regions;  // (parent, region) -> number
  std::map<OTF2_StringRef, std::uint32_t> sites, shares;
  // numbers for request identifiers that are too large for the file
  std::unordered_map<std::uint64_t, std::uint32_t> requests;
  std::optional<std::uint64_t> initialised, finalised, first;  // ticks
  bool calls_mpi = false;
  std::uint64_t last = 0;         // ticks: time of the first thread's last record
  std::uint64_t accelerated = 0;  // ticks of the run that the first thread spends in regions of accelerators
  std::vector<std::string> command;  // from the record that begins the program
};

class LocationReader {
 public:
  /// `first`: the location is the thread that calls MPI_Init.
  LocationReader(const Otf2Archive& archive, RankState& state, LocationTotals& totals, bool first)
      : archive_(archive), state_(state), totals_(totals), is_first_(first) {}

  void enter(OTF2_TimeStamp time, OTF2_RegionRef region, const OTF2_AttributeList* attributes);
  void leave(OTF2_TimeStamp time, OTF2_RegionRef region, const OTF2_AttributeList* attributes);
  void send(OTF2_CommRef communicator, std::uint32_t receiver, std::uint32_t tag, std::uint64_t bytes);
  void start_send(OTF2_CommRef communicator, std::uint32_t receiver, std::uint32_t tag, std::uint64_t bytes,
                  std::uint64_t request);
  void start_receive(std::uint64_t request, const OTF2_AttributeList* attributes);
  void start_collective(std::uint64_t request, const OTF2_AttributeList* attributes);
  void receive(OTF2_CommRef communicator, std::uint32_t sender, std::uint32_t tag, std::uint64_t bytes);
  void collective(OTF2_CollectiveOp operation, OTF2_CommRef communicator, std::uint32_t root,
                  CollectiveBytes moved);
  void access(OTF2_RmaWinRef window, std::uint32_t remote, std::optional<std::uint64_t> sent,
              std::optional<std::uint64_t> received, std::uint64_t id);
  void begin_file_access(bool writes, std::uint64_t bytes, std::uint64_t id);
  void end_file_access(std::uint64_t bytes, std::uint64_t id);
  void complete(std::uint64_t request);
  void complete_receive(OTF2_CommRef communicator, std::uint32_t sender, std::uint32_t tag,
                        std::uint64_t bytes, std::uint64_t request);
  void complete_collective(OTF2_CollectiveOp operation, OTF2_CommRef communicator, std::uint32_t root,
                           CollectiveBytes moved, std::uint64_t request);
  void complete_access(std::uint64_t id);
  void cancel(std::uint64_t request, const OTF2_AttributeList* attributes);
  /// Leaves out an interval that the tool used for itself.
  void pause(OTF2_TimeStamp from, OTF2_TimeStamp to);
  void leave_out(const char* kind) { ++totals_.left_out[kind]; }
  void begin_program(OTF2_StringRef name, std::uint32_t count, const OTF2_StringRef* arguments);
  /// Returns the region of a calling context.
  OTF2_RegionRef region_of(OTF2_CallingContextRef context) const;
  /// Takes the time of a record, whatever its kind.
  void see(OTF2_TimeStamp time);
  /// Writes the events that still wait.
  void finish();

 private:
  /// An event of the open call: its first, or one for a further request.
  struct Part {
    ImportedEvent event;
    bool waits = false;               // for the record that completes it
    bool given_communicator = false;  // by an attribute or an earlier record
  };

  void begin_call(OTF2_RegionRef region, const MpiCall& call, const RecordAttributes& attributes);
  void end_call();
  void begin_region(OTF2_RegionRef region, const RecordAttributes& attributes);
  void end_region(OTF2_RegionRef region, const RecordAttributes& attributes);
  void mark(const MpiCall& call, const RecordAttributes& attributes);
  void begin_run();
  void end_run();
  void begin_accelerated(OTF2_RegionRef region);
  void end_accelerated();
  void apply(const RecordAttributes& attributes, Part& part);
  std::optional<std::int64_t> computed(const RecordAttributes& attributes) const;

  Part* open_part();
  Part* start_part(std::uint64_t request);
  void add_completion(const recording::Completion& completion);
  void take_communicator(OTF2_CommRef communicator, Part& part);
  void take_collective(Part& part, OTF2_CollectiveOp operation, OTF2_CommRef communicator, std::uint32_t root,
                       CollectiveBytes moved);

  void queue(Part part);
  void flush(bool all);
  Part* awaited(std::uint32_t request);

  std::uint32_t path() const { return path_.empty() ? 0 : path_.back().second; }
  std::uint32_t request_number(std::uint64_t request);
  std::optional<std::uint32_t> region_number(OTF2_RegionRef region);
  std::uint32_t site_number(OTF2_StringRef text);
  std::uint32_t shares_number(OTF2_StringRef text);
  std::int32_t root_of(OTF2_CommRef communicator, std::uint32_t root);

  const Otf2Archive& archive_;
  RankState& state_;
  LocationTotals& totals_;
  const bool is_first_;
  std::vector<std::pair<OTF2_RegionRef, std::uint32_t>> path_;  // open regions, with their numbers
  // number of open regions that are too deep for the path
  std::uint64_t deeper_ = 0;
  std::uint64_t now_ = 0, exit_ = 0, paused_ = 0;  // ticks
  bool begun_ = false;
  bool outside_ = false;                      // no other region was open when the current one began
  std::optional<std::uint64_t> accelerated_;  // ticks: time at which a region of accelerators was entered
  std::size_t accelerated_depth_ = 0;         // number of open regions at that time, including that region

  const MpiCall* call_ = nullptr;  // the call that is open
  OTF2_RegionRef call_region_ = 0;
  std::uint64_t call_enter_ = 0, inside_ = 0;  // regions entered within the call
  std::vector<Part> parts_;
  std::optional<recording::Message> sent_, received_;  // given by attributes: records do not change them
  // by number: whether it writes, bytes requested
  std::map<std::uint64_t, std::pair<bool, std::uint64_t>> file_accesses_;

  std::deque<Part> waiting_;
  std::uint64_t written_ = 0;                                 // events that left the queue
  std::unordered_map<std::uint32_t, std::uint64_t> awaited_;  // request -> index among all events
};

/// Passes the records of one location to a reader of it, and calls `each_so_many` from time to time. Returns
/// the reason if it ended before the last record, otherwise an empty string.
std::string read_location(OTF2_Reader* reader, OTF2_LocationRef location, std::uint64_t records,
                          LocationReader& into, const std::function<void()>& each_so_many);

}  // namespace parcast::interchange
