// SPDX-License-Identifier: Apache-2.0
#include "cli/measurement_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "cli/first_bytes.h"
#include "cli/inputs.h"
#include "cli/interchange_answer.h"
#include "cli/opening_command.h"
#include "cli/output.h"
#include "cli/trace_inputs.h"
#include "interchange/recorded_measurements.h"
#include "observations/arguments.h"
#include "report/problems.h"
#include "report/words.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> listed_names(const std::optional<std::string>& list) {
  std::vector<std::string> names;
  if (!list) return names;
  for (const std::string& name : split(*list, ',')) names.emplace_back(trim(name));
  return names;
}

/// Returns the path if it is a recording, else the recordings in the folder, by name.
std::vector<std::string> recordings_at(const std::string& path) {
  if (kind_of(path) != "a folder") return {path};
  std::vector<std::string> found;
  std::error_code problem;
  for (fs::directory_iterator at(path, problem), end; !problem && at != end; at.increment(problem))
    if (kind_of(at->path()) == "a recording") found.push_back(at->path());
  std::ranges::sort(found);
  return found;
}

Result<LoadedMeasurements> from_recordings(const std::vector<std::string>& inputs) {
  std::vector<recording::Recording> recordings;
  std::vector<std::string> said;
  LoadedMeasurements loaded;
  for (const std::string& input : inputs) {
    const std::vector<std::string> paths = recordings_at(input);
    if (paths.empty())
      return Error{"no recording lies in the folder " + input, "", "parcast record makes NAME.recording"};
    for (const std::string& path : paths) {
      PARCAST_ASSIGN(auto recording, recording::read_recording(path));
      for (const auto& problem : report::problems_of(recording)) said.push_back(path + ": " + problem.text);
      loaded.partial |= !recording.losses.empty();
      recording::resolve_sites(recording);
      recordings.push_back(std::move(recording));
    }
  }
  for (const program::Notice& notice : program::take_arguments(recordings)) said.push_back(notice.text);
  PARCAST_ASSIGN(loaded.measured, interchange::measurements_of(recordings));
  auto& warnings = loaded.measured.warnings;
  warnings.insert(warnings.begin(), said.begin(), said.end());
  return loaded;
}

}  // namespace

const std::vector<Flag>& measurement_flags() {
  static const std::vector<Flag> flags{
      {"--parameters", 0, "A,B",
       "of CSV: columns that are parameters, or keys of the column `parameters` (default: numbers that "
       "vary); of a store: those that count"},
      {"--metrics", 0, "A,B",
       "of CSV: columns of measured values (default: by name: seconds, time, *_us, ...)"},
      {"--ranks", 0, "",
       "of tables: the values of a point are its ranks, not repetitions: their mean and largest are separate "
       "metrics"},
      {"--unit", 0, "UNIT", "unit of metrics whose name has none: s, us, B, ..."}};
  return flags;
}

interchange::MeasurementOptions measurement_options(const Invocation& invocation) {
  return {listed_names(invocation.value("--parameters")), listed_names(invocation.value("--metrics")),
          invocation.value("--unit").value_or(""), invocation.has("--ranks")};
}

bool holds_measurements(const std::string& path) {
  std::error_code problem;
  const std::string kind = kind_of(path);
  if (!fs::is_regular_file(path, problem) || path.ends_with(".otf2") ||
      (kind != "a text" && kind != "JSON") || trace_form_of(path) != TraceForm::nothing)
    return false;
  const std::string first = first_bytes(path, 1 << 16);
  const auto form = interchange::form_of_text(first);
  const std::string header = first.substr(0, first.find('\n'));
  return form && (*form != interchange::MeasurementForm::csv ||
                  header.find_first_of(",;\t") != std::string::npos || path.ends_with(".csv"));
}

Result<LoadedMeasurements> load_measurements(const std::vector<std::string>& inputs,
                                             const interchange::MeasurementOptions& options) {
  const auto is_folder = [](const std::string& input) {
    return kind_of(input) == "a recording" || kind_of(input) == "a folder";
  };
  if (std::ranges::all_of(inputs, is_folder)) {
    if (!options.parameters.empty() || !options.metrics.empty() || !options.unit.empty() || options.ranks)
      return Error{
          "--parameters, --metrics, --unit and --ranks are for tables, and recordings contain all that", "",
          "leave them out"};
    return from_recordings(inputs);
  }
  if (inputs.size() > 1)
    return Error{"one table of measured values is taken, or recordings of one program", "",
                 "put the tables together in one file"};
  PARCAST_ASSIGN(auto measured, interchange::read_measurements(inputs.front(), options));
  return LoadedMeasurements{std::move(measured), false};
}

int convert_measurements(const Invocation& invocation, const std::string& verb, const std::string& to,
                         interchange::MeasurementForm form, std::string_view format) {
  std::error_code problem;
  if (fs::exists(to, problem))
    return say_error({to + " exists already", "", "name another file with -o, or move it away"}), kFailed;
  const auto loaded = load_measurements(invocation.inputs, measurement_options(invocation));
  if (!loaded) return say_error(loaded.error()), kFailed;
  const fit::Measurements* measured = &loaded->measured;
  if (const auto written = interchange::write_measurements(*measured, to, form); !written)
    return say_error(written.error()), kFailed;
  if (invocation.json()) {
    print_result(measurements_to_json(*measured, verb, to, loaded->partial, opening_command(format, to)));
  } else {
    std::size_t points = 0;
    for (const fit::Kernel& kernel : measured->kernels) points = std::max(points, kernel.points.size());
    print_result(to + ": " + report::counted(static_cast<std::int64_t>(measured->kernels.size()), "kernel") +
                 " at up to " + report::counted(static_cast<std::int64_t>(points), "point") + " of " +
                 join(measured->parameters, ", ") + "\n" + (format.empty() ? "" : opening_line(format, to)));
  }
  for (const std::string& warning : measured->warnings) say_warning(invocation, {warning, "", ""});
  return loaded->partial ? kPartial : kAnswered;
}

}  // namespace parcast::cli
