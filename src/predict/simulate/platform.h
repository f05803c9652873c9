// SPDX-License-Identifier: Apache-2.0
#pragma once
// The machine for the simulation: integer picoseconds, and rates as multiples of 2^-32 picoseconds per byte.
// docs/models/message_passing.md defines every number.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"
#include "predict/dependence/core_share.h"
#include "predict/simulate/contention.h"
#include "predict/simulate/network/flows.h"
#include "predict/simulate/network/network.h"
#include "predict/simulate/noise.h"
#include "trace/trace.h"

namespace parcast::simulate {

using trace::Time;
using Rate = std::int64_t;            // picoseconds per byte, times 2^32
constexpr Rate kOne = Rate{1} << 32;  // a ratio of 1
constexpr std::int64_t kNotGiven = -1;

struct Correction {
  std::int64_t from_bytes = 0;
  Time startup = 0;   // may be negative
  Rate per_byte = 0;  // may be negative
};

struct Link {
  Time latency = 0, send_overhead = 0, receive_overhead = 0, gap = 0;                // L, o_s, o_r, g
  Rate gap_per_byte = 0, send_overhead_per_byte = 0, receive_overhead_per_byte = 0;  // G, O_s, O_r
  std::int64_t eager_limit = kNotGiven;                                              // S, bytes
  Time handshake = kNotGiven;                                                        // H
  Rate rendezvous_gap_per_byte = 0;                                                  // G'
  std::vector<Correction> corrections;                                               // ascending from_bytes
};

/// A collective that takes its measured time instead of the time of its algorithm's messages.
struct MeasuredCollective {
  recording::Pattern pattern = recording::Pattern::none;
  std::uint64_t bytes = 0;  // contributed by a member
  std::int32_t members = 0;
  bool uneven = false;  // of a v-variant
  auto operator<=>(const MeasuredCollective&) const = default;
};

enum class Attention : std::uint8_t { calls, always };

struct Platform {
  std::string name;
  std::vector<Link> links;                       // at least one
  std::vector<std::int32_t> socket_of, node_of;  // of each rank; empty: all ranks use `between_nodes`
  // The elements of `links` that join ranks of one socket, of one node, of two nodes.
  std::uint32_t inside_socket = 0, inside_node = 0, between_nodes = 0;
  Rate compute_ratio = kOne;  // time here / time recorded
  // Share of a core of each rank; computing times and overheads are given for a complete core.
  dependence::CoreShare share;
  Attention attention = Attention::calls;
  // algorithms, where they differ from the usual ones
  std::map<recording::Pattern, machine::AlgorithmChoices> collectives;
  std::optional<Noise> noise;                   // of computing; nothing: no noise
  std::map<MeasuredCollective, Time> measured;  // collectives that take their measured times
  // links that messages share; nothing: messages share only the interfaces of ranks
  std::optional<network::Network> network;
  network::Settling settling =
      network::Settling::near;           // method to compute their shares; the results are equal
  std::optional<Contention> contention;  // of computing ranks for memory; nothing: each computes as if alone
  std::vector<std::string> assumptions;  // one sentence each

  const machine::AlgorithmChoices& algorithms(recording::Pattern pattern) const {
    const auto own = collectives.find(pattern);
    return own == collectives.end() ? machine::usual_algorithms(pattern) : own->second;
  }

  std::uint32_t link_between(std::int32_t a, std::int32_t b) const {
    if (node_of.empty()) return between_nodes;
    const auto x = static_cast<std::size_t>(a), y = static_cast<std::size_t>(b);
    if (node_of[x] != node_of[y]) return between_nodes;
    return socket_of[x] == socket_of[y] ? inside_socket : inside_node;
  }
};

/// Returns the machine with `ranks` processes placed block by block, `ranks_per_node` on a node (0: as many
/// as it has cores). Assumptions are listed in Platform::assumptions. Fails when a parameter is out of range.
Result<Platform> platform_of(const machine::Machine& machine, std::int32_t ranks,
                             std::int32_t ranks_per_node = 0);

/// The same with each rank on node `node_of[rank]`, numbered from 0.
Result<Platform> platform_of(const machine::Machine& machine, std::vector<std::int32_t> node_of);

/// Gives the trace's collectives the times of the machine's tables, for patterns that have a table and no
/// chosen algorithm.
Result<void> take_measured_collectives(const machine::Machine& machine, const trace::Trace& trace,
                                       Platform& platform);

/// Sets whether ranks move messages on at all times or only inside MPI. The measured overlap of rendezvous
/// messages with computing on the farthest used link decides: from one half on, at all times. Adds a sentence
/// to `assumptions`. A machine without this measurement changes nothing.
void take_measured_attention(const machine::Machine& machine, Platform& platform);

/// The bytes of a message on a network (network.md).
struct Stream {
  std::uint64_t bytes = 0;
  network::Bandwidth bound = 0;  // 1 / G
  Time time = 0, copying = 0;    // [m G], [m O_r]
};

/// Costs of a message; times in picoseconds.
struct MessageCost {
  bool eager = true;
  Time sender = 0, interface = 0, latency = 0, body = 0, receiver = 0;  // s, f, l, b, q
  Time request = 0, answer = 0;                                         // H1, H2
  // o_s: time from the beginning of the call until an eager message requests the interface.
  Time asks_after = 0;
  Stream stream;
};
/// `least` is the smallest latency (0 or 1 ps). Returns nothing when a time is out of range.
std::optional<MessageCost> cost_of(const Link& link, std::uint64_t bytes, trace::Mode mode, Time least);

}  // namespace parcast::simulate
