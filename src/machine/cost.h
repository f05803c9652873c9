// SPDX-License-Identifier: Apache-2.0
#pragma once
// What communication costs on a machine, as expressions whose machine parameters stay symbols (kind
// machine_cost, named by their dotted names), so that an engine can sum them in closed form and differentiate
// by any of them.

#include "machine/machine.h"
#include "symbolic/expression.h"

namespace parcast::machine {

/// A cost split as the prediction reports it.
struct CommunicationCost {
  symbolic::Expression startup;   // seconds, independent of the bytes
  symbolic::Expression transfer;  // seconds, proportional to the bytes
  Origin origin = Origin::measured;
  // What the table behind it covers; 0 where there is none. Beyond it the fit goes on in a straight line.
  std::int32_t fewest_processes = 0, most_processes = 0;
  double largest_bytes = 0;
  std::string table;  // its name; empty: built from messages
  std::string note;  // "built from point to point as a binomial tree: no table for gather on X", or empty
};

/// `executions` messages with `bytes` in total from one process to partners at the other end of `link`:
/// occupancy of the sender, of the receiver, or from send to receipt. The protocol (eager or rendezvous) is
/// decided by bytes/executions.
enum class Side { send, receive, end_to_end };
CommunicationCost point_to_point(const Machine& machine, const std::string& link, Side side,
                                 const symbolic::Expression& messages, const symbolic::Expression& bytes);

/// `executions` calls of a collective among `members` processes with `bytes` in total contributed by a
/// process (what a recording counts): broadcast, the message; alltoall and reduce_scatter, the whole send
/// buffer; others, the process's own part. From the machine's table when it has one, else from point to point
/// by the pattern's usual algorithm, which `note` says. A v-variant (`uneven`) without a table is priced by that of
/// the regular one, which `note` says too. Of neighbourhood collectives there is only a table.
CommunicationCost collective(const Machine& machine, recording::Pattern pattern,
                             const symbolic::Expression& executions, const symbolic::Expression& bytes,
                             const symbolic::Expression& members, bool uneven = false);

/// That so many members, or bytes of each, are beyond what was measured of the collective, as a sentence; empty: they are not, or it has no table.
std::string beyond_table(const std::string& machine, const CommunicationCost& cost, double members, double bytes);
/// The same of a message of so many bytes over `link`; empty too where the machine has no table of the link's messages.
std::string beyond_link(const Machine& machine, const std::string& link, double bytes);

/// The link that joins processes when `processes` are placed block by block on nodes of `ranks_per_node`:
/// "core" or "socket" or "node" inside one node, "network" beyond; the nearest level that was measured, and a
/// note if it is not the one wanted.
struct LinkChoice {
  std::string link;
  std::string note;
};
LinkChoice link_for(const Machine& machine, std::int32_t processes, std::int32_t ranks_per_node);
/// The link of that number in kLinkNames, or the one that stands in for it.
LinkChoice nearest_link(const Machine& machine, std::size_t wanted);

/// Values of all machine_cost symbols.
symbolic::Binding cost_binding(const Machine& machine);
/// The same with their standard errors.
std::map<std::string, Parameter> cost_parameters(const Machine& machine);

}  // namespace parcast::machine
