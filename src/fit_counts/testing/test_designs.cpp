// SPDX-License-Identifier: Apache-2.0
#include "fit_counts/testing/test_designs.h"

#include <algorithm>
#include <cmath>

namespace parcast::program::testing {

Design full_design(const std::vector<std::string>& names, const std::vector<std::vector<double>>& values,
                   const std::vector<std::int32_t>& processes, const std::vector<ProcessGrid>& grids) {
  std::vector<std::vector<double>> points{{}};
  for (const auto& list : values) {
    std::vector<std::vector<double>> longer;
    for (const auto& point : points)
      for (const double value : list) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    points = std::move(longer);
  }
  Design design;
  design.parameters = names;
  design.grids = grids;
  for (const auto& list : values)
    design.whole.push_back(
        std::all_of(list.begin(), list.end(), [](double v) { return v == std::floor(v); }));
  for (const std::int32_t p : processes)
    for (const auto& point : points) {
      design.groups.push_back({point, p, design.cells.size(), static_cast<std::size_t>(p)});
      for (std::int32_t r = 0; r < p; ++r)
        design.cells.push_back({design.groups.size() - 1, place_at(point, p, r, grids)});
    }
  return design;
}

std::vector<std::int64_t> observe(const Design& design,
                                  const std::function<std::int64_t(const Place&)>& truth) {
  std::vector<std::int64_t> values;
  for (const Cell& cell : design.cells) values.push_back(truth(cell.place));
  return values;
}

symbolic::Binding symbols_at(const Design& design, const std::vector<double>& parameters,
                             std::int32_t processes, std::int32_t rank) {
  Model model;
  Point point{{}, processes};
  for (std::size_t v = 0; v < design.parameters.size(); ++v) {
    model.parameters.push_back({design.parameters[v], {}});
    point.parameters[design.parameters[v]] = parameters[v];
  }
  model.grids = design.grids;
  return bind(model, point, rank).value();
}

}  // namespace parcast::program::testing
