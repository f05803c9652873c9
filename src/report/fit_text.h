// SPDX-License-Identifier: Apache-2.0
#pragma once
// The output of `parcast fit`: a table per metric, the longest first, as CSV, and as JSON
// (docs/formats/report.md).
//
//   time at p = 1024           interval (90 %)   off by  found   formula
//   main->solve        41.3 s     37.0 .. 46.8    2.1 %  fitted  0.21 + 3.02e-8 n^2 p^-1

#include <string>

#include "fit/fit.h"
#include "report/style.h"

namespace parcast::report {

/// Returns the tables. Without `all`: the ten kernels of each metric that are largest at the last prediction.
std::string fit_text(const fit::Fits& fits, const Style& style, bool all);
/// Returns a line per kernel and prediction: callpath, metric, unit, a column per parameter, value, low,
/// high, level, origin, cross_validation_error, expression.
std::string fit_csv(const fit::Fits& fits);
/// Returns the fits as parcast.fit/1.
std::string fit_to_json(const fit::Fits& fits);

}  // namespace parcast::report
