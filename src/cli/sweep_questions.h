// SPDX-License-Identifier: Apache-2.0
#pragma once
// The questions of a sweep: what -p, -s and the like say, what --vary varies, and what --scale lets follow.

#include <map>
#include <string>
#include <vector>

#include "cli/inputs.h"
#include "cli/vary.h"
#include "symbolic/expression.h"

namespace parcast::cli {

/// "N=64*cbrt(p)": a parameter that follows from the others at every point (weak scaling).
struct Scale {
  std::string name;
  symbolic::Expression value;
  bool whole = true;  // as all recorded values of the parameter are: rounded
};

struct SweepAsked {
  Asked base;
  std::vector<Variation> variations;
  std::vector<Scale> scales;
};
/// An error for what is given twice, or scales what the model does not have.
Result<SweepAsked> sweep_asked(const Invocation& invocation, const program::Model& model);

/// With these values of what varies.
Result<predict::Question> question_at(const SweepAsked& asked, const std::map<std::string, double>& varied, const program::Model& model);

/// --vary, --scale and --engine.
const std::vector<Flag>& sweep_question_flags();

}  // namespace parcast::cli
