// SPDX-License-Identifier: Apache-2.0
#pragma once
// The ordered hops of a message between two mapped ranks, and their total cost (docs/models/system_graph.md).
// Pairs whose routes take the same hops share one Route, and routes of equal cost share one link: a mapping
// of 65,536 ranks has only a few. Not for use by several threads at once.
//
//   node 3 -> cube (2 hops) -> node 0 -> service -> host

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "machine/mapping.h"

namespace parcast::machine {

/// Hops that cost the same, one after the other.
struct Hop {
  std::size_t unit = 0;  // number of the unit in the system whose topology, connection or interface it is
  const Link* link = nullptr;  // cost of one hop
  std::int32_t times = 1;      // number of links of a topology
  bool store_and_forward = false;
};

struct Route {
  std::size_t link_index = 0;  // in Routes::links()
  std::vector<Hop> hops;       // from the first rank to the second; empty: both are on one processor
  std::int32_t length = 0;     // number of hops, repeated ones included
};

class Routes {
 public:
  /// The mapping's system must be valid.
  static Result<Routes> of(Mapping mapping);
  Routes(Routes&&) noexcept;
  Routes& operator=(Routes&&) noexcept;
  ~Routes();

  /// The reference stays valid as long as this object.
  const Route& between(std::int32_t rank_a, std::int32_t rank_b);
  const std::vector<Link>& links() const;  // links of the routes requested so far
  const Link& link(const Route& route) const { return links()[route.link_index]; }

  /// Returns the units on the way one by one: "node 3", "cube (2 hops)", "node 0", "service", "host". If
  /// there are several instances, they are numbered through the entire system.
  std::vector<std::string> stations(std::int32_t rank_a, std::int32_t rank_b);
  /// Returns the stations as one text, joined by "->".
  std::string text(std::int32_t rank_a, std::int32_t rank_b);
  /// Returns the processor of a rank, such as "core 37".
  std::string place(std::int32_t rank) const;
  /// Returns the instances that hold a rank's processor. Ranks of one node, of one cube, or the host alone
  /// have equal results.
  std::vector<std::int64_t> surroundings(std::int32_t rank) const;
  const Mapping& mapping() const;

 private:
  struct State;
  explicit Routes(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Returns one link for consecutive hops: o_s and O_s of the first, o_r and O_r of the last, L and the
/// handshake summed, the largest g and the smallest S. The gap per byte is the largest, or the sum where
/// messages are stored before they are forwarded. A single hop keeps its link unchanged.
Link combined(const std::vector<Hop>& hops);

}  // namespace parcast::machine
