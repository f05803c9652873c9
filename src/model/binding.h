// SPDX-License-Identifier: Apache-2.0
#pragma once
// The values of a model's symbols at given parameters, process count and rank. Extents of the process grid
// follow MPI_Dims_create; coordinates of a rank follow its row-major numbering (MPI 3.1, sections 7.5.2 and
// 7.5.5).

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace parcast::program {

/// Return the symbols of a model's expressions. Extents have the kind of p, coordinates that of r.
symbolic::Expression parameter_symbol(std::string_view name);
symbolic::Expression processes_symbol();
symbolic::Expression rank_symbol();
symbolic::Expression extent_symbol(int dimensions, int dimension);      // g2_0
symbolic::Expression coordinate_symbol(int dimensions, int dimension);  // c2_0
/// Returns the kinds of all symbols that may occur, for symbolic::parse.
std::map<std::string, symbolic::SymbolKind, std::less<>> symbol_kinds(
    const std::vector<Parameter>& parameters);

/// The parameters of the problem and the process count of a run or a prediction.
struct Point {
  std::map<std::string, double> parameters;
  std::int32_t processes = 1;
};

/// Returns the values of the model's parameters, in its order; NaN for those that the point lacks.
std::vector<double> ordered_parameters(const Model& model, const Point& point);

/// Returns the extents of MPI_Dims_create(p, d) in Open MPI 4.1 and MPICH: as close to each other as
/// possible, in descending order.
std::vector<std::int32_t> balanced_dimensions(std::int32_t processes, int dimensions);

/// Returns the values of all symbols for one rank. Returns an error if a parameter of the model is missing, p
/// < 1, or r is not in 0..p-1.
Result<symbolic::Binding> bind(const Model& model, const Point& point, std::int32_t rank);

/// The value of a count at a point for one rank. Exact and ambiguous counts are whole numbers, so their
/// values are rounded.
struct CountValue {
  double value = 0, low = 0, high = 0;
  Origin origin = Origin::unknown;
};
Result<CountValue> value_of(const Count& count, const symbolic::Binding& binding);

/// Predicted totals of one rank, by call name: the counterpart of recording::count.
struct PredictedCounts {
  std::int32_t rank = 0;
  std::map<std::string, CountValue> calls;
  CountValue messages_sent, bytes_sent, collective_bytes;
};
Result<std::vector<PredictedCounts>> predict_counts(const Model& model, const Point& point);

}  // namespace parcast::program
