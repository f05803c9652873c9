// SPDX-License-Identifier: Apache-2.0
#include "predict/equation/resolved_models.h"

#include <algorithm>

namespace parcast::predict {

using program::Model;

ResolvedModels::ResolvedModels(const Model& as_built) : as_built_(as_built), settlements_(as_built) {
  std::vector<symbolic::Expression> expressions;
  for (program::Bounded& each : program::bounded_of(as_built)) {
    if (free_symbols(each.expression).empty() || !Compiled::accepts(as_built, each.expression, {})) continue;
    expressions.push_back(std::move(each.expression));
    least_.push_back(each.least);
  }
  if (auto compiled = Compiled::compile(as_built, expressions, {})) bounded_ = *std::move(compiled);
}

std::vector<std::string> ResolvedModels::keys(std::span<const program::Point* const> points) const {
  std::vector<GridExtents> extents;
  std::vector<std::vector<double>> parameters;
  for (const program::Point* point : points)
    extents.push_back(grid_extents(as_built_, *point)),
        parameters.push_back(program::ordered_parameters(as_built_, *point));
  std::vector<Station> stations;
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < points.size(); ++i) {
    first.push_back(stations.size());
    for (const std::int32_t rank : program::bounded_ranks(points[i]->processes))
      stations.push_back({points[i]->processes, rank, &extents[i], parameters[i]});
  }
  first.push_back(stations.size());
  const std::vector<double> values = bounded_->evaluate(stations);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::string& key = out.emplace_back(settlements_.at(*points[i]) + " ");
    for (std::size_t e = 0; e < least_.size(); ++e) {
      const auto column = values.begin() + static_cast<std::ptrdiff_t>(e * stations.size());
      const bool falls_below = std::any_of(column + static_cast<std::ptrdiff_t>(first[i]),
                                           column + static_cast<std::ptrdiff_t>(first[i + 1]),
                                           [&](double value) { return value < least_[e]; });
      key += falls_below ? '1' : '0';
    }
  }
  return out;
}

}  // namespace parcast::predict
