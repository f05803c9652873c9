// SPDX-License-Identifier: Apache-2.0
#pragma once
// Time of a simulated run per rank and place in the program. The rows of a rank add up to its RankOutcome
// exactly. Computing belongs to the call that follows it (a trace does not store more), at a rank's end to
// its last call.

#include <cstdint>
#include <vector>

#include "predict/simulate/observer.h"
#include "predict/simulate/simulate.h"

namespace parcast::simulate {

/// A place in the program; for operations without one, the kind of operation.
struct Site {
  std::uint32_t place = trace::kNowhere;                  // index into Trace::places
  trace::Kind kind = trace::Kind::send;                   // without a place
  recording::Pattern pattern = recording::Pattern::none;  // without a place
  bool none = false;                                      // a rank without calls
  auto operator<=>(const Site&) const = default;
};
Site site_of(const trace::Operation& operation);

struct Spent {
  Time compute = 0;                     // before the calls
  Time communication = 0, waiting = 0;  // in the calls: the processor busy with messages, and not busy
  std::uint64_t calls = 0;
  std::uint64_t messages = 0, bytes = 0;                        // sent point to point
  std::uint64_t collective_messages = 0, collective_bytes = 0;  // sent by its collectives
  std::uint64_t accesses = 0, access_bytes = 0;                 // to the memory of other ranks
  Time time() const { return compute + communication + waiting; }
  Spent& operator+=(const Spent& other);
  bool operator==(const Spent&) const = default;
};

class Profile : public Observer {
 public:
  explicit Profile(const trace::Trace& trace);
  bool takes_accesses() const override { return true; }

  struct Row {
    Site site;
    Spent spent;
  };
  /// Returns the rows of a rank, ordered by site.
  const std::vector<Row>& rows(std::int32_t rank) const {
    return ranks_[static_cast<std::size_t>(rank)].rows;
  }

  void computed(std::int32_t rank, Time from, Time to) override;
  void entered(std::int32_t rank, std::uint32_t operation, Time at) override;
  void stayed(const Stay& stay) override;
  void ended(std::int32_t rank, Time at) override;
  void sent(const Sent& sent) override;

 private:
  struct Rank {
    std::vector<Row> rows;
    Time pending = 0;                 // computing whose call has not come yet
    std::uint32_t last = 0xffffffff;  // operation without computing since
    std::size_t row = 0;              // of the current operation
    bool called = false;
  };
  Spent& at(Rank& rank, const Site& site);
  Rank& of(std::int32_t rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  const trace::Trace& trace_;
  std::vector<Rank> ranks_;
};

/// Sums over all ranks, and their imbalance.
struct SiteSums {
  Site site;
  Spent sum;
  std::int32_t ranks = 0;    // that come here
  Time most = 0;             // of one rank
  std::int32_t most_at = 0;  // the first such rank
};
/// Returns the sums, longest first; equal ones by site.
std::vector<SiteSums> sums_by_site(const Profile& profile, std::int32_t ranks);

}  // namespace parcast::simulate
