// SPDX-License-Identifier: Apache-2.0
#pragma once
// One process at one point (n, p, r) in whole numbers, and the design: the places at which a set of
// recordings observed counts. Counts are identified from the design alone; they use no other part of a
// recording.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/model.h"

namespace parcast::program {

constexpr int kMostDimensions = 3;

struct Place {
  std::vector<std::int64_t> parameters;  // 0 where a parameter is not a whole number
  std::int64_t p = 1;
  std::int64_t r = 0;
  // [dimensions][dimension]: extents of the process grids and this rank's coordinates in them, row-major.
  std::array<std::array<std::int64_t, kMostDimensions>, kMostDimensions + 1> extents{};
  std::array<std::array<std::int64_t, kMostDimensions>, kMostDimensions + 1> coordinates{};
};

/// Returns the extents of the grid with `dimensions` dimensions at p. Sources in order of preference:
/// parameters whose product is p, recorded extents, MPI_Dims_create (reversed if the grid is ascending).
std::vector<std::int32_t> extents_at(const std::vector<ProcessGrid>& grids, int dimensions,
                                     std::int32_t processes, std::span<const double> parameters = {});
/// Returns the extents given by parameters if their product is p.
std::optional<std::vector<std::int32_t>> extents_of_parameters(const ProcessGrid& grid,
                                                               std::int32_t processes,
                                                               std::span<const double> parameters);

Place place_at(std::span<const double> parameters, std::int32_t processes, std::int32_t rank,
               const std::vector<ProcessGrid>& grids);

/// Returns the values of all symbols (model.h); `parameters` are in the order of `names`.
symbolic::Binding binding_of(const Place& place, const std::vector<std::string>& names,
                             std::span<const double> parameters);

/// Recordings of one point: the same parameters and process count.
struct Group {
  std::vector<double> parameters;
  std::int32_t processes = 1;
  std::size_t first_cell = 0, cell_count = 0;  // cells of one group are adjacent, ordered by rank
};

/// One rank of one group. Repeated recordings of a group share its cells.
struct Cell {
  std::size_t group = 0;
  Place place;
};

struct Design {
  std::vector<std::string> parameters;
  std::vector<bool> whole;    // per parameter: a whole number in every recording
  std::vector<bool> repeats;  // per parameter: it only repeats calls (fit_counts/repeating.h); empty: none
  std::vector<Group> groups;  // ordered by process count, then parameters
  std::vector<Cell> cells;
  std::vector<ProcessGrid> grids;  // recorded Cartesian topologies

  /// Returns the distinct values of variable v: a parameter's index, or parameters.size() for p.
  std::vector<double> values(std::size_t variable) const;
  std::size_t variables() const { return parameters.size() + 1; }
  std::string variable_name(std::size_t v) const { return v < parameters.size() ? parameters[v] : "p"; }
  double value(const Group& group, std::size_t v) const {
    return v < parameters.size() ? group.parameters[v] : group.processes;
  }
};

}  // namespace parcast::program
