// SPDX-License-Identifier: Apache-2.0
#pragma once
// The values of a model's symbols at given parameters, process count and rank: the process grid's extents follow
// MPI_Dims_create, the rank's coordinates its row-major numbering (MPI 3.1, sections 7.5.2 and 7.5.5).

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace parcast::program {

/// The symbols of a model's expressions. Extents have the kind of p, coordinates that of r.
symbolic::Expression parameter_symbol(std::string_view name);
symbolic::Expression processes_symbol();
symbolic::Expression rank_symbol();
symbolic::Expression extent_symbol(int dimensions, int dimension);      // g2_0
symbolic::Expression coordinate_symbol(int dimensions, int dimension);  // c2_0
/// Kinds of all symbols that may occur, for symbolic::parse.
std::map<std::string, symbolic::SymbolKind, std::less<>> symbol_kinds(const std::vector<Parameter>& parameters);

/// Where a question is asked: the problem's parameters and the process count.
struct Point {
  std::map<std::string, double> parameters;
  std::int32_t processes = 1;
};

/// Values of the model's parameters, in its order; NaN for those that the point lacks.
std::vector<double> ordered_parameters(const Model& model, const Point& point);

/// The extents that MPI_Dims_create(p, d) of Open MPI 4.1 and MPICH give: as close to each other as possible, descending.
std::vector<std::int32_t> balanced_dimensions(std::int32_t processes, int dimensions);

/// Values of all symbols for one rank. An error when a parameter of the model is missing, p < 1, or r is not in 0..p-1.
Result<symbolic::Binding> bind(const Model& model, const Point& point, std::int32_t rank);

/// Value of a count at a point for one rank: rounded for exact and ambiguous ones (they are whole numbers).
struct CountValue {
  double value = 0, low = 0, high = 0;
  Origin origin = Origin::unknown;
};
Result<CountValue> value_of(const Count& count, const symbolic::Binding& binding);

/// Predicted totals per rank, by call name, the counterpart of recording::count.
struct PredictedCounts {
  std::int32_t rank = 0;
  std::map<std::string, CountValue> calls;
  CountValue messages_sent, bytes_sent, collective_bytes;
};
Result<std::vector<PredictedCounts>> predict_counts(const Model& model, const Point& point);

}  // namespace parcast::program
