// SPDX-License-Identifier: Apache-2.0
#include "model/place.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "model/binding.h"

namespace parcast::program {

std::optional<std::vector<std::int32_t>> extents_of_parameters(const ProcessGrid& grid,
                                                               std::int32_t processes,
                                                               std::span<const double> parameters) {
  std::vector<std::int32_t> extents;
  std::int64_t product = 1;
  for (const std::size_t v : grid.parameters) {
    const double value = v < parameters.size() ? parameters[v] : 0;
    if (std::floor(value) != value || value < 1 || value > processes) return std::nullopt;
    extents.push_back(static_cast<std::int32_t>(value));
    product *= extents.back();
    if (product > processes) return std::nullopt;
  }
  if (extents.empty() || product != processes) return std::nullopt;
  return extents;
}

std::vector<std::int32_t> extents_at(const std::vector<ProcessGrid>& grids, int dimensions,
                                     std::int32_t processes, std::span<const double> parameters) {
  const auto grid = std::ranges::find(grids, dimensions, &ProcessGrid::dimensions);
  auto balanced = balanced_dimensions(processes, dimensions);
  if (grid == grids.end()) return balanced;
  if (auto given = extents_of_parameters(*grid, processes, parameters)) return *std::move(given);
  if (const auto recorded = grid->recorded.find(processes); recorded != grid->recorded.end())
    return recorded->second;
  if (grid->ascending) std::ranges::reverse(balanced);
  return balanced;
}

Place place_at(std::span<const double> parameters, std::int32_t processes, std::int32_t rank,
               const std::vector<ProcessGrid>& grids) {
  Place place;
  constexpr double kLargest = 9e15;  // whole numbers up to here are exact in a double
  for (const double value : parameters) {
    const bool whole = std::floor(value) == value && std::abs(value) < kLargest;
    place.parameters.push_back(whole ? static_cast<std::int64_t>(value) : 0);
  }
  place.p = processes;
  place.r = rank;
  for (int d = 1; d <= kMostDimensions; ++d) {
    const auto extents = extents_at(grids, d, processes, parameters);
    std::int64_t rest = rank;
    for (int k = d; k-- > 0;) {
      place.extents[d][k] = extents[k];
      place.coordinates[d][k] = rest % extents[k];
      rest /= extents[k];
    }
  }
  return place;
}

symbolic::Binding binding_of(const Place& place, const std::vector<std::string>& names,
                             std::span<const double> parameters) {
  symbolic::Binding binding{{"p", static_cast<double>(place.p)}, {"r", static_cast<double>(place.r)}};
  for (std::size_t v = 0; v < names.size(); ++v) binding[names[v]] = parameters[v];
  for (int d = 1; d <= kMostDimensions; ++d)
    for (int k = 0; k < d; ++k) {
      const std::string suffix = std::to_string(d) + "_" + std::to_string(k);
      binding["g" + suffix] = static_cast<double>(place.extents[d][k]);
      binding["c" + suffix] = static_cast<double>(place.coordinates[d][k]);
    }
  return binding;
}

std::vector<double> Design::values(std::size_t variable) const {
  std::set<double> distinct;
  for (const Group& group : groups) distinct.insert(value(group, variable));
  return {distinct.begin(), distinct.end()};
}

}  // namespace parcast::program
