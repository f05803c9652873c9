// SPDX-License-Identifier: Apache-2.0
#pragma once
// Measured values as verbs take them: one table (CSV, or a file of Extra-P), or recordings of one program.

#include <string>
#include <string_view>
#include <vector>

#include "cli/verb.h"
#include "fit/measurements.h"
#include "interchange/measurements.h"

namespace parcast::cli {

/// --parameters, --metrics, --unit, --ranks: how a CSV file is read, and what they say.
const std::vector<Flag>& measurement_flags();
interchange::MeasurementOptions measurement_options(const Invocation& invocation);

/// Whether a file is a table of measured values by what it holds; CSV with one column alone is not.
bool holds_measurements(const std::string& path);

struct LoadedMeasurements {
  fit::Measurements measured;  // what is damaged stands in its warnings
  bool partial = false;        // a recording is
};

/// Of one table; of recordings, or folders that recordings lie in, which are then of one program. Options are for tables, the
/// unit alone for those of Extra-P; for recordings there are none.
Result<LoadedMeasurements> load_measurements(const std::vector<std::string>& inputs, const interchange::MeasurementOptions& options);

/// Reads the inputs, writes them as `to` in that form (the name must be free), and answers for the verb "import" or "export".
/// `format`: a name of --format, by which the answer says how to open the file; empty: it does not.
int convert_measurements(const Invocation& invocation, const std::string& verb, const std::string& to, interchange::MeasurementForm form,
                         std::string_view format = {});

}  // namespace parcast::cli
