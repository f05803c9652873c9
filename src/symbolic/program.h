// SPDX-License-Identifier: Apache-2.0
#pragma once
// Several expressions compiled to one flat program for evaluation at very many points. Common parts are
// computed once, without allocation or look-up per point. Points are processed in tiles that fit in the
// first-level cache, one instruction per tile at a time. The results are bit for bit the doubles of
// evaluate().

#include <cstddef>
#include <memory>
#include <span>

#include "symbolic/expression.h"

namespace parcast::symbolic {

class FlatProgram {
 public:
  /// `inputs` are the symbols in the order of a point's values; they must include every free symbol.
  static Result<FlatProgram> compile(std::span<const Expression> outputs, std::span<const Expression> inputs);

  std::size_t input_count() const;
  std::size_t output_count() const;
  std::size_t instruction_count() const;

  /// `points`: input_count() columns of `count` values each, column after column. `results`: output_count()
  /// columns in the same layout. A value that does not exist (wherever evaluate() gives an error) is NaN.
  /// Safe for concurrent calls.
  void evaluate(std::span<const double> points, std::size_t count, std::span<double> results) const;

 private:
  struct Code;
  friend struct ProgramCompiler;
  explicit FlatProgram(std::shared_ptr<const Code> code) : code_(std::move(code)) {}
  std::shared_ptr<const Code> code_;
};

}  // namespace parcast::symbolic
