// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the verbs that answer with many points give them: a table, CSV or JSON on stdout, or a file.

#include <vector>

#include "base/result.h"
#include "cli/verb.h"
#include "cli/vary.h"
#include "predict/prediction.h"
#include "report/style.h"

namespace parcast::cli {

/// --output and --csv.
const std::vector<Flag>& sweep_answer_flags();

/// Flags that contradict each other.
Result<void> check_sweep_answer(const Invocation& invocation);

/// -o writes a file; --json and --csv print, also beside it. The exit code.
int deliver_sweep(const Invocation& invocation, const std::vector<predict::Prediction>& points, const report::Style& style);

}  // namespace parcast::cli
