// SPDX-License-Identifier: Apache-2.0
// Point to point: docs/models/communication.md, equations 1 to 5.
#include "machine/cost.h"

#include <algorithm>

#include "machine/fields.h"

namespace parcast::machine {
namespace {

using symbolic::Expression;
using symbolic::SymbolKind;

Expression cost_of(const std::string& link, std::string_view field) {
  return symbolic::symbol("links." + link + "." + std::string(field), SymbolKind::machine_cost);
}

/// Returns the least certain origin of the parameters of a message. Parameters that are not given are free.
Origin origin_of(const Link& link) {
  Origin origin = Origin::symbolic;
  for (const auto& field : kLinkFields)
    if (const Parameter& parameter = link.*field.member;
        parameter.origin != Origin::unknown && field.kind == Field<Link>::Kind::cost)
      origin = weaker(origin, parameter.origin);
  return origin == Origin::symbolic ? Origin::unknown : origin;
}

struct Split {
  Expression startup, transfer;
};

Split eager(const std::string& link, Side side, const Expression& messages, const Expression& bytes) {
  const Expression send = cost_of(link, "send_overhead"), receive = cost_of(link, "receive_overhead");
  switch (side) {
    case Side::send:
      return {messages * send, bytes * cost_of(link, "send_overhead_per_byte")};
    case Side::receive:
      return {messages * receive, bytes * cost_of(link, "receive_overhead_per_byte")};
    case Side::end_to_end:
      break;
  }
  return {messages * (send + cost_of(link, "latency") + receive), bytes * cost_of(link, "gap_per_byte")};
}

/// Both processes are occupied until the last byte has arrived: the message cannot leave before its receive
/// is posted. If unknown, H is 2 L and G' is G (message_passing.md).
Split rendezvous(const std::string& link, const Link& of, Side side, const Expression& messages,
                 const Expression& bytes) {
  const Expression send = cost_of(link, "send_overhead"), receive = cost_of(link, "receive_overhead");
  const Expression handshake = of.rendezvous_latency.origin != Origin::unknown
                                   ? cost_of(link, "rendezvous_latency")
                                   : 2 * cost_of(link, "latency");
  const bool has_gap = of.rendezvous_gap_per_byte.origin != Origin::unknown;
  const Expression transfer = bytes * cost_of(link, has_gap ? "rendezvous_gap_per_byte" : "gap_per_byte");
  switch (side) {
    case Side::send:
      return {messages * (send + handshake), transfer};
    case Side::receive:
      return {messages * receive, transfer};
    case Side::end_to_end:
      break;
  }
  return {messages * (send + cost_of(link, "latency") + receive + handshake), transfer};
}

/// Returns the corrections of the measured curve to the parameters, by the bytes of one message.
Split corrections(const Link& link, const std::string& name, const Expression& messages,
                  const Expression& bytes) {
  Split out;
  for (std::size_t i = 0; i < link.corrections.size(); ++i) {
    const Link::Correction& correction = link.corrections[i];
    const std::string at = std::to_string(i) + ".";
    const Expression from =
        symbolic::nearest_rational(correction.from_bytes, 1).value_or(symbolic::Rational(0));
    const Expression reached = bytes - from * messages;
    out.startup = conditional(reached, messages * cost_of(name, at + "startup"), out.startup);
    out.transfer = conditional(reached, bytes * cost_of(name, at + "per_byte"), out.transfer);
  }
  return out;
}

}  // namespace

Expression latency_symbol(const std::string& link) {
  return cost_of(link, "latency");
}

CommunicationCost point_to_point(const Machine& machine, const std::string& link, Side side,
                                 const Expression& messages, const Expression& bytes) {
  CommunicationCost cost;
  const auto at = machine.links.find(link);
  if (at == machine.links.end()) {
    cost.origin = Origin::unknown;
    cost.note = machine.name + " has no link \"" + link + "\": its messages count as free";
    return cost;
  }
  cost.origin = origin_of(at->second);
  Split split = eager(link, side, messages, bytes);
  if (at->second.eager_limit.origin != Origin::unknown) {
    const Expression room = messages * cost_of(link, "eager_limit") - bytes;
    const Split large = rendezvous(link, at->second, side, messages, bytes);
    split = {conditional(room, split.startup, large.startup),
             conditional(room, split.transfer, large.transfer)};
  }
  cost.startup = split.startup;
  cost.transfer = split.transfer;
  if (side == Side::end_to_end) {
    const Split more = corrections(at->second, link, messages, bytes);
    cost.startup = cost.startup + more.startup;
    cost.transfer = cost.transfer + more.transfer;
  }
  return cost;
}

Expression made_up_latency(const Machine& machine, const std::string& link, const Expression& messages) {
  if (!has_core_share(machine) || !machine.links.contains(link)) return 0;
  const Expression saved = symbolic::real(1 - machine.core_share.value) *
                           min(cost_of(link, "send_overhead") + cost_of(link, "receive_overhead"),
                               symbolic::real(machine.share_period.value));
  return messages * min(latency_symbol(link), saved);
}

LinkChoice nearest_link(const Machine& machine, std::size_t wanted) {
  if (machine.links.empty()) return {"", machine.name + " has no links: messages count as free"};
  constexpr std::size_t kNetwork = kLinkNames.size() - 1;
  const bool beyond = wanted == kNetwork;
  // The wanted level first, then farther ones, then nearer ones; last, the network as a replacement inside a
  // node.
  std::vector<std::size_t> order{wanted};
  for (std::size_t i = wanted + 1; i < kNetwork; ++i) order.push_back(i);
  for (std::size_t i = wanted; i-- > 0;) order.push_back(i);
  if (!beyond) order.push_back(kNetwork);
  for (const std::size_t i : order) {
    const std::string name(kLinkNames[i]);
    if (!machine.links.contains(name)) continue;
    // Inside a node, any inner link is acceptable. The network in place of an inner link, or the reverse,
    // needs a note.
    const bool stand_in = beyond != (i == kNetwork);
    const std::string place = beyond ? "between nodes" : "inside a node";
    return {name, stand_in ? "the link " + place + " was not measured on " + machine.name +
                                 ": the costs of its " + name + " link are used"
                           : ""};
  }
  return {machine.links.begin()->first, ""};
}

LinkChoice link_for(const Machine& machine, std::int32_t processes, std::int32_t ranks_per_node) {
  if (processes > std::max(ranks_per_node, 1)) return nearest_link(machine, kLinkNames.size() - 1);
  const std::int32_t cores_per_socket =
      std::max(machine.cores_per_node / std::max(machine.sockets_per_node, 1), 1);
  return nearest_link(machine, processes > cores_per_socket && machine.sockets_per_node > 1 ? 1 : 0);
}

std::map<std::string, Parameter> cost_parameters(const Machine& machine) {
  Machine copy = machine;
  std::map<std::string, Parameter> out;
  for (const NamedParameter& named : parameters(copy)) out.emplace(named.name, *named.parameter);
  return out;
}

symbolic::Binding cost_binding(const Machine& machine) {
  symbolic::Binding binding;
  for (const auto& [name, parameter] : cost_parameters(machine)) binding.emplace(name, parameter.value);
  return binding;
}

}  // namespace parcast::machine
