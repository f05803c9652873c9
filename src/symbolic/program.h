// SPDX-License-Identifier: Apache-2.0
#pragma once
// Several expressions compiled to one flat program for evaluation at very many points: common parts are computed once,
// no allocation and no look-up per point.

#include <span>
#include <string>
#include <vector>

#include "symbolic/expression.h"

namespace parcast::symbolic {

class FlatProgram {
 public:
  /// `inputs` are symbols in the order in which points list their values; every free symbol must be among them.
  static Result<FlatProgram> compile(std::span<const Expression> outputs, std::span<const Expression> inputs);

  std::size_t input_count() const;
  std::size_t output_count() const;

  /// `points`: input_count() columns of `count` values each, column after column. `results`: output_count() columns
  /// alike. A value that does not exist (division by zero, logarithm of a value <= 0) is NaN.
  void evaluate(std::span<const double> points, std::size_t count, std::span<double> results) const;

  struct Instruction;

 private:
  std::vector<Instruction> instructions_;
  std::vector<std::uint32_t> outputs_;
  std::size_t inputs_ = 0;
  std::size_t registers_ = 0;
};

}  // namespace parcast::symbolic
