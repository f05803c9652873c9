// SPDX-License-Identifier: Apache-2.0
#pragma once
// The output of verbs for a point that has no time: the run would deadlock there, or no engine has an answer.

#include <string>

#include "cli/verb.h"
#include "predict/prediction.h"
#include "report/style.h"

namespace parcast::cli {

/// Prints which ranks wait in which calls for which ranks, as text or JSON. Returns the exit code 4.
int deliver_hang(const Invocation& invocation, const predict::Prediction& prediction,
                 const report::Style& style);

/// Returns e.g. "p = 2, N = 100000".
std::string point_text(const predict::Question& question);

/// Returns e.g. "at p = 2, N = 100000 the run would hang".
std::string hang_sentence(const predict::Prediction& prediction);

}  // namespace parcast::cli
