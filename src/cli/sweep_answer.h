// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the verbs that answer with many points give them: a table, CSV or JSON on stdout, or a file.

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/verb.h"
#include "cli/vary.h"
#include "explain/selection.h"
#include "predict/prediction.h"
#include "report/style.h"

namespace parcast::cli {

/// --output, --csv and --contour.
const std::vector<Flag>& sweep_answer_flags();

/// Flags that contradict each other.
Result<void> check_sweep_answer(const Invocation& invocation);

/// The SVG that is asked for: curves, or contours over the two parameters that vary.
std::string picture(const Invocation& invocation, const std::vector<predict::Prediction>& points);

/// -o writes a file; --json and --csv print, also beside it. `standings`: of points on several machines. The exit code.
int deliver_sweep(const Invocation& invocation, const std::vector<predict::Prediction>& points, const report::Style& style, const explain::Standings& standings = {});

}  // namespace parcast::cli
