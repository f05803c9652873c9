// SPDX-License-Identifier: Apache-2.0
#pragma once
// Messages as fluid flows over links with max-min fair shares, from one change to the next
// (docs/models/network.md, "Flows"). Independent of ranks: the caller starts a flow with a subject, and
// receives the subject when the flow ends.

#include <cstdint>
#include <span>
#include <vector>

#include "predict/simulate/network/bandwidth.h"
#include "predict/simulate/network/shares.h"

namespace parcast::simulate::network {

/// Links at which shares are recomputed. The rates are the same.
enum class Settling : std::uint8_t {
  near,   // where they change, if these are few; otherwise as `whole`
  whole,  // wherever scarce links lead from a change
};

class Flows {
 public:
  /// Capacities of links 0 .. n-1; each must be at least the number of flows that will ever cross it at once.
  explicit Flows(std::vector<Bandwidth> capacities, Settling settling = Settling::near);

  /// Starts a flow of at least one byte at `time`, over distinct links, with a rate of at most `bound`. Times
  /// of calls never decrease.
  void start(Time time, std::uint64_t bytes, std::span<const LinkId> way, Bandwidth bound,
             std::uint32_t subject);
  /// Returns whether flows began or ended at time() and shares have not been recomputed since.
  bool unsettled() const { return unsettled_; }
  Time time() const { return time_; }
  /// Recomputes the shares changed by the starts and ends of the last time. All of these must have been
  /// reported.
  void settle();
  /// Returns when the next flow ends, if none begins before; later than the last settle(). kNever if there is
  /// none.
  Time next_end();
  /// Ends the flows that end at next_end(), which is `time`. Returns their subjects in ascending order.
  const std::vector<std::uint32_t>& end(Time time);

  std::size_t count() const { return flows_.size() - free_.size(); }
  /// Returns the bytes of all flows that began on the link.
  std::uint64_t carried(LinkId link) const { return links_[link].carried; }
  Bandwidth capacity(LinkId link) const { return links_[link].capacity; }
  /// Returns the sum over all ended flows of the time added by sharing; at most trace::kLongest.
  Time slowed() const { return slowed_; }
  /// Returns the number of flow rates considered in settling since the beginning.
  std::uint64_t rates_computed() const { return rates_computed_; }

 private:
  struct Flow {
    Amount left = 0;  // at time `since`
    Time since = 0;
    Time end = kNever;
    Time alone = 0;  // when it would end without sharing
    Bandwidth rate = 0;
    Bandwidth bound = 0;  // the smallest of its own bound and its links' capacities
    std::uint32_t subject = 0;
    std::uint64_t round = 0;  // of settling in which it was last considered
    std::vector<LinkId> way;
    std::vector<std::uint32_t> places;  // in its links' members
  };
  struct Member {
    std::uint32_t flow = 0, hop = 0;
  };
  struct Link {
    Bandwidth capacity = 0;
    std::uint64_t carried = 0;
    Amount demand = 0;         // sum of its flows' bounds
    std::uint64_t round = 0;   // of settling in which it was last considered
    std::uint32_t number = 0;  // in the filling of that round, if it is scarce
    // Rate of the flows that it limits, which are its fastest; 0: it limits none.
    Bandwidth level = 0;
    bool changed = false;     // since shares were settled
    bool was_scarce = false;  // when shares were settled
    std::vector<Member> members;
    bool scarce() const { return demand > static_cast<Amount>(capacity); }
  };
  struct End {
    Time time = 0;
    std::uint32_t flow = 0;
    bool operator<(const End& other) const {
      return time > other.time || (time == other.time && flow > other.flow);
    }
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
  std::vector<std::uint32_t> begun_;    // since shares were settled
  std::vector<std::uint32_t> reached_;  // flows whose share may have changed
  std::vector<LinkId> touched_;         // links whose flows are all examined
  struct Beside {
    LinkId link = 0;
    std::uint32_t flow = 0;
  };
  std::vector<Beside> beside_;             // flows on these links that were not reached
  std::vector<std::uint32_t> scarce_way_;  // of a flow, by the numbers of the filling
  std::vector<std::uint32_t> ended_;
  std::vector<End> ends_;  // a heap; entries that are no longer a flow's end are skipped
  Filling filling_;
  Settling settling_ = Settling::near;
  std::uint32_t skipped_ = 0,
                // After `near` was given up: instants without trying it so far, and in total.
      skip_ = 0;
  Time time_ = 0, slowed_ = 0;
  std::uint64_t round_ = 0;
  bool unsettled_ = false;
  std::uint64_t rates_computed_ = 0;
};

}  // namespace parcast::simulate::network
