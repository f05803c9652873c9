// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tests only, a part of the plain interpreter (test_reference.h): messages as flows, whose rates are all
// recomputed whenever one begins or ends. docs/models/network.md.

#include <cstdint>
#include <vector>

#include "predict/simulate/network/network.h"
#include "predict/simulate/platform.h"

namespace parcast::simulate::reference {

class Fluid {
 public:
  explicit Fluid(const Platform& platform) : platform_(platform) {}

  struct Passage {
    Time further = 0;     // hops x hop latency
    bool shares = false;  // it is a flow
  };
  Passage passage(std::int32_t source, std::int32_t destination, std::uint64_t bytes) const;

  void start(std::int32_t source, std::int32_t destination, std::uint64_t bytes, Rate gap_per_byte,
             void* subject);
  /// Removes the flows that end now, and returns their subjects.
  std::vector<void*> end(Time now);
  /// Recomputes the rates; all flows that begin or end now must be known.
  void settle(Time now);
  /// Returns the next end; network::kNever: none.
  Time next() const;

 private:
  struct Flow {
    std::vector<network::LinkId> way;
    network::Bandwidth bound = 0, rate = 0;
    network::Amount left = 0;
    Time end = network::kNever;
    void* subject = nullptr;
  };
  std::int32_t node(std::int32_t rank) const {
    return platform_.node_of.empty() ? rank : platform_.node_of[static_cast<std::size_t>(rank)];
  }

  const Platform& platform_;
  std::vector<Flow> flows_;
  Time resolved_ = 0;  // the last instant at which flows began or ended
  bool changed_ = false;
};

}  // namespace parcast::simulate::reference
