// SPDX-License-Identifier: Apache-2.0
#pragma once
// Measured values as input of verbs: one table (CSV, or a file of Extra-P), or recordings of one program.

#include <string>
#include <string_view>
#include <vector>

#include "cli/verb.h"
#include "fit/measurements.h"
#include "interchange/measurements.h"

namespace parcast::cli {

/// --parameters, --metrics, --unit, --ranks: how to read a CSV file.
const std::vector<Flag>& measurement_flags();
interchange::MeasurementOptions measurement_options(const Invocation& invocation);

/// Returns whether the content of a file is a table of measured values. A CSV with only one column is not.
bool holds_measurements(const std::string& path);

struct LoadedMeasurements {
  fit::Measurements measured;  // its warnings name what is damaged
  bool partial = false;        // whether a recording is damaged
};

/// Reads one table; or recordings, and folders that contain recordings, all of one program. The options apply
/// to tables (only the unit to files of Extra-P). They are an error for recordings.
Result<LoadedMeasurements> load_measurements(const std::vector<std::string>& inputs,
                                             const interchange::MeasurementOptions& options);

/// Reads the inputs, writes them to `to` in that form (the name must be free), and prints the answer of the
/// verb "import" or "export". `format`: a name of --format, by which the answer names the command that opens
/// the file; empty: it names none.
int convert_measurements(const Invocation& invocation, const std::string& verb, const std::string& to,
                         interchange::MeasurementForm form, std::string_view format = {});

}  // namespace parcast::cli
