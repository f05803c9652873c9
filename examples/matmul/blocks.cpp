// SPDX-License-Identifier: Apache-2.0
#include "blocks.h"

#include <algorithm>

namespace matmul {
namespace {

Block filled(Strip rows, Strip columns, double (*entry)(int, int)) {
  Block block(rows, columns);
  for (int i = 0; i < block.rows; ++i)
    for (int j = 0; j < block.columns; ++j) block.at(i, j) = entry(rows.begin + i, columns.begin + j);
  return block;
}

}  // namespace

Strip::Strip(int n, int parts, int index)
    : begin(index * (n / parts) + std::min(index, n % parts)), size(n / parts + (index < n % parts)) {}

std::array<int, 2> grid_of(int p) {
  int r = 1;
  for (int i = 2; i * i <= p; ++i)
    if (p % i == 0) r = i;
  return {r, p / r};
}

Block::Block(Strip of_rows, Strip of_columns)
    : first_row(of_rows.begin), first_column(of_columns.begin), rows(of_rows.size), columns(of_columns.size),
      values(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns)) {}

double entry_of_a(int row, int column) { return (row * 7 + column * 3) % 11 - 5; }
double entry_of_b(int row, int column) { return (row * 5 + column * 2) % 13 - 6; }

Block block_of_a(const Place& place, int k) { return filled(place.rows(place.row), place.columns(k), entry_of_a); }
Block block_of_b(const Place& place, int l) { return filled(place.rows(l), place.columns(place.column), entry_of_b); }

double multiply_add(const Block& a, const Block& b, Block& into) {
  const int begin = std::max(a.first_column, b.first_row);
  const int end = std::min(a.first_column + a.columns, b.first_row + b.rows);
  for (int i = 0; i < a.rows; ++i)
    for (int k = begin; k < end; ++k) {
      const double factor = a.at(i, k - a.first_column);
      for (int j = 0; j < b.columns; ++j) into.at(i, j) += factor * b.at(k - b.first_row, j);
    }
  return static_cast<double>(a.rows) * std::max(0, end - begin) * b.columns;
}

}  // namespace matmul
