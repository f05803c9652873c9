// SPDX-License-Identifier: Apache-2.0
#include "build_model/forecasts.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "build_model/nodes_around.h"

namespace parcast::program {
namespace {

constexpr std::size_t kFewestPoints = 3;
constexpr double kLeastShareOfAForecast = 0.05;  // of the computing
constexpr double kMostShareInside = 0.95;        // of the node around it; with more, it is the same forecast

bool is_slowed(const Model& model, const ForecastInputs& from, std::size_t run) {
  const auto source = std::ranges::find(from.inputs.order, run) - from.inputs.order.begin();
  return model.sources[static_cast<std::size_t>(source)].slowed;
}

/// Whether several segments in the node have a large share of the computing, and the node around it has
/// others.
bool is_worth_a_forecast(const Model& model, NodeId id) {
  double inside = 0, around = 0;
  std::size_t segments = 0;
  for (const Segment& segment : model.segments) {
    if (contains(model, id, segment.owner)) inside += segment.share, ++segments;
    if (id != 0 && contains(model, parent_of(model, id), segment.owner)) around += segment.share;
  }
  return segments > 1 && inside >= kLeastShareOfAForecast && (id == 0 || inside < kMostShareInside * around);
}

/// The computing in each node, by trace, as one execution of a transition with the node's index.
Traces computing_of(const Model& model, const ForecastInputs& from, const std::vector<NodeId>& nodes) {
  Traces out;
  out.transitions.resize(nodes.size());
  for (const Trace& trace : from.traces.traces) {
    out.traces.push_back({.run = trace.run, .rank = trace.rank, .complete = trace.complete});
    for (const auto& [id, totals] : trace.transitions) {
      const Transition& t = from.traces.transitions[static_cast<std::size_t>(id)];
      if (t.to == kOutside) continue;
      const NodeId inside = owner_of(model, t.from == kOutside ? kNone : from.node_of_key.at(t.from),
                                     from.node_of_key.at(t.to));
      for (std::size_t k = 0; k < nodes.size(); ++k) {
        if (!contains(model, nodes[k], inside)) continue;
        TransitionTotals& sum = out.traces.back().transitions[static_cast<std::int32_t>(k)];
        const auto times = static_cast<double>(totals.time.count);
        sum.traversals = sum.time.count = 1;
        sum.time.mean += totals.time.mean * times + totals.time.first_extra;
        sum.time.total += totals.time.total;
        sum.time.standard_error = std::hypot(sum.time.standard_error, totals.time.standard_error * times);
      }
    }
  }
  return out;
}

bool is_everywhere(const Traces& sums, std::int32_t node) {
  return std::ranges::all_of(
      sums.traces, [&](const Trace& trace) { return !trace.complete || trace.transitions.contains(node); });
}

}  // namespace

void add_forecasts(Model& model, const ForecastInputs& from) {
  std::set<std::vector<double>> distinct;
  for (const Run& run : from.inputs.runs) {
    std::vector<double> point = run.parameters;
    point.push_back(run.processes);
    distinct.insert(std::move(point));
  }
  if (distinct.size() < kFewestPoints) return;
  std::vector<NodeId> nodes;
  for (const Node& node : model.nodes)
    if (node.kind != NodeKind::call && is_worth_a_forecast(model, node.id)) nodes.push_back(node.id);
  const Traces sums = computing_of(model, from, nodes);
  std::vector<CostBuilder::RunInfo> runs;
  for (std::size_t i = 0; i < from.recordings.size(); ++i)
    runs.push_back({from.inputs.runs[i], from.recordings[i].oversubscribed(), is_slowed(model, from, i)});
  const CostBuilder costs(from.inputs.parameters, runs, from.inputs.grids, from.distributions, sums);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (!is_everywhere(sums, static_cast<std::int32_t>(k))) continue;
    Cost cost = costs.build(static_cast<std::int32_t>(k), true).cost;
    if (cost.growth->hypotheses.empty()) continue;
    model.forecasts.push_back({nodes[k], std::move(cost.arguments), *cost.growth});
  }
}

}  // namespace parcast::program
