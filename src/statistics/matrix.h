// SPDX-License-Identifier: Apache-2.0
#pragma once
// A dense row-major matrix of doubles, used for designs and covariances.

#include <cstddef>
#include <span>
#include <vector>

namespace parcast::statistics {

struct Matrix {
  Matrix() = default;
  Matrix(std::size_t row_count, std::size_t column_count)
      : rows(row_count), columns(column_count), values(row_count * column_count) {}

  double& operator()(std::size_t row, std::size_t column) { return values[row * columns + column]; }
  double operator()(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
  std::span<const double> row(std::size_t index) const {
    return std::span(values).subspan(index * columns, columns);
  }

  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values;
};

}  // namespace parcast::statistics
