// SPDX-License-Identifier: Apache-2.0
#pragma once
// The building blocks of counts: products of powers of the parameters with functions of the process count,
// the process grid and the rank. An example is the number of rows of rank r in a block or cyclic
// distribution. Each has a value at a place in whole numbers, an expression, and a description length in
// bits. docs/models/counts.md lists them.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/place.h"
#include "symbolic/expression.h"

namespace parcast::program {

/// The axis of a distribution: all ranks (dimensions = 0), or one dimension of a process grid. Ranks are
/// numbered along the last dimension first, as in MPI's topologies, or along the first one first.
struct Axis {
  int dimensions = 0;
  int dimension = 0;
  bool first_fastest = false;
  bool operator==(const Axis&) const = default;
};

/// One function of (n, p, r). `n` is the parameter plus `offset`, P and c are the axis' extent and
/// coordinate.
struct Factor {
  enum class Kind {
    extent,      // P
    floor_log2,  // floor(log2 P)
    ceil_log2,   // ceil(log2 P)
    several,     // 1 if P > 1
    divided,     // number of dimensions of the axis' grid with P >= divisor
    neighbours,  // number of neighbours in the axis' grid, which has ends
    coordinate,  // c
    first,
    not_first,  // 1 if c = 0; 1 if c > 0
    second,     // 1 if c = 1: the rank that answers a host for all nodes
    last,
    not_last,  // 1 if c = P - 1; 1 if c < P - 1
    odd,
    even,  // c mod 2; 1 - c mod 2
    // floor((n + P - 1 - c) / P): indices k < n with k mod P = c; also a block distribution whose first parts
    // get the remainder
    block_cyclic,
    block_even,      // floor((c + 1) n / P) - floor(c n / P)
    block_ceil,      // min(ceil(n / P), max(0, n - c ceil(n / P)))
    block_last,      // floor(n / P); the last part also gets the remainder
    quotient_floor,  // floor(n / P)
    quotient_ceil,   // ceil(n / P)
    remainder,       // n mod P
    index_sum,       // sum of the indices k < n with k mod P = c
    smaller,         // min(n, P)
    fixed_floor,     // floor(n / divisor)
    fixed_ceil,      // ceil(n / divisor)
    ratio_floor,     // floor(n / m), m the parameter `by`: outputs of every m-th step
    ratio_ceil,      // ceil(n / m)
    root,            // n^(1 / divisor), if whole
    levels_floor,    // floor(log2 n)
    levels_ceil,     // ceil(log2 n)
    tree_children,   // children of c in a binomial tree rooted at 0
  };
  Kind kind = Kind::extent;
  Axis axis{};
  int parameter = -1;
  int offset = 0;  // added to the parameter
  int shift = 0;   // the neighbour's coordinate: (c + shift) mod P
  int divisor = 0;
  int by = -1;  // a second parameter

  bool operator==(const Factor&) const = default;
};

struct Feature {
  std::vector<int> degrees{};  // power of each parameter
  std::vector<Factor> factors{};
  double bits = 0;
  bool uses_rank = false;

  // Returns whether the feature depends on a variable: a parameter's index, or the number of parameters for
  // p.
  bool involves(std::size_t variable) const;
  /// Returns a name of the part that depends on the variable: terms with equal parts need one value of it
  /// together.
  std::string part_of(std::size_t variable) const;
};

bool depends_on_rank(Factor::Kind kind);
bool takes_parameter(Factor::Kind kind);
/// Returns whether it is the part of a parameter that one process has.
bool is_block(Factor::Kind kind);

/// Return the value, or nothing if it overflows or is not a whole number.
std::optional<std::int64_t> value_at(const Factor& factor, const Place& place);
std::optional<std::int64_t> value_at(const Feature& feature, const Place& place);

symbolic::Expression expression_of(const Feature& feature, const std::vector<std::string>& parameters);

/// Returns every feature that may occur in a count of this design, cheapest first. Parameters that never
/// varied or are not whole numbers are left out. Without `with_rank` none depends on the rank.
std::vector<Feature> make_features(const Design& design, bool with_rank);

}  // namespace parcast::program
