// SPDX-License-Identifier: Apache-2.0
#pragma once
// The equation of a prediction in another language (Clement, Quinn 1997, section 2: for a computer algebra
// system).

#include <string>

#include "base/result.h"
#include "explain/explain.h"
#include "symbolic/languages.h"

namespace parcast::report {

/// Returns a definition for each call and segment of computing, the largest first, and `total`, their sum:
/// seconds, as functions of the problem's parameters, p and machine costs. The comments before them contain
/// the prediction's warnings; the last one gives the values of the question and the total there. `region`:
/// only the terms of this part of the program, by its path; fails if there are none.
Result<std::string> equation_in(const explain::Explanation& explanation, symbolic::Language language,
                                const std::string& region = {});

}  // namespace parcast::report
