// SPDX-License-Identifier: Apache-2.0
#pragma once
// The checkerboard: an n x n matrix in r strips of rows and c strips of columns, with a block per process.
// Also the position of a process in the r x c grid. Entries are small integers, so that every order of
// additions gives the same sums.

#include <mpi.h>

#include <array>
#include <cstddef>
#include <vector>

namespace matmul {

/// Part `index` of [0, n) in `parts` strips; the first strips are one larger if the division has a remainder.
struct Strip {
  int begin, size;
  Strip(int n, int parts, int index);
  int end() const { return begin + size; }
};

/// Returns r x c = p with r <= c and r as close to the square root of p as possible; 1 x p for a prime p.
std::array<int, 2> grid_of(int p);

/// A block of a matrix, row by row.
struct Block {
  int first_row = 0, first_column = 0;  // in the complete matrix
  int rows = 0, columns = 0;
  std::vector<double> values;
  Block() = default;
  Block(Strip of_rows, Strip of_columns);
  double& at(int row, int column) { return values[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column)]; }
  double at(int row, int column) const { return values[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column)]; }
  double quantums() const { return static_cast<double>(values.size()); }
};

double entry_of_a(int row, int column);
double entry_of_b(int row, int column);

/// The position of this process: p(row, column) of r x c, and the rings of its row and of its column.
struct Place {
  int n, r, c, row, column;
  MPI_Comm in_row = MPI_COMM_NULL, in_column = MPI_COMM_NULL;
  Strip rows(int index) const { return {n, r, index}; }
  Strip columns(int index) const { return {n, c, index}; }
};

/// Return A(row, k) of the checkerboard, and B(l, column).
Block block_of_a(const Place& place, int k);
Block block_of_b(const Place& place, int l);

/// Computes into += a x b over the inner indices that both blocks hold; returns the number of multiply-add
/// operations.
double multiply_add(const Block& a, const Block& b, Block& into);

}  // namespace matmul
