// SPDX-License-Identifier: Apache-2.0
#include "build_model/grid_conditions.h"

#include <algorithm>
#include <array>

#include "fit_counts/features.h"

namespace parcast::program {
namespace {

using Kind = Factor::Kind;
using FactorKinds = std::vector<Kind>;

// The last two: an end that has another rank next to it, which no rank is if there is only one.
const std::array<FactorKinds, 8> kOfCoordinate{FactorKinds{},
                                               FactorKinds{Kind::first},
                                               FactorKinds{Kind::not_first},
                                               FactorKinds{Kind::last},
                                               FactorKinds{Kind::not_last},
                                               FactorKinds{Kind::not_first, Kind::not_last},
                                               FactorKinds{Kind::first, Kind::not_last},
                                               FactorKinds{Kind::last, Kind::not_first}};

/// In one dimension, the coordinate is the rank.
Factor factor_of(Kind kind, int dimensions, int dimension) {
  return {.kind = kind, .axis = dimensions == 1 ? Axis{} : Axis{dimensions, dimension}};
}

/// Returns the places at which each of kOfCoordinate holds.
std::array<std::vector<bool>, kOfCoordinate.size()> holds_of(const std::vector<Place>& places, int dimensions,
                                                             int dimension) {
  std::array<std::vector<bool>, kOfCoordinate.size()> out;
  for (std::size_t k = 0; k < kOfCoordinate.size(); ++k)
    for (const Place& place : places)
      out[k].push_back(std::ranges::all_of(kOfCoordinate[k], [&](Kind kind) {
        return value_at(factor_of(kind, dimensions, dimension), place) == 1;
      }));
  return out;
}

class Search {
 public:
  Search(const std::vector<Place>& places, const std::vector<bool>& holds, int dimensions)
      : holds_(holds), dimensions_(dimensions) {
    for (int d = 0; d < dimensions; ++d) of_dimension_.push_back(holds_of(places, dimensions, d));
  }

  /// Returns the choice from kOfCoordinate for each dimension; empty: none.
  std::vector<std::size_t> best() {
    chosen_.assign(static_cast<std::size_t>(dimensions_), 0);
    try_from(0, std::vector<bool>(holds_.size(), true), 0);
    return best_;
  }

 private:
  void try_from(std::size_t dimension, const std::vector<bool>& so_far, std::size_t parts) {
    if (parts >= fewest_) return;
    if (dimension == chosen_.size()) {
      if (so_far == holds_) best_ = chosen_, fewest_ = parts;
      return;
    }
    for (std::size_t k = 0; k < kOfCoordinate.size(); ++k) {
      std::vector<bool> both = so_far;
      bool possible = true;
      for (std::size_t i = 0; i < both.size() && possible; ++i) {
        both[i] = both[i] && of_dimension_[dimension][k][i];
        possible = both[i] || !holds_[i];
      }
      chosen_[dimension] = k;
      if (possible) try_from(dimension + 1, both, parts + kOfCoordinate[k].size());
    }
  }

  const std::vector<bool>& holds_;
  int dimensions_;
  std::vector<std::array<std::vector<bool>, kOfCoordinate.size()>> of_dimension_;
  std::vector<std::size_t> chosen_, best_;
  std::size_t fewest_ = 7;
};

/// Returns 3 if all process counts are cubes and one is above 1, 2 if they are squares, else 1.
int dimensions_shown(const std::vector<Place>& places) {
  for (const int dimensions : {3, 2}) {
    const auto fits = [&](const Place& place) {
      const auto& extents = place.extents[static_cast<std::size_t>(dimensions)];
      return std::all_of(extents.begin(), extents.begin() + dimensions,
                         [&](std::int64_t each) { return each == extents[0]; });
    };
    if (std::ranges::all_of(places, fits) &&
        std::ranges::any_of(places, [](const Place& place) { return place.p > 1; }))
      return dimensions;
  }
  return 1;
}

}  // namespace

std::optional<GridCondition> grid_condition(const std::vector<Place>& places, const std::vector<bool>& holds,
                                            const std::vector<std::string>& parameters) {
  std::optional<GridCondition> best;
  for (int dimensions = 1; dimensions <= kMostDimensions; ++dimensions) {
    const std::vector<std::size_t> chosen = Search(places, holds, dimensions).best();
    if (chosen.empty()) continue;
    GridCondition found{1, 0};
    for (std::size_t d = 0; d < chosen.size(); ++d)
      for (const Kind kind : kOfCoordinate[chosen[d]]) {
        const Feature feature{std::vector<int>(parameters.size(), 0),
                              {factor_of(kind, dimensions, static_cast<int>(d))}};
        found.expression = found.expression * expression_of(feature, parameters);
        ++found.parts;
      }
    const bool natural = dimensions == dimensions_shown(places);
    if (!best || found.parts < best->parts || (natural && found.parts == best->parts)) best = found;
  }
  return best;
}

}  // namespace parcast::program
