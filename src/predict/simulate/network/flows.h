// SPDX-License-Identifier: Apache-2.0
#pragma once
// Messages as fluid flows over links that they share max-min fairly, from one change to the next: what docs/models/network.md, Flows,
// says. Knows nothing of ranks: whoever starts a flow gives it a subject, and gets that back when it ends.

#include <cstdint>
#include <span>
#include <vector>

#include "predict/simulate/network/bandwidth.h"
#include "predict/simulate/network/shares.h"

namespace parcast::simulate::network {

/// Where shares are computed anew. The rates are the same.
enum class Settling : std::uint8_t {
  near,   // where they change, if these are few; else as `whole`
  whole,  // wherever scarce links lead from a change
};

class Flows {
 public:
  /// Capacities of links 0 .. n-1, each at least the number of flows that will ever cross it at once.
  explicit Flows(std::vector<Bandwidth> capacities, Settling settling = Settling::near);

  /// A flow of at least one byte begins at `time`, over distinct links, at most at `bound`. Times of calls never go back.
  void start(Time time, std::uint64_t bytes, std::span<const LinkId> way, Bandwidth bound, std::uint32_t subject);
  /// Whether flows began or ended at a time at which shares have not been computed since, and that time.
  bool unsettled() const { return unsettled_; }
  Time time() const { return time_; }
  /// Computes the shares anew that the starts and ends of the last time changed; all of them have been told.
  void settle();
  /// When the next flow ends, if none begins before; later than the time of settling. kNever where there is none.
  Time next_end();
  /// Ends the flows that end at next_end(), which is at `time`; their subjects, ascending.
  const std::vector<std::uint32_t>& end(Time time);

  std::size_t count() const { return flows_.size() - free_.size(); }
  /// Bytes of all flows that began on the link.
  std::uint64_t carried(LinkId link) const { return links_[link].carried; }
  Bandwidth capacity(LinkId link) const { return links_[link].capacity; }
  /// By how much all flows that have ended took longer, together, than each would have alone; at most trace::kLongest.
  Time slowed() const { return slowed_; }
  /// Rates of flows that were taken up to be settled: how many, since the beginning.
  std::uint64_t rates_computed() const { return rates_computed_; }

 private:
  struct Flow {
    Amount left = 0;       // at `since`
    Time since = 0;
    Time end = kNever;
    Time alone = 0;        // when it would end if it shared nothing
    Bandwidth rate = 0;
    Bandwidth bound = 0;   // the least of its own and its links' capacities
    std::uint32_t subject = 0;
    std::uint64_t round = 0;             // of settling in which it was last taken up
    std::vector<LinkId> way;
    std::vector<std::uint32_t> places;   // in its links' members
  };
  struct Member {
    std::uint32_t flow = 0, hop = 0;
  };
  struct Link {
    Bandwidth capacity = 0;
    std::uint64_t carried = 0;
    Amount demand = 0;                   // the sum of its flows' bounds
    std::uint64_t round = 0;             // of settling in which it was last taken up
    std::uint32_t number = 0;            // in the filling of that round, if it is scarce
    Bandwidth level = 0;  // the rate of the flows that it holds back, its fastest; 0: it holds none back
    bool changed = false;                // since shares were settled
    bool was_scarce = false;             // when they were
    std::vector<Member> members;
    bool scarce() const { return demand > static_cast<Amount>(capacity); }
  };
  struct End {
    Time time = 0;
    std::uint32_t flow = 0;
    bool operator<(const End& other) const { return time > other.time || (time == other.time && flow > other.flow); }
  };

  void change(LinkId link);
  void leave(std::uint32_t flow);
  void reach(std::uint32_t flow);
  void take(std::uint32_t flow, Bandwidth rate);
  void forget_old_ends();

  // settling.cpp
  void begin_round();
  void touch(LinkId link);
  void settle_whole();
  bool settle_near();
  void reach_held();
  void touch_ways(std::size_t from);
  void add_links();
  void add_reached();
  void add_beside();
  bool is_held(const Flow& flow) const;
  void reach_unsettled();
  void take_rates();

  std::vector<Link> links_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> free_;
  std::vector<LinkId> changed_;
  std::vector<std::uint32_t> begun_;       // since shares were settled
  std::vector<std::uint32_t> reached_;     // flows whose share may have changed
  std::vector<LinkId> touched_;            // links of which all flows' shares are looked at
  struct Beside {
    LinkId link = 0;
    std::uint32_t flow = 0;
  };
  std::vector<Beside> beside_;             // flows on these that were not reached
  std::vector<std::uint32_t> scarce_way_;  // of a flow, by the filling's numbers
  std::vector<std::uint32_t> ended_;
  std::vector<End> ends_;                  // a heap; entries that are no flow's end any more are passed over
  Filling filling_;
  Settling settling_ = Settling::near;
  std::uint32_t skipped_ = 0,
                skip_ = 0;  // instants without trying near, done and to be done, after it was given up
  Time time_ = 0, slowed_ = 0;
  std::uint64_t round_ = 0;
  bool unsettled_ = false;
  std::uint64_t rates_computed_ = 0;
};

}  // namespace parcast::simulate::network
