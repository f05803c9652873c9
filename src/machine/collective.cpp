// SPDX-License-Identifier: Apache-2.0
// Costs of collectives: from the machine's table if it has one, else from the messages of the pattern's usual
// algorithms (Thakur, Rabenseifner and Gropp 2005; Bruck et al. 1997; docs/models/communication.md, table of
// algorithms).
#include <algorithm>

#include "machine/cost.h"
#include "machine/pattern_cost.h"

namespace parcast::machine {
namespace {

using recording::Pattern;
using symbolic::Expression;
using symbolic::Rational;
using symbolic::SymbolKind;

constexpr double kRounding = 1 + 1e-9;  // rounding must not put a mean beyond the measured range

/// The messages on the longest chain of one call: the number of consecutive messages, and their bytes in
/// units of the bytes m that a process contributes.
struct NamedAlgorithm {
  std::string name;
  Expression steps;
  Expression volume;
};

std::vector<NamedAlgorithm> algorithms(Pattern pattern, const Expression& p) {
  const Expression rounds = ceil(log2(p));
  const Expression others = (p - 1) / p;
  // Processes beyond the largest power of two take part with a message before and one after.
  const Expression doubling = 2 * rounds - floor(log2(p));
  switch (pattern) {
    case Pattern::barrier:
      return {{"dissemination", rounds, 0}};
    case Pattern::broadcast:
      return {{"a binomial tree", rounds, rounds}, {"scatter and ring", rounds + p - 1, 2 * others}};
    case Pattern::reduce:
      return {{"a binomial tree", rounds, rounds}, {"Rabenseifner's algorithm", 2 * rounds, 2 * others}};
    case Pattern::allreduce:
      return {{"recursive doubling", doubling, doubling},
              {"Rabenseifner's algorithm", 2 * rounds, 2 * others}};
    case Pattern::gather:
    case Pattern::scatter:
      return {{"a binomial tree", rounds, p - 1}};
    case Pattern::allgather:
      return {{"Bruck's algorithm", rounds, p - 1}};
    case Pattern::alltoall:
      return {{"Bruck's algorithm", rounds, rounds / 2}, {"pairwise exchange", p - 1, others}};
    case Pattern::reduce_scatter:
      return {{"recursive halving", rounds, others}};
    case Pattern::scan:
      return {{"recursive doubling", rounds, rounds}};
    case Pattern::neighbourhood:  // messages rather than an algorithm; priced as messages
    case Pattern::none:
      break;
  }
  return {};
}

Expression total(const CommunicationCost& cost) {
  return cost.startup + cost.transfer;
}

/// Returns the cheaper of two costs at every point.
CommunicationCost cheaper(const CommunicationCost& a, const CommunicationCost& b) {
  CommunicationCost out = a;
  const Expression gain = total(b) - total(a);
  out.startup = conditional(gain, a.startup, b.startup);
  out.transfer = conditional(gain, a.transfer, b.transfer);
  return out;
}

CommunicationCost over_link(const Machine& machine, const std::string& link,
                            const std::vector<NamedAlgorithm>& ways, const Expression& executions,
                            const Expression& bytes) {
  CommunicationCost best;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const Expression messages = executions * ways[i].steps;
    auto cost = point_to_point(machine, link, Side::end_to_end, messages, bytes * ways[i].volume);
    cost.startup = cost.startup - made_up_latency(machine, link, messages);
    best = i == 0 ? cost : cheaper(best, cost);
  }
  return best;
}

bool is_free(const Machine& machine) {
  return std::all_of(machine.links.begin(), machine.links.end(), [](const auto& entry) {
    const Link& link = entry.second;
    return link.latency.value == 0 && link.send_overhead.value == 0 && link.receive_overhead.value == 0 &&
           link.gap_per_byte.value == 0 && link.rendezvous_gap_per_byte.value == 0;
  });
}

CommunicationCost from_messages(const Machine& machine, Pattern pattern, const Expression& executions,
                                const Expression& bytes, const Expression& members) {
  CommunicationCost cost;
  const std::vector<NamedAlgorithm> ways = algorithms(pattern, members);
  if (ways.empty()) {
    cost.origin = Origin::unknown;
    cost.note = "a collective of an unknown pattern counts as free";
    return cost;
  }
  const LinkChoice inside = link_for(machine, 1, machine.cores_per_node);
  const LinkChoice beyond = link_for(machine, machine.cores_per_node + 1, machine.cores_per_node);
  cost = over_link(machine, beyond.link, ways, executions, bytes);
  if (inside.link != beyond.link) {
    const auto near = over_link(machine, inside.link, ways, executions, bytes);
    const Expression room = Expression(machine.cores_per_node) - members;
    cost.startup = conditional(room, near.startup, cost.startup);
    cost.transfer = conditional(room, near.transfer, cost.transfer);
    cost.origin = weaker(cost.origin, near.origin);
  }
  const Expression alone = 1 - members;
  cost.startup = conditional(alone, 0, cost.startup);
  cost.transfer = conditional(alone, 0, cost.transfer);
  if (cost.note.empty() && !is_free(machine)) {
    std::string names = ways[0].name;
    for (std::size_t i = 1; i < ways.size(); ++i) names += " or, where it is cheaper, " + ways[i].name;
    cost.note = "built from point to point as " + names + ": no table for " +
                std::string(pattern_name(pattern)) + " on " + machine.name;
  }
  return cost;
}

Expression growth_expression(std::string_view growth, const Expression& p) {
  if (growth == "log2") return log2(p);
  if (growth == "ceil_log2") return ceil(log2(p));
  if (growth == "linear") return p;
  if (growth == "peers") return p - 1;
  if (growth == "sqrt") return power(p, Rational::of(1, 2));
  return 1;
}

/// Returns `whole` x (constant + growing x f(p)), without parameters that were not fitted.
Expression grown(const std::string& prefix, const Parameter& constant, std::string_view constant_name,
                 const Parameter& growing, const Expression& f, const Expression& whole) {
  Expression sum;
  const auto cost = [&](const std::string& name) {
    return symbolic::symbol(prefix + name, SymbolKind::machine_cost);
  };
  if (constant.origin != Origin::unknown) sum = sum + cost(std::string(constant_name));
  if (growing.origin != Origin::unknown) sum = sum + cost(std::string(constant_name) + "_growth") * f;
  return whole * sum;
}

CommunicationCost from_table(const PatternCost& table, const Expression& executions, const Expression& bytes,
                             const Expression& members) {
  CommunicationCost cost;
  cost.table = table.name;
  const std::string prefix = "patterns." + table.name + ".";
  for (std::size_t i = 0; i < table.pieces.size(); ++i) {
    const PatternCost::Piece& piece = table.pieces[i];
    const std::string at = prefix + std::to_string(i) + ".";
    const Expression f = growth_expression(piece.growth, members);
    const Expression startup = grown(at, piece.startup, "startup", piece.startup_growth, f, executions);
    const Expression transfer = grown(at, piece.per_byte, "per_byte", piece.per_byte_growth, f, bytes);
    for (const Parameter* parameter :
         {&piece.startup, &piece.startup_growth, &piece.per_byte, &piece.per_byte_growth})
      if (parameter->origin != Origin::unknown) cost.origin = weaker(cost.origin, parameter->origin);
    if (i == 0) {
      cost.startup = startup, cost.transfer = transfer;
      continue;
    }
    const Expression from = symbolic::exact_rational(piece.from_bytes).value_or(Rational(0));
    const Expression reached = bytes - from * executions;
    cost.startup = conditional(reached, startup, cost.startup);
    cost.transfer = conditional(reached, transfer, cost.transfer);
  }
  if (!table.corrections.empty()) {
    // For the mean size. Without executions there are 0 bytes; fractional executions have a size too.
    const Expression each =
        correction_expression(table, bytes / max(executions, symbolic::real(1e-9)), members);
    cost.startup = cost.startup + bounded_correction(executions * each, cost.startup + cost.transfer);
  }
  const Expression alone = 1 - members;
  const Parameter none;
  cost.startup = conditional(
      alone, grown(prefix, table.single_startup, "single_startup", none, 0, executions), cost.startup);
  cost.transfer = conditional(alone, grown(prefix, table.single_per_byte, "single_per_byte", none, 0, bytes),
                              cost.transfer);
  for (const CostPoint& point : table.points) {
    if (point.processes < 2) continue;
    cost.fewest_processes =
        cost.fewest_processes == 0 ? point.processes : std::min(cost.fewest_processes, point.processes);
    cost.most_processes = std::max(cost.most_processes, point.processes);
    cost.largest_bytes = std::max(cost.largest_bytes, point.bytes);
  }
  return cost;
}

}  // namespace

CommunicationCost collective(const Machine& machine, Pattern pattern, const Expression& executions,
                             const Expression& bytes, const Expression& members, bool uneven) {
  const PatternCost* table = table_for(machine, pattern, uneven);
  if (!table) return from_messages(machine, pattern, executions, bytes, members);
  CommunicationCost cost = from_table(*table, executions, bytes, members);
  if (uneven && !table->uneven) {
    const std::string regular(pattern_name(pattern)), wanted = table_name(pattern, true);
    cost.note = wanted + " costs as much as " + regular + " of equal parts: no table for " + wanted + " on " +
                machine.name;
  }
  return cost;
}

std::string beyond_table(const std::string& machine, const CommunicationCost& cost, double members,
                         double bytes) {
  const bool beyond = (cost.most_processes > 0 && members > cost.most_processes * kRounding) ||
                      (cost.largest_bytes > 0 && bytes > cost.largest_bytes * kRounding);
  if (cost.table.empty() || !beyond) return "";
  return cost.table + " was measured on " + machine + " for up to " + std::to_string(cost.most_processes) +
         " processes and " + std::to_string(static_cast<long long>(cost.largest_bytes)) +
         " bytes, and is taken to go on in a straight line";
}

std::string beyond_link(const Machine& machine, const std::string& link, double bytes) {
  double largest = 0;
  for (const PatternCost& table : machine.patterns)
    if (table.name == "message-" + link)
      for (const CostPoint& point : table.points) largest = std::max(largest, point.bytes);
  if (!(largest > 0) || !(bytes > largest * kRounding)) return "";
  return "messages over the " + link + " link were measured on " + machine.name + " for up to " +
         std::to_string(static_cast<long long>(largest)) +
         " bytes, and are taken to go on in a straight line";
}

}  // namespace parcast::machine
