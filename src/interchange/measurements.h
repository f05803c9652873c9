// SPDX-License-Identifier: Apache-2.0
#pragma once
// Measured values in files: CSV, and Extra-P's text, JSON and JSON lines (docs/formats/measurements.md). The
// form is recognised from the content of a file, not from its name.
//
//   application,processes,threads,parameters,repetition,seconds         PARAMETER p n
//   lulesh,8,1,size=30,1,12.4                                           POINTS (8 30) (27 30)
//   lulesh,8,1,size=30,2,12.6                                           REGION main->solve
//   lulesh,27,1,size=30,1,13.1                                          METRIC time
//                                                                       DATA 12.4 12.6
//
// The measurements are returned in a fixed order: kernels by the first appearance of their call path, then of
// their metric; points ascending, the first parameter first; repetitions as in the file. A parameter may have
// only one value. Kernels may have different points. Values are as written, in the unit of the kernel.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fit/measurements.h"

namespace parcast::interchange {

struct MeasurementOptions {
  // CSV only: columns, or keys of the column `parameters`, in this order; empty: detected
  std::vector<std::string> parameters;
  // CSV only: columns that hold measured values; empty: recognised by their names
  std::vector<std::string> metrics;
  std::string unit;  // unit of metrics without one: "s", "us", "B", ...; empty: unknown
  // the values of a point belong to the ranks of one run, they are not repetitions
  bool ranks = false;
};

enum class MeasurementForm { csv, extrap_text, extrap_json, extrap_json_lines };

/// Returns the form for the extension of a name: .csv, .txt, .json, .jsonl.
std::optional<MeasurementForm> form_of_name(std::string_view path);

/// Returns the form of a text, and nothing for a text that certainly has none of these forms. Most texts are
/// taken as CSV.
std::optional<MeasurementForm> form_of_text(std::string_view text);

/// Errors name the line. `warnings` lists what was left out or assumed, with the line of the first case. The
/// result has passed check() and holds at least one value.
Result<fit::Measurements> read_measurements(const std::string& path, const MeasurementOptions& options);
/// The same for a text; errors give `where` as its name.
Result<fit::Measurements> measurements_from(std::string_view text, const std::string& where,
                                            const MeasurementOptions& options);

/// Writes the measurements and replaces the file. Fails if the form cannot hold them: for example a point
/// without values in Extra-P's text form, or a name that would be read back as another one. Reading the file
/// returns equal measurements, except for their order (see above) and `warnings`.
Result<void> write_measurements(const fit::Measurements& measurements, const std::string& path,
                                MeasurementForm form);
/// Returns the text of such a file.
Result<std::string> measurements_to(const fit::Measurements& measurements, MeasurementForm form);

/// Checks the measurements: each point has as many columns as there are parameters, each point has values,
/// all numbers are finite. Each name is unique and not empty, each point occurs once in a kernel, each metric
/// has one unit, all texts are UTF-8.
Result<void> check(const fit::Measurements& measurements);

}  // namespace parcast::interchange
