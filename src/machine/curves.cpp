// SPDX-License-Identifier: Apache-2.0
#include "machine/curves.h"

#include <algorithm>
#include <set>

#include "machine/cost.h"
#include "machine/pattern_cost.h"

namespace parcast::machine {
namespace {

using symbolic::Expression;
using symbolic::SymbolKind;

constexpr std::string_view kMessage = "message-";  // "message-core": half a round trip over that link

MeasuredRange range_of(const PatternCost& table) {
  MeasuredRange out;
  std::set<std::int32_t> processes;
  for (const CostPoint& point : table.points) {
    if (point.processes < 2) continue;
    out.smallest_bytes = processes.empty() ? point.bytes : std::min(out.smallest_bytes, point.bytes);
    out.largest_bytes = std::max(out.largest_bytes, point.bytes);
    processes.insert(point.processes);
  }
  out.processes.assign(processes.begin(), processes.end());
  return out;
}

/// Returns the machine with the linear parameters only. Corrections follow the measured curve that the result
/// is compared with.
Machine by_parameters(Machine machine) {
  for (auto& [name, link] : machine.links) link.corrections.clear();
  machine.patterns.clear();
  return machine;
}

std::optional<Expression> message_cost(const Machine& machine, const PatternCost& table) {
  const Expression bytes = symbolic::symbol("m", SymbolKind::parameter),
                   members = symbolic::symbol("p", SymbolKind::processes);
  CommunicationCost cost;
  const bool has_algorithm =
      table.pattern != recording::Pattern::none && table.pattern != recording::Pattern::neighbourhood;
  if (has_algorithm && !machine.links.empty())
    cost = collective(machine, table.pattern, 1, bytes, members);
  else if (table.name.starts_with(kMessage) && machine.links.contains(table.name.substr(kMessage.size())))
    cost = point_to_point(machine, table.name.substr(kMessage.size()), Side::end_to_end, 1, bytes);
  else
    return std::nullopt;
  return cost.startup + cost.transfer;
}

std::string constant_and_growth(const Parameter& constant, const Parameter& growing, std::string_view growth,
                                Dimension dimension) {
  const auto text = [&](double value) {
    return dimension == Dimension::time ? format_seconds(value) : format_seconds(value) + "/B";
  };
  const std::string formula(growth_formula(growth));
  std::vector<std::string> terms;
  if (constant.value != 0) terms.push_back(text(constant.value));
  if (growing.value != 0) terms.push_back(text(growing.value) + (formula.empty() ? "" : " " + formula));
  return join(terms, " + ");
}

}  // namespace

PatternCurve::PatternCurve(const Machine& machine, const PatternCost& table)
    : table_(&table), measured_(range_of(table)) {
  const Machine links = by_parameters(machine);
  messages_ = message_cost(links, table);
  if (messages_) costs_ = cost_binding(links);
}

double PatternCurve::fitted(double processes, double bytes) const {
  return pattern_seconds(*table_, processes, bytes);
}

std::optional<double> PatternCurve::from_messages(double processes, double bytes) const {
  if (!messages_) return std::nullopt;
  symbolic::Binding at = costs_;
  at["p"] = processes, at["m"] = bytes;
  const auto seconds = symbolic::evaluate(*messages_, at);
  return seconds ? std::optional(*seconds) : std::nullopt;
}

double PatternCurve::beyond_processes(double processes) const {
  if (processes <= 1 || measured_.processes.empty()) return 1;
  return std::max({1.0, processes / measured_.processes.back(), measured_.processes.front() / processes});
}

double PatternCurve::beyond_bytes(double bytes) const {
  if (bytes <= 0 || measured_.largest_bytes <= 0) return 1;
  return std::max({1.0, bytes / measured_.largest_bytes, measured_.smallest_bytes / bytes});
}

std::string formula_of(const PatternCost::Piece& piece) {
  const std::string startup =
      constant_and_growth(piece.startup, piece.startup_growth, piece.growth, Dimension::time);
  const std::string per_byte =
      constant_and_growth(piece.per_byte, piece.per_byte_growth, piece.growth, Dimension::time_per_byte);
  const std::string transfer = per_byte.empty()                            ? ""
                               : per_byte.find(' ') == per_byte.rfind(' ') ? "m " + per_byte
                                                                           : "m (" + per_byte + ")";
  if (startup.empty()) return transfer.empty() ? "0 s" : transfer;
  return startup + (transfer.empty() ? "" : " + " + transfer);
}

}  // namespace parcast::machine
