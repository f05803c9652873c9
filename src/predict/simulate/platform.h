// SPDX-License-Identifier: Apache-2.0
#pragma once
// The machine as the simulation sees it: whole picoseconds, and rates as multiples of 2^-32 picoseconds per byte.
// docs/models/message_passing.md has the meaning of every number.

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
using Rate = std::int64_t;                         // picoseconds per byte, times 2^32
constexpr Rate kOne = Rate{1} << 32;               // of a ratio
constexpr std::int64_t kNotGiven = -1;

struct Correction {
  std::int64_t from_bytes = 0;
  Time startup = 0;                                // may be negative
  Rate per_byte = 0;                               // may be negative
};

struct Link {
  Time latency = 0, send_overhead = 0, receive_overhead = 0, gap = 0;             // L, o_s, o_r, g
  Rate gap_per_byte = 0, send_overhead_per_byte = 0, receive_overhead_per_byte = 0;  // G, O_s, O_r
  std::int64_t eager_limit = kNotGiven;            // S, bytes
  Time handshake = kNotGiven;                      // H
  Rate rendezvous_gap_per_byte = 0;                // G'
  std::vector<Correction> corrections;             // ascending from_bytes
};

/// A collective that takes the time that was measured for it, not that of its algorithm's messages.
struct MeasuredCollective {
  recording::Pattern pattern = recording::Pattern::none;
  std::uint64_t bytes = 0;                         // contributed by a member
  std::int32_t members = 0;
  bool uneven = false;                             // of a v-variant
  auto operator<=>(const MeasuredCollective&) const = default;
};

enum class Attention : std::uint8_t { calls, always };

struct Platform {
  std::string name;
  std::vector<Link> links;                         // at least one
  std::vector<std::int32_t> socket_of, node_of;    // of each rank; empty: all meet over `between_nodes`
  // Which of `links` joins ranks of one socket, of one node, of two nodes.
  std::uint32_t inside_socket = 0, inside_node = 0, between_nodes = 0;
  Rate compute_ratio = kOne;                       // time here / time recorded
  dependence::CoreShare share;                     // of a core that each rank has: computing and overheads are told as of one that always works
  Attention attention = Attention::calls;
  std::map<recording::Pattern, machine::AlgorithmChoices> collectives;  // by which algorithms, where not by the usual
  std::optional<Noise> noise;                      // of computing; nothing: none is drawn
  std::map<MeasuredCollective, Time> measured;     // collectives that take as long as they were measured to
  std::optional<network::Network> network;         // links that messages share; nothing: only interfaces of ranks
  network::Settling settling =
      network::Settling::near;                     // how their shares are computed; the answer is the same
  std::optional<Contention> contention;            // of ranks that compute, for memory; nothing: each as if it were alone
  std::vector<std::string> assumptions;            // a sentence each

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

/// The machine with `ranks` processes placed block by block, `ranks_per_node` on a node (0: as many as it has cores). What had
/// to be assumed stands in Platform::assumptions. An error where a parameter is out of range.
Result<Platform> platform_of(const machine::Machine& machine, std::int32_t ranks, std::int32_t ranks_per_node = 0);

/// The same with each rank on the node that `node_of` says, numbered from 0.
Result<Platform> platform_of(const machine::Machine& machine, std::vector<std::int32_t> node_of);

/// Has the trace's collectives take the time that the machine's table gives them, where it has one for their pattern and names
/// no algorithm.
Result<void> take_measured_collectives(const machine::Machine& machine, const trace::Trace& trace, Platform& platform);

/// Has ranks move messages on at all times, or only inside MPI, as the overlap of rendezvous messages with computing on the farthest link in use
/// tells it: from a half on, at all times. A sentence of it goes to `assumptions`; a machine that does not know it changes nothing.
void take_measured_attention(const machine::Machine& machine, Platform& platform);

/// A message's bytes on their way (network.md).
struct Stream {
  std::uint64_t bytes = 0;
  network::Bandwidth bound = 0;       // 1 / G
  Time time = 0, copying = 0;         // [m G], [m O_r]
};

/// What a message costs; times in picoseconds.
struct MessageCost {
  bool eager = true;
  Time sender = 0, interface = 0, latency = 0, body = 0, receiver = 0;  // s, f, l, b, q
  Time request = 0, answer = 0;                                         // H1, H2
  Time asks_after = 0;                                                  // o_s: an eager message asks for the interface so long after the call began
  Stream stream;
};
/// `least` is the least latency (0 or 1 ps). Nothing where a time is out of range.
std::optional<MessageCost> cost_of(const Link& link, std::uint64_t bytes, trace::Mode mode, Time least);

}  // namespace parcast::simulate
