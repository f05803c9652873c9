// SPDX-License-Identifier: Apache-2.0
#pragma once
// Engine state for messages that share links (docs/models/network.md): messages waiting at their senders'
// interfaces, and messages under way as flows.

#include <cstdint>
#include <vector>

#include "predict/simulate/network/flows.h"
#include "predict/simulate/network/network.h"
#include "predict/simulate/records.h"
#include "predict/simulate/simulate.h"

namespace parcast::simulate {

struct OnNetwork {
  OnNetwork(const Platform& of, std::size_t ranks)
      : platform(of), network(*of.network), flows(network.capacities(), of.settling), senders(ranks) {}

  /// Messages in the order of their requests for the interface, from `first` on.
  struct Sender {
    std::vector<std::uint32_t> waiting;
    std::size_t first = 0;
    Time called = kUnknown;  // when the engine looks at it again
    bool sending = false;    // a flow whose end is unknown
    bool empty() const { return first == waiting.size(); }
    std::uint32_t take() {
      const std::uint32_t message = waiting[first++];
      if (empty()) waiting.clear(), first = 0;
      return message;
    }
  };
  struct Passage {
    Time asked = 0, departure = 0, head = 0;
  };

  std::int32_t node_of(std::int32_t rank) const {
    return platform.node_of.empty() ? rank : platform.node_of[static_cast<std::size_t>(rank)];
  }
  Time further(std::int32_t from, std::int32_t to) const {
    return network.further(node_of(from), node_of(to));
  }
  Passage& passage(std::uint32_t message) {
    if (message >= passages.size()) passages.resize(2 * std::size_t{message} + 1);
    return passages[message];
  }
  /// Returns a time before which no flow ends.
  Time next() { return flows.unsettled() ? flows.time() : flows.next_end(); }

  /// Sets the outcome's `slowed` and `busiest`.
  void report(Outcome& outcome) const;

  const Platform& platform;
  const network::Network& network;
  network::Flows flows;
  std::vector<Sender> senders;       // by rank
  std::vector<Passage> passages;     // of messages under way
  std::vector<network::LinkId> way;  // of the current message
};

}  // namespace parcast::simulate
