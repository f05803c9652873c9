// SPDX-License-Identifier: Apache-2.0
#include "source/counts/alternatives.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "model/run_options.h"
#include "model/work.h"
#include "source/counts/source_count.h"

namespace parcast::program {

using symbolic::Expression;

namespace {

constexpr double kSameRatio = 0.02;  // relative
constexpr double kLarger = 4;        // factor for the recorded sizes
constexpr std::int32_t kMore = 8;    // factor for the number of processes
constexpr double kLeastSize = 5;     // smallest number that is a size
constexpr double kLeastPart = 4;     // smallest part of a size per process

std::vector<std::vector<double>> known_values(const Inputs& inputs) {
  std::vector<std::vector<double>> known;
  for (std::size_t v = 0; v < inputs.parameters.size(); ++v) {
    std::set<double> values;
    for (const std::size_t run : inputs.order) values.insert(inputs.runs[run].parameters[v]);
    known.emplace_back(values.begin(), values.end());
  }
  return known;
}

std::vector<Point> proposed(const Inputs& inputs) {
  const auto known = known_values(inputs);
  std::vector<bool> whole;
  for (const auto& values : known)
    whole.push_back(
        std::ranges::all_of(values, [](double x) { return x == std::floor(x) && std::abs(x) < 1e15; }));
  std::vector<Point> made;
  for (const std::size_t run : inputs.order) {
    made.push_back({{}, inputs.runs[run].processes});
    for (std::size_t v = 0; v < inputs.parameters.size(); ++v)
      made.back().parameters[inputs.parameters[v]] = inputs.runs[run].parameters[v];
  }
  std::vector<Point> runs =
      runs_by_price(inputs.parameters, known, whole, process_grid(inputs.parameters, made));
  const ProcessRule rule(made);
  std::erase_if(runs, [&](const Point& run) {
    return !rule.allows(run.processes) || std::ranges::any_of(run.parameters, [&](const auto& parameter) {
      return parameter.second >= kLeastSize && parameter.second < kLeastPart * run.processes;
    });
  });
  return runs;
}

std::vector<Point> farther(const Inputs& inputs) {
  std::vector<Point> points;
  for (const std::size_t run : inputs.order)
    for (const std::int32_t more : {1, kMore}) {
      Point point{{}, inputs.runs[run].processes * more};
      for (std::size_t v = 0; v < inputs.parameters.size(); ++v) {
        const double value = inputs.runs[run].parameters[v];
        point.parameters[inputs.parameters[v]] = value >= kLeastSize ? kLarger * value : value;
      }
      points.push_back(std::move(point));
    }
  return points;
}

/// Returns the smallest and the largest factor over the ranks, in steps of 2 %.
std::pair<long, long> range_at(const Expression& alternative, const Point& point, const Inputs& inputs) {
  std::pair<long, long> range{0, 0};
  bool first = true;
  std::vector<double> parameters;
  for (const std::string& name : inputs.parameters) parameters.push_back(point.parameters.at(name));
  for (const std::int32_t rank : sampled_ranks(point.processes)) {
    const auto times = symbolic::evaluate(
        alternative,
        binding_of(place_at(parameters, point.processes, rank, inputs.grids), inputs.parameters, parameters));
    if (!times || !(*times > 0) || !std::isfinite(*times)) continue;
    const long steps = std::lround(std::log(*times) / kSameRatio);
    range = first ? std::pair(steps, steps)
                  : std::pair(std::min(range.first, steps), std::max(range.second, steps));
    first = false;
  }
  return range;
}

}  // namespace

std::vector<Expression> alternatives_of(const std::vector<facts::Module>& modules,
                                        const std::vector<BlockCount>& blocks, const Inputs& inputs) {
  std::vector<Expression> alternatives;
  if (std::ranges::all_of(blocks, [](const BlockCount& block) { return block.alternatives.empty(); }))
    return alternatives;
  const Expression work = weighted_work(operations_per_visit(modules, blocks));
  if (work.is_zero()) return alternatives;
  std::vector<Point> points = farther(inputs);
  std::ranges::move(proposed(inputs), std::back_inserter(points));
  for (std::size_t k = 0; k < kHypotheses; ++k) {
    std::vector<BlockCount> others = blocks;
    for (BlockCount& block : others)
      if (k < block.alternatives.size()) block.per_visit = block.alternatives[k];
    const Expression alternative = weighted_work(operations_per_visit(modules, others)) / work;
    const bool differs = std::ranges::any_of(points, [&](const Point& point) {
      return range_at(alternative, point, inputs) != std::pair(0L, 0L);
    });
    if (differs && std::ranges::find(alternatives, alternative) == alternatives.end())
      alternatives.push_back(alternative);
  }
  return alternatives;
}

std::string deciding_run(const std::vector<Expression>& alternatives, const Inputs& inputs) {
  std::optional<Point> best;
  std::size_t most = 1;
  for (const Point& run : proposed(inputs)) {
    std::set<std::pair<long, long>> outcomes{{0, 0}};  // of the selected formula
    for (const Expression& alternative : alternatives) outcomes.insert(range_at(alternative, run, inputs));
    if (outcomes.size() <= most) continue;
    most = outcomes.size();
    best = run;
  }
  return best ? "a recording at " + point_text(*best, inputs.parameters) + " would decide" : "";
}

}  // namespace parcast::program
