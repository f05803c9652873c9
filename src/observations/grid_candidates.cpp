// SPDX-License-Identifier: Apache-2.0
#include "observations/grid_candidates.h"

#include <algorithm>
#include <cmath>

#include "model/binding.h"
#include "model/place.h"

namespace parcast::program {
namespace {

using Parameters = std::vector<std::size_t>;

constexpr std::size_t kMostOfParameters = 6;  // grids: each wrong one costs a search

/// Returns the parameters that may be extents: whole, positive, no larger than p, and not always 1.
Parameters possible_extents(const std::vector<Run>& runs) {
  Parameters out;
  for (std::size_t v = 0; v < runs.front().parameters.size(); ++v) {
    const auto is_extent = [&](const Run& run) {
      const double value = run.parameters[v];
      return value >= 1 && value <= run.processes && value == std::floor(value);
    };
    const auto is_one = [&](const Run& run) { return run.parameters[v] == 1; };
    if (std::ranges::all_of(runs, is_extent) && !std::ranges::all_of(runs, is_one)) out.push_back(v);
  }
  return out;
}

bool multiply_to_processes(const Parameters& chosen, const std::vector<Run>& runs) {
  const ProcessGrid grid{.dimensions = static_cast<int>(chosen.size()), .parameters = chosen};
  return std::ranges::all_of(runs, [&](const Run& run) {
    return extents_of_parameters(grid, run.processes, run.parameters).has_value();
  });
}

/// Adds the grid in each order of its dimensions; the messages decide which dimension is the fastest.
void add_orders(Parameters chosen, std::vector<std::vector<ProcessGrid>>& out) {
  std::ranges::sort(chosen, std::ranges::greater());  // "k, j, i": the first by name is often the fastest
  do {
    if (out.size() == kMostOfParameters) return;
    out.push_back({{.dimensions = static_cast<int>(chosen.size()), .parameters = chosen}});
  } while (std::ranges::prev_permutation(chosen).found);
}

void add_chosen(const Parameters& possible, std::size_t first, Parameters& chosen,
                const std::vector<Run>& runs, std::vector<std::vector<ProcessGrid>>& out) {
  if (chosen.size() >= 2 && multiply_to_processes(chosen, runs)) add_orders(chosen, out);
  if (chosen.size() == static_cast<std::size_t>(kMostDimensions)) return;
  for (std::size_t i = first; i < possible.size(); ++i) {
    chosen.push_back(possible[i]);
    add_chosen(possible, i + 1, chosen, runs, out);
    chosen.pop_back();
  }
}

/// Returns whether the balanced grid of any run differs from its reverse.
bool has_an_order(const std::vector<Run>& runs) {
  return std::ranges::any_of(runs, [](const Run& run) {
    for (int d = 2; d <= kMostDimensions; ++d) {
      const auto extents = balanced_dimensions(run.processes, d);
      if (extents.front() != extents.back()) return true;
    }
    return false;
  });
}

}  // namespace

std::vector<std::vector<ProcessGrid>> grid_candidates(const std::vector<Run>& runs,
                                                      const std::vector<ProcessGrid>& recorded) {
  const bool shown =
      std::ranges::any_of(recorded, [](const ProcessGrid& grid) { return grid.dimensions >= 2; });
  if (shown || runs.empty()) return {recorded};
  std::vector<std::vector<ProcessGrid>> out;
  Parameters chosen;
  if (std::ranges::any_of(runs, [](const Run& run) { return run.processes > 1; }))
    add_chosen(possible_extents(runs), 0, chosen, runs, out);
  out.push_back(recorded);
  if (!has_an_order(runs)) return out;
  std::vector<ProcessGrid> ascending = recorded;
  for (int d = 2; d <= kMostDimensions; ++d) ascending.push_back({.dimensions = d, .ascending = true});
  out.push_back(std::move(ascending));
  return out;
}

}  // namespace parcast::program
