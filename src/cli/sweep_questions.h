// SPDX-License-Identifier: Apache-2.0
#pragma once
// The questions of a sweep: the values of -p, -s and similar flags, the variations of --vary, and the
// formulas of --scale.

#include <map>
#include <string>
#include <vector>

#include "base/vary.h"
#include "cli/inputs.h"
#include "symbolic/expression.h"

namespace parcast::cli {

/// "N=64*cbrt(p)": a parameter that is computed from the others at every point (weak scaling).
struct Scale {
  std::string name;
  symbolic::Expression value;
  bool whole = true;  // rounded, if all recorded values of the parameter are integers
};

struct SweepAsked {
  Asked base;
  std::vector<Variation> variations;
  std::vector<Scale> scales;
};
/// Returns the invocation with lists of -p and -s as variations: "-p 1,2,4" is "--vary p=1,2,4".
Invocation with_lists_varied(Invocation given);

/// Reads the flags. Fails if a parameter is given twice, or if --scale names a parameter that the model does
/// not have.
Result<SweepAsked> sweep_asked(const Invocation& invocation, const program::Model& model);

/// Returns the question at a point with these values of the varied parameters.
Result<predict::Question> question_at(const SweepAsked& asked, const std::map<std::string, double>& varied,
                                      const program::Model& model);

/// Returns the flags --vary, --scale and --engine.
const std::vector<Flag>& sweep_question_flags();

}  // namespace parcast::cli
