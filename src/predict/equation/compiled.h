// SPDX-License-Identifier: Apache-2.0
#pragma once
// Expressions of a model, compiled once and evaluated for many ranks and points in columns; bind() gives the
// same values one name at a time.

#include <array>
#include <map>
#include <span>
#include <vector>

#include "model/binding.h"
#include "model/model.h"
#include "symbolic/program.h"

namespace parcast::predict {

/// Extents of the process grids of 1, 2 and 3 dimensions at one point; [0] is empty.
using GridExtents = std::array<std::vector<std::int32_t>, 4>;
GridExtents grid_extents(const program::Model& model, const program::Point& point);

/// A rank at a point.
struct Station {
  std::int32_t processes = 1, rank = 0;
  const GridExtents* extents = nullptr;
  std::span<const double> parameters;  // in the model's order
  std::span<const double> factors;     // by segment; empty: 1
};

/// The factor by which forecasts correct a segment's seconds (corrections.h). Its name is none that a model
/// can have.
symbolic::Expression factor_symbol(std::size_t segment);

class Compiled {
 public:
  /// Every free symbol must be a parameter of the model, p, r, an extent or coordinate of a grid, a
  /// factor_symbol(), or have a value in `costs`.
  static Result<Compiled> compile(const program::Model& model, std::span<const symbolic::Expression> outputs,
                                  const symbolic::Binding& costs);

  /// Returns whether every free symbol of an output has a value, so that compile() accepts it.
  static bool accepts(const program::Model& model, const symbolic::Expression& output,
                      const symbolic::Binding& costs);

  std::size_t outputs() const { return program_.output_count(); }
  /// Returns outputs() columns of stations.size() values; NaN where there is no value.
  std::vector<double> evaluate(std::span<const Station> stations) const;

 private:
  enum class Kind { constant, parameter, factor, processes, rank, extent, coordinate };
  struct Input {
    Kind kind = Kind::constant;
    double value = 0;  // constant
    std::size_t parameter = 0, segment = 0;
    std::size_t grid = 0, dimension = 0;
  };
  static double value_of(const Input& input, const Station& station);
  static bool classify(const program::Model& model, const symbolic::Expression& symbol,
                       const symbolic::Binding& costs, Input& input);

  Compiled(std::vector<Input> inputs, symbolic::FlatProgram program)
      : inputs_(std::move(inputs)), program_(std::move(program)) {}

  std::vector<Input> inputs_;
  symbolic::FlatProgram program_;
};

}  // namespace parcast::predict
