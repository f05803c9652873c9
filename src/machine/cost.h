// SPDX-License-Identifier: Apache-2.0
#pragma once
// Costs of communication on a machine, as expressions in which machine parameters are symbols (kind
// machine_cost, with their dotted names). An engine can sum them in closed form and differentiate by any of
// them.

#include "machine/machine.h"
#include "symbolic/expression.h"

namespace parcast::machine {

/// A cost split as the prediction reports it.
struct CommunicationCost {
  symbolic::Expression startup;   // seconds, independent of the bytes
  symbolic::Expression transfer;  // seconds, proportional to the bytes
  Origin origin = Origin::measured;
  // Range of the table; 0 without a table. Beyond it the fit is extrapolated linearly.
  std::int32_t fewest_processes = 0, most_processes = 0;
  double largest_bytes = 0;
  std::string table;  // name of the table; empty: built from messages
  std::string note;   // "built from point to point as a binomial tree: no table for gather on X", or empty
};

/// Returns the symbol of a link's latency, in seconds.
symbolic::Expression latency_symbol(const std::string& link);

/// The cost of `messages` messages with `bytes` in total, sent from one process over `link`: occupancy of the
/// sender, of the receiver, or the time from send to receipt. The protocol (eager or rendezvous) depends on
/// bytes/messages.
enum class Side { send, receive, end_to_end };
CommunicationCost point_to_point(const Machine& machine, const std::string& link, Side side,
                                 const symbolic::Expression& messages, const symbolic::Expression& bytes);

/// Returns the cost of `executions` calls of a collective among `members` processes. `bytes` is the total
/// contributed by a process, as in recordings: the message of a broadcast, the entire send buffer of alltoall
/// and reduce_scatter, and the process's own part for others.
///
/// The cost comes from the machine's table. Without a table it is built from messages by the pattern's usual
/// algorithm, with a `note`. A v-variant (`uneven`) without a table has the cost of the regular collective,
/// also with a `note`. Neighbourhood collectives are priced only by a table.
CommunicationCost collective(const Machine& machine, recording::Pattern pattern,
                             const symbolic::Expression& executions, const symbolic::Expression& bytes,
                             const symbolic::Expression& members, bool uneven = false);

/// Returns the part of `messages` latencies over `link` that processes with a share of a core make up for:
/// what they save in that time shortens the overheads of the same messages. Zero for full cores.
/// docs/models/core_share.md, "In the closed form".
symbolic::Expression made_up_latency(const Machine& machine, const std::string& link,
                                     const symbolic::Expression& messages);
/// Returns a sentence if the members, or the bytes of each, are beyond the measured range of the collective.
/// Empty: they are within it, or the collective has no table.
std::string beyond_table(const std::string& machine, const CommunicationCost& cost, double members,
                         double bytes);
/// Returns the same for a message of `bytes` over `link`; empty also if the machine has no table of the
/// link's messages.
std::string beyond_link(const Machine& machine, const std::string& link, double bytes);

/// The link between processes if `processes` are placed block by block on nodes of `ranks_per_node`: "core",
/// "socket" or "node" inside one node, otherwise "network". If that level was not measured, it is the nearest
/// measured one, with a note.
struct LinkChoice {
  std::string link;
  std::string note;
};
LinkChoice link_for(const Machine& machine, std::int32_t processes, std::int32_t ranks_per_node);
/// Returns the link with that number in kLinkNames, or its replacement.
LinkChoice nearest_link(const Machine& machine, std::size_t wanted);

/// Returns the values of all machine_cost symbols.
symbolic::Binding cost_binding(const Machine& machine);
/// Returns the same with their standard errors.
std::map<std::string, Parameter> cost_parameters(const Machine& machine);

}  // namespace parcast::machine
