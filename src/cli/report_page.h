// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a report has besides its answer. `parcast report` and `parcast study` make the same page.

#include <functional>
#include <string>
#include <vector>

#include "predict/prediction.h"
#include "report/html/report.h"

namespace parcast::cli {

/// Called with the fraction that is done.
using ShowDone = std::function<void(double)>;

/// Adds the lines of source files in `folders` to which the regions refer.
void find_sources(const std::vector<std::string>& folders, report::html::Report& report);

/// Adds charts over `processes`, the closed form for sliders, who sends to whom, and lines of source files in
/// `folders`. The report has its model, machine, prediction and explanation. What cannot be made becomes a
/// remark in the report.
void complete_report(report::html::Report& report, const predict::Engine& engine,
                     const std::vector<std::int32_t>& processes, const std::vector<std::string>& folders,
                     const ShowDone& show);

}  // namespace parcast::cli
