// SPDX-License-Identifier: Apache-2.0
#pragma once
// `parcast compare` of models: which of several programs that do the same is the fastest, at a point or over a sweep.

#include <string>

#include "cli/verb.h"
#include "report/style.h"

namespace parcast::cli {

/// Whether a name stands for a model: NAME.model.json, NAME.program, or NAME of one of them.
bool names_model(const std::string& name);

/// The exit code.
int compare_variants(const Invocation& invocation, const report::Style& style);

}  // namespace parcast::cli
