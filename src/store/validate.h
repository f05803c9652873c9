// SPDX-License-Identifier: Apache-2.0
#pragma once
// Compares predictions with later measurements. A prediction counts only if it was stored before the run that
// judges it was measured. A file of measurements that violates this is refused (docs/formats/store.md).
//
//   N,p,seconds,measured_at
//   1024,8,3.17,2026-11-21T09:12:40Z

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/csv.h"
#include "base/result.h"
#include "store/store.h"

namespace parcast::store {

struct ValidateOptions {
  bool published = false;  // the measurements are published data: their times are ignored
  std::string machine;     // only predictions for, and measurements on, this machine; empty: any
};

/// One point: the runs with the same program, machine, parameters and processes, and their prediction.
struct ValidatedPoint {
  std::string program, machine;
  std::map<std::string, double> parameters;
  std::int32_t processes = 0;
  std::string prediction, engine;         // digest, engine
  std::string predicted_at, measured_at;  // measured_at is that of the earliest run; empty if not given
  double predicted = 0, low = 0, high = 0, level = 0;
  double measured = 0, fastest = 0, slowest = 0;  // measured: median over the runs
  int runs = 0;
  double error = 0;  // (predicted - measured) / measured
  bool hit = false;  // the interval contains the median
};

/// Summary over points. Errors are fractions; p90 is the type-7 quantile.
struct ValidationSummary {
  std::string program;  // empty: all programs
  int points = 0, runs = 0;
  double median_error = 0, p90_error = 0, worst_error = 0;  // of |error|
  double mean_error = 0;                                    // signed
  double coverage = 0, level = 0;                           // share of hits; nominal level
  double width = 0;                                         // mean of (high - low) / measured
  double interval_score = 0;  // mean of (width + 2 / (1 - level) x distance outside) / measured
};

/// A measured point without a prediction.
struct Unanswered {
  std::string program, machine;
  std::map<std::string, double> parameters;
  std::int32_t processes = 0;
  int line = 0, runs = 0;
};

struct Validation {
  std::vector<ValidatedPoint> points;  // in the order of the file
  std::vector<Unanswered> unanswered;
  ValidationSummary all;
  std::vector<ValidationSummary> programs;  // sorted by name
  double mean_of_programs = 0;              // mean over programs of their median_error
  std::vector<std::string> notes;           // assumptions that the user may not expect
  bool published = false;
};

/// Reads the measurements in `csv`, keeps them in the store, and compares them with predictions. Columns: p
/// (or processes), seconds, measured_at (ISO 8601), optionally program, machine, nodes, ranks_per_node,
/// threads, and the parameters by name. If several predictions match a point, the last one stored before its
/// earliest run counts.
Result<Validation> validate(Store& store, const std::string& csv, const ValidateOptions& options);
Result<Validation> validate(Store& store, const Csv& csv, const ValidateOptions& options);

/// Returns the summary of some points; if their levels differ, the mean level is used.
ValidationSummary summarize(const std::vector<ValidatedPoint>& points, const std::string& program = "");

}  // namespace parcast::store
