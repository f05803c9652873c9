// SPDX-License-Identifier: Apache-2.0
#pragma once
// Measured values in files: CSV, and Extra-P's text, JSON and JSON lines (docs/formats/measurements.md). What a file holds
// decides its form, not its name.
//
//   application,processes,threads,parameters,repetition,seconds         PARAMETER p n
//   lulesh,8,1,size=30,1,12.4                                           POINTS (8 30) (27 30)
//   lulesh,8,1,size=30,2,12.6                                           REGION main->solve
//   lulesh,27,1,size=30,1,13.1                                          METRIC time
//                                                                       DATA 12.4 12.6
//
// What is read is in one order: kernels by the first appearance of their call path, then of their metric; points ascending,
// the first parameter first; repetitions as in the file. A parameter may have one value only. A kernel need not have every
// point of another. Values are as written, in the kernel's unit.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fit/measurements.h"

namespace parcast::interchange {

struct MeasurementOptions {
  std::vector<std::string> parameters;  // of CSV: columns, or keys of its column `parameters`, in this order; empty: found
  std::vector<std::string> metrics;     // of CSV: columns that hold measured values; empty: known by their names
  std::string unit;                     // of metrics that tell none: "s", "us", "B", ...; empty: not told
  bool ranks = false;                   // the values of a point are those of one run's ranks, not repetitions
};

enum class MeasurementForm { csv, extrap_text, extrap_json, extrap_json_lines };

/// The form of files that end so: .csv, .txt, .json, .jsonl.
std::optional<MeasurementForm> form_of_name(std::string_view path);

/// The form of a text; nothing of what is none of them for sure. Most texts are taken for CSV.
std::optional<MeasurementForm> form_of_text(std::string_view text);

/// Errors name the line. What was left out or assumed stands in `warnings`, with the line of the first case. What comes back
/// has passed check() and holds at least one value.
Result<fit::Measurements> read_measurements(const std::string& path, const MeasurementOptions& options);
/// The same of a text; errors call it `where`.
Result<fit::Measurements> measurements_from(std::string_view text, const std::string& where, const MeasurementOptions& options);

/// Replaces the file. Fails when the form cannot hold them: a point without values in Extra-P's text form, a name that a form
/// would read back as another one. What is read back is equal but for the order above, and for `warnings`.
Result<void> write_measurements(const fit::Measurements& measurements, const std::string& path, MeasurementForm form);
/// The text of such a file.
Result<std::string> measurements_to(const fit::Measurements& measurements, MeasurementForm form);

/// Whether sizes agree: as many columns as parameters in each point, values for each point, all finite; each name once and not
/// empty, each point once in a kernel, each metric in one unit; UTF-8 throughout.
Result<void> check(const fit::Measurements& measurements);

}  // namespace parcast::interchange
