// SPDX-License-Identifier: Apache-2.0
#include "predict/memory.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "predict/equation/compiled.h"
#include "predict/equation/ranks.h"
#include "predict/intervals.h"
#include "predict/question.h"
#include "statistics/growth_interval.h"

namespace parcast::predict {
namespace {

using program::Model;
using symbolic::Expression;

constexpr std::int32_t kAllNodesUpTo = 4096;  // processes
constexpr std::int32_t kRanksOfNode = 256;    // ranks sampled on a node with more

bool depends_on_rank(const std::vector<Expression>& arguments) {
  return std::ranges::any_of(arguments, [](const Expression& argument) {
    return std::ranges::any_of(symbolic::free_symbols(argument), [](const Expression& symbol) {
      return symbol.kind() == symbolic::SymbolKind::rank;
    });
  });
}

/// Returns the nodes that may need most memory: all, or those of the ranks with the largest or smallest
/// counts.
std::set<std::int32_t> nodes_in_question(const GridExtents& extents, std::int32_t processes,
                                         const Placement& placement, bool differ) {
  std::set<std::int32_t> out{0};
  if (!differ) return out;
  if (processes <= kAllNodesUpTo) {
    for (std::int32_t node = 1; node < placement.nodes; ++node) out.insert(node);
  } else {
    for (const std::int32_t rank : candidate_ranks({extents[1], extents[2], extents[3]}, processes, true))
      out.insert(rank / placement.ranks_per_node);
  }
  return out;
}

/// The sampled ranks of a node; their stations are consecutive.
struct Part {
  std::int32_t ranks = 0;
  std::size_t first = 0, looked_at = 0;

  double each() const { return static_cast<double>(ranks) / static_cast<double>(looked_at); }
};

/// Effect of a parameter that never varied on the ends: none, or everything grows with it. More processes
/// divide the memory of one, or each holds all of it.
Unvaried ends_of(const Model& model, const program::Point& point) {
  program::Point parameters = point;
  if (model.processes.size() == 1) parameters.processes = model.processes.front();
  Unvaried out = unvaried(model, parameters);
  const double parts = static_cast<double>(point.processes) / parameters.processes;
  out.low *= std::min(1.0, 1 / parts), out.high *= std::max(1.0, 1 / parts);
  return out;
}

/// Recordings of a single point determine no growth: the value is measured.
Origin origin_of(const Model& model) {
  std::set<std::pair<std::map<std::string, double>, std::int32_t>> points;
  for (const program::Source& source : model.sources) points.insert({source.parameters, source.processes});
  return points.size() == 1 ? Origin::measured : Origin::fitted;
}

}  // namespace

MemoryOfNode::MemoryOfNode(const Model& model) : model_(model) {
  if (model.residence.growth.hypotheses.empty()) return;
  auto compiled = Compiled::compile(model, model.residence.arguments, {});
  if (!compiled) return;
  arguments_ = std::make_unique<const Compiled>(*std::move(compiled));
  differ_ = depends_on_rank(model.residence.arguments);
  origin_ = origin_of(model);
}

MemoryOfNode::~MemoryOfNode() = default;

std::optional<Estimate> MemoryOfNode::at(const machine::Machine& machine, const Question& question,
                                         const statistics::StudentQuantiles& quantiles) const {
  if (!arguments_) return std::nullopt;
  const statistics::GrowthModel& growth = model_.residence.growth;
  const std::int32_t processes = question.point.processes;
  const Placement placement = place(machine, question);
  const GridExtents extents = grid_extents(model_, question.point);
  const std::vector<double> parameters = program::ordered_parameters(model_, question.point);

  std::vector<Station> stations;
  std::vector<Part> parts;
  for (const std::int32_t node : nodes_in_question(extents, processes, placement, differ_)) {
    const std::int32_t first = node * placement.ranks_per_node,
                       ranks = std::min(placement.ranks_per_node, processes - first),
                       looked_at = differ_ ? std::min(ranks, kRanksOfNode) : 1;
    parts.push_back({ranks, stations.size(), static_cast<std::size_t>(looked_at)});
    for (std::int64_t i = 0; i < looked_at; ++i)
      stations.push_back(
          {processes, first + static_cast<std::int32_t>(i * ranks / looked_at), &extents, parameters});
  }
  const std::vector<double> values = arguments_->evaluate(stations);
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) return std::nullopt;
  const auto at = [&](std::size_t station) {
    std::vector<double> out;
    for (std::size_t a = 0; a < arguments_->outputs(); ++a)
      out.push_back(std::max(0.0, values[a * stations.size() + station]));
    return out;
  };

  const Part* fullest = nullptr;
  Estimate out{0, 0, 0, question.level, "B", origin_};
  for (const Part& part : parts) {
    double sum = 0;
    for (std::size_t i = 0; i < part.looked_at; ++i) sum += growth.predict(at(part.first + i));
    sum *= part.each();
    if (!(sum > 0) || !std::isfinite(sum)) return std::nullopt;
    if (sum > out.value) fullest = &part, out.value = sum;
  }
  // Errors of the growth are common to all ranks, so their ends are added.
  std::map<std::vector<double>, std::pair<double, double>> known;
  for (std::size_t i = 0; i < fullest->looked_at; ++i) {
    const auto [found, fresh] = known.try_emplace(at(fullest->first + i));
    if (fresh) {
      const double value = growth.predict(found->first);
      const statistics::GrowthInterval predicted =
          statistics::interval_of(growth, found->first, question.level, quantiles);
      found->second = {predicted.exists ? std::min(predicted.low, value) : value,
                       std::max(predicted.high, value)};
    }
    out.low += found->second.first * fullest->each(), out.high += found->second.second * fullest->each();
  }
  const Unvaried ends = ends_of(model_, question.point);
  out.low = std::min(out.low * ends.low, out.value), out.high = std::max(out.high * ends.high, out.value);
  return out;
}

std::optional<Estimate> memory_per_node(const Model& model, const machine::Machine& machine,
                                        const Question& question) {
  return MemoryOfNode(model).at(machine, question);
}

}  // namespace parcast::predict
