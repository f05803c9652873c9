// SPDX-License-Identifier: Apache-2.0
#pragma once
// The ordered hops of a message between two mapped ranks, and what they cost together (docs/models/system_graph.md). Pairs whose routes take the same
// hops share one Route, and routes of the same cost one link: a mapping of 65,536 ranks has a handful. Not for several threads at once.
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
  std::size_t unit = 0;                  // its number in the system: whose topology, connection or interface it is
  const Link* link = nullptr;            // of one hop
  std::int32_t times = 1;                // links of a topology
  bool store_and_forward = false;
};

struct Route {
  std::size_t link_index = 0;  // in Routes::links()
  std::vector<Hop> hops;       // from the first rank to the second; none: both are on one processor
  std::int32_t length = 0;     // of all hops together
};

class Routes {
 public:
  /// The mapping's system must be valid.
  static Result<Routes> of(Mapping mapping);
  Routes(Routes&&) noexcept;
  Routes& operator=(Routes&&) noexcept;
  ~Routes();

  /// The reference stays as long as this does.
  const Route& between(std::int32_t rank_a, std::int32_t rank_b);
  const std::vector<Link>& links() const;  // of the routes asked for so far
  const Link& link(const Route& route) const { return links()[route.link_index]; }

  /// The same pair's units one by one: "node 3", "cube (2 hops)", "node 0", "service", "host"; instances numbered through the whole system where there are several.
  std::vector<std::string> stations(std::int32_t rank_a, std::int32_t rank_b);
  /// They as one text, joined by "->".
  std::string text(std::int32_t rank_a, std::int32_t rank_b);
  /// "core 37": where a rank is.
  std::string place(std::int32_t rank) const;
  /// The instance that holds a rank's processor: ranks of one node, of one cube, or the host alone have the same.
  std::vector<std::int64_t> surroundings(std::int32_t rank) const;
  const Mapping& mapping() const;

 private:
  struct State;
  explicit Routes(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// One link for hops one after the other: o_s and O_s of the first, o_r and O_r of the last, L and the handshake summed, g the largest, S the smallest;
/// the gap per byte the largest, or the sum across where a message is stored before it is forwarded. One hop is its link as it is.
Link combined(const std::vector<Hop>& hops);

}  // namespace parcast::machine
