// SPDX-License-Identifier: Apache-2.0
#pragma once
// `parcast compare` of models: finds the fastest of several programs that solve the same problem, at a point
// or over a sweep.

#include <string>

#include "cli/verb.h"
#include "report/style.h"

namespace parcast::cli {

/// Returns whether a name refers to a model: NAME.model.json, NAME.program, or NAME of one of them.
bool names_model(const std::string& name);

/// Runs the comparison and returns the exit code.
int compare_variants(const Invocation& invocation, const report::Style& style);

}  // namespace parcast::cli
