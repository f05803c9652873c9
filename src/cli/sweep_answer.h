// SPDX-License-Identifier: Apache-2.0
#pragma once
// The output of the verbs that answer with many points: a table, CSV or JSON on stdout, or a file.

#include <string>
#include <vector>

#include "base/result.h"
#include "base/vary.h"
#include "cli/verb.h"
#include "explain/selection.h"
#include "predict/prediction.h"
#include "report/style.h"

namespace parcast::cli {

/// Returns the flags --output, --csv and --contour.
const std::vector<Flag>& sweep_answer_flags();

/// Fails if flags contradict each other.
Result<void> check_sweep_answer(const Invocation& invocation);

/// Returns the requested SVG: curves, or contours over the two parameters that vary.
std::string picture(const Invocation& invocation, const std::vector<predict::Prediction>& points);

/// Returns the name of NAME=VALUES.
inline std::string varied_name(const std::string& word) {
  return word.substr(0, word.find('='));
}

/// Writes the file of -o, prints for --json and --csv (also if both -o and one of them is given), and returns
/// the exit code. `standings`: for points on several machines.
int deliver_sweep(const Invocation& invocation, const std::vector<predict::Prediction>& points,
                  const report::Style& style, const explain::Standings& standings = {});

}  // namespace parcast::cli
