// SPDX-License-Identifier: Apache-2.0
#pragma once
// Several expressions compiled to one flat program for evaluation at very many points: common parts are computed once,
// no allocation and no look-up per point. Points go through in tiles that stay in the nearest cache, one instruction
// over a whole tile at a time. The results are the doubles that evaluate() gives, bit for bit.

#include <cstddef>
#include <memory>
#include <span>

#include "symbolic/expression.h"

namespace parcast::symbolic {

class FlatProgram {
 public:
  /// `inputs` are symbols in the order in which points list their values; every free symbol must be among them.
  static Result<FlatProgram> compile(std::span<const Expression> outputs, std::span<const Expression> inputs);

  std::size_t input_count() const;
  std::size_t output_count() const;
  std::size_t instruction_count() const;

  /// `points`: input_count() columns of `count` values each, column after column. `results`: output_count() columns
  /// alike. A value that does not exist (wherever evaluate() gives an error) is NaN. Safe from several threads at once.
  void evaluate(std::span<const double> points, std::size_t count, std::span<double> results) const;

 private:
  struct Code;
  friend struct ProgramCompiler;
  explicit FlatProgram(std::shared_ptr<const Code> code) : code_(std::move(code)) {}
  std::shared_ptr<const Code> code_;
};

}  // namespace parcast::symbolic
