// SPDX-License-Identifier: Apache-2.0
#include "build_model/next_recording.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/plain_number.h"
#include "base/text.h"
#include "model/lattice.h"
#include "model/run_options.h"

namespace parcast::program {
namespace {

constexpr double kWorthARun = 0.05;  // of the time
constexpr std::int32_t kMostProcesses = 16;

/// An ambiguous count and its weight.
struct Open {
  const Count* count = nullptr;
  double weight = 0;
};

std::vector<Open> open_counts(const Model& model, const RecordedShares& shares) {
  constexpr double kLeastOfACall = 0.02;  // its messages may grow, however short they are in the recordings
  std::vector<Open> out;
  for (std::size_t s = 0; s < model.segments.size(); ++s)
    if (const Count& count = model.segments[s].executions; count.origin == Origin::ambiguous)
      out.push_back({&count, shares.segments[s]});
  for (std::size_t n = 0; n < model.nodes.size(); ++n) {
    const Node& node = model.nodes[n];
    std::vector<const Count*> open;
    for (const Count* count : {&node.executions, &node.messages, &node.bytes, &node.collective_bytes})
      if (count->origin == Origin::ambiguous) open.push_back(count);
    for (const Count* count : open)
      out.push_back({count, std::max(kLeastOfACall, shares.nodes[n]) / static_cast<double>(open.size())});
  }
  return out;
}

/// Returns whether an open variable of the count exceeds its recorded values: a large step is more evidence
/// than a small one.
bool goes_beyond(const Model& model, const Count& count, const Point& point) {
  return std::ranges::any_of(model.parameters, [&](const Parameter& parameter) {
    const bool is_open = std::ranges::find(count.open, parameter.name) != count.open.end();
    return is_open && parameter.values.size() > 1 &&
           point.parameters.at(parameter.name) > parameter.values.back();
  });
}

/// Returns the share of alternatives that differ from the preferred formula at the point, on any of some
/// ranks.
double share_separated(const Model& model, const Count& count, const Point& point,
                       const std::vector<symbolic::Binding>& bindings) {
  constexpr double kBeyond = 1.25;  // weight of a point beyond the recorded values, which resolves more
  const double reach = goes_beyond(model, count, point) ? kBeyond : 1;
  // without known alternatives, any new point resolves a little
  if (count.alternatives.empty()) return 0.5 * reach;
  std::size_t differ = 0;
  for (const symbolic::Expression& alternative : count.alternatives)
    differ += std::ranges::any_of(bindings, [&](const symbolic::Binding& binding) {
      const auto a = symbolic::evaluate(count.expression, binding),
                 b = symbolic::evaluate(alternative, binding);
      return a && b && std::abs(*a - *b) > 0.5;
    });
  return reach * static_cast<double>(differ) / static_cast<double>(count.alternatives.size());
}

/// Returns new values of a parameter, small ones first: next to the smallest value, and not multiples of the
/// divisors that all recordings share.
std::vector<double> new_values(const Parameter& parameter, const Lattice& lattice) {
  std::vector<double> out;
  if (parameter.values.size() < 2) return parameter.values;
  const double least = parameter.values.front(), most = parameter.values.back();
  const auto add = [&](double value) {
    if (std::ranges::find(parameter.values, value) == parameter.values.end()) out.push_back(value);
  };
  const bool whole = std::ranges::find(lattice.whole, parameter.name) != lattice.whole.end();
  if (std::ranges::find(lattice.powers_of_two, parameter.name) != lattice.powers_of_two.end()) {
    add(2 * most);
  } else if (whole) {
    for (const double step : {1., 2., 3., 7.}) add(least + step);
    add(most + 1);
    add(2 * most + 7);
  } else {
    add((least + parameter.values[1]) / 2);
  }
  return out;
}

std::vector<Point> points_of(const Model& model) {
  const std::vector<Point> recorded = recorded_points(model);
  const Lattice lattice = lattice_of(recorded);
  std::vector<std::string> names;
  for (const Parameter& parameter : model.parameters) names.push_back(parameter.name);
  const std::vector<bool> sides = process_grid(names, recorded);
  const ProcessRule rule(recorded);
  std::set<std::int32_t> processes;
  for (const std::int32_t p : {4, 6, 8, 9, 12, 16}) {  // at 3 the logarithm rounded down equals that of 2
    if (rule.allows(p) && std::ranges::find(model.processes, p) == model.processes.end()) processes.insert(p);
  }
  for (const std::int32_t p : model.processes)
    if (p > 1 && p <= kMostProcesses) processes.insert(p);
  std::vector<Point> out;
  for (const std::int32_t p : processes) {
    if (std::ranges::find(sides, true) != sides.end() &&
        std::ranges::find(model.processes, p) == model.processes.end())
      continue;
    std::vector<Point> some{{{}, p}};
    const auto like = std::ranges::find(recorded, p, &Point::processes);
    for (std::size_t v = 0; v < model.parameters.size(); ++v) {
      std::vector<double> values = new_values(model.parameters[v], lattice);
      if (sides[v]) values = {like->parameters.at(names[v])};
      std::vector<Point> more;
      for (const Point& point : some)
        for (const double value : values) {
          more.push_back(point);
          more.back().parameters[names[v]] = value;
        }
      some = std::move(more);
      constexpr std::size_t kMostPoints = 64;
      if (some.size() > kMostPoints) some.resize(kMostPoints);
    }
    out.insert(out.end(), some.begin(), some.end());
  }
  return out;
}

double price(const Point& point) {
  double cost = point.processes;
  for (const auto& [name, value] : point.parameters) cost *= std::max(1.0, std::abs(value));
  return cost;
}

/// Returns the command with new values. Empty unless each parameter that varied is exactly one argument, the
/// same in all recordings.
std::vector<std::string> command_at(const Model& model, const Point& point,
                                    const std::vector<recording::Recording>& recordings) {
  const auto arguments_of = [](const recording::Recording& recording) -> const std::vector<std::string>& {
    static const std::vector<std::string> none;
    return recording.ranks.empty() ? none : recording.ranks.front().command;
  };
  std::vector<std::string> command =
      recordings.empty() ? std::vector<std::string>{} : arguments_of(recordings.front());
  for (const Parameter& parameter : model.parameters) {
    if (parameter.values.size() < 2) continue;
    std::vector<std::size_t> found;
    for (std::size_t a = 1; a < command.size(); ++a)
      if (std::ranges::all_of(recordings, [&](const recording::Recording& each) {
            const auto value = each.parameters.find(parameter.name);
            return value != each.parameters.end() && a < arguments_of(each).size() &&
                   arguments_of(each)[a] == format_plain(value->second);
          }))
        found.push_back(a);
    if (found.size() != 1) return {};
    command[found.front()] = format_plain(point.parameters.at(parameter.name));
  }
  return command;
}

}  // namespace

RecordedShares shares_of(const Model& model) {
  RecordedShares out;
  for (const Segment& segment : model.segments) out.segments.push_back(segment.share);
  out.nodes.assign(model.nodes.size(), 0);
  return out;
}

std::optional<NextRecording> next_recording(const Model& model, const RecordedShares& shares,
                                            const std::vector<recording::Recording>& recordings) {
  const bool varied =
      model.processes.size() > 1 ||
      std::ranges::any_of(model.parameters, [](const Parameter& each) { return each.values.size() > 1; });
  const std::vector<Open> open = open_counts(model, shares);
  NextRecording out;
  if (const auto at = model.share_by_origin.find("ambiguous"); at != model.share_by_origin.end())
    out.share = at->second;
  if (!varied || out.share < kWorthARun) return std::nullopt;
  double best = 0;
  for (const Point& point : points_of(model)) {
    std::vector<symbolic::Binding> bindings;
    for (const std::int32_t rank : sampled_ranks(point.processes))
      if (auto binding = bind(model, point, rank)) bindings.push_back(std::move(*binding));
    double score = 0;
    for (const Open& each : open) score += each.weight * share_separated(model, *each.count, point, bindings);
    constexpr double kClearly = 1.02;  // a small gain does not justify a more expensive run
    if (score <= 0 || (best > 0 && (score < best / kClearly ||
                                    (score <= best * kClearly && price(point) >= price(out.point)))))
      continue;
    best = std::max(best, score), out.point = point;
  }
  if (best <= 0) return std::nullopt;
  out.command = command_at(model, out.point, recordings);
  return out;
}

}  // namespace parcast::program
