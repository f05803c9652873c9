// SPDX-License-Identifier: Apache-2.0
#include "predict/system_collectives.h"

#include <algorithm>
#include <map>
#include <set>

#include "model/binding.h"
#include "predict/flat_system.h"
#include "predict/interpret/interpretation.h"
#include "predict/system_costs.h"
#include "trace/builder.h"

namespace parcast::predict {
namespace {

constexpr std::int32_t kMostRanks = 1024;  // an exchange of all with all has their square of messages

struct Priced {
  recording::Pattern pattern = recording::Pattern::none;
  bool uneven = false;
  auto operator<=>(const Priced&) const = default;
};

/// The largest number of bytes of a call, by pattern; only patterns that all ranks call.
std::map<Priced, double> calls_of(const program::Model& model, const Question& question) {
  std::map<Priced, double> out;
  std::set<Priced> of_some;
  const auto binding = program::bind(model, question.point, 0);
  if (!binding) return out;
  const auto value_of = [&](const program::Count& count) {
    const auto value = symbolic::evaluate(count.expression, *binding);
    return value ? *value : 0;
  };
  for (const program::Node& node : model.nodes) {
    if (node.kind != program::NodeKind::call || node.pattern == recording::Pattern::none) continue;
    if (node.pattern == recording::Pattern::neighbourhood) continue;
    const bool of_all =
        !node.members.expression.is_zero() && value_of(node.members) == question.point.processes;
    if (!of_all) {  // a table prices all communicators alike
      of_some.insert({node.pattern, false});
      continue;
    }
    const double executions = value_of(node.executions);
    double& bytes = out[{node.pattern, false}];
    if (executions > 0) bytes = std::max(bytes, value_of(node.collective_bytes) / executions);
  }
  std::erase_if(out, [&](const auto& entry) { return of_some.contains(entry.first); });
  return out;
}

/// Seconds until the last rank has left a call that all begin at once.
std::optional<double> seconds_of(const Priced& of, std::uint64_t bytes, const machine::Machine& machine,
                                 const Question& question) {
  auto routes = routes_of(machine, question);
  if (!routes) return std::nullopt;
  trace::Builder builder("collective", question.point.processes);
  for (std::int32_t rank = 0; rank < question.point.processes; ++rank) {
    trace::RankBuilder words(builder, rank);
    words.add({.kind = trace::Kind::collective, .pattern = of.pattern, .bytes = bytes});
    (void)words.finish();
  }
  const trace::Trace trace = builder.finish();
  const SystemCosts costs(machine, trace, *routes, 1);
  const auto result = interpret::interpret(trace, costs, interpret::one_unit(trace));
  if (!result || !result->waiting.empty()) return std::nullopt;
  constexpr double kSecond = 1e-12;  // of a picosecond
  return static_cast<double>(result->makespan) * kSecond;
}

machine::Parameter assumed(double value) {
  machine::Parameter parameter;
  parameter.value = value;
  parameter.origin = Origin::assumed;
  return parameter;
}

}  // namespace

void price_collectives(const program::Model& model, const machine::Machine& given, const Question& question,
                       machine::Machine& flat) {
  if (!given.system || question.point.processes < 2 || question.point.processes > kMostRanks) return;
  for (const auto& [of, bytes] : calls_of(model, question)) {
    if (machine::table_for(flat, of.pattern, of.uneven)) continue;
    const auto empty = seconds_of(of, 0, given, question);
    const auto full = bytes >= 1 ? seconds_of(of, static_cast<std::uint64_t>(bytes), given, question) : empty;
    if (!empty || !full) continue;
    machine::PatternCost table;
    table.pattern = of.pattern, table.name = machine::table_name(of.pattern, of.uneven),
    table.uneven = of.uneven;
    machine::PatternCost::Piece piece;
    piece.growth = "1", piece.startup = assumed(*empty);
    if (bytes >= 1) piece.per_byte = assumed(std::max(0.0, *full - *empty) / bytes);
    table.pieces = {std::move(piece)};
    flat.patterns.push_back(std::move(table));
  }
}

}  // namespace parcast::predict
