// SPDX-License-Identifier: Apache-2.0
#pragma once
// Messages and bytes per pair of ranks, also grouped by relative partner: neighbours on a grid take a few
// rows for any number of ranks.
//
//   senders              to    messages each  bytes each
//   0-6, every 8 (x 8)   +1               20      16,000

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "predict/simulate/observer.h"

namespace parcast::simulate {

/// Messages from one rank to another.
struct Traffic {
  std::uint64_t messages = 0, bytes = 0;
  bool operator==(const Traffic&) const = default;
};

/// Senders with equal traffic to the rank `offset` above them: `blocks` blocks of `length` ranks, at a
/// distance of `every` ranks.
struct PairRun {
  std::int32_t first = 0, length = 1, every = 0, blocks = 1;
  std::int32_t offset = 0;
  bool of_collectives = false;
  Traffic each;
  std::int64_t senders() const { return std::int64_t{length} * blocks; }
  bool operator==(const PairRun&) const = default;
};

class Pairs : public Observer {
 public:
  explicit Pairs(std::int32_t ranks) : ranks_(static_cast<std::size_t>(ranks)) {}
  void sent(const Sent& sent) override;

  /// Returns the traffic from `sender` to `receiver`, either point to point or in collectives.
  Traffic between(std::int32_t sender, std::int32_t receiver, bool of_collectives) const;
  /// Returns all pairs with traffic: point to point first, then by offset, then by first sender.
  std::vector<PairRun> runs() const;

 private:
  struct Sender {
    std::unordered_map<std::uint64_t, Traffic> to;  // by receiver and whether in collectives
    std::uint64_t last = UINT64_MAX;                // the previous receiver, often the same again
    Traffic* last_traffic = nullptr;
  };
  std::vector<Sender> ranks_;
};

}  // namespace parcast::simulate
