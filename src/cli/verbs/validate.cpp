// SPDX-License-Identifier: Apache-2.0
#include "store/validate.h"

#include <algorithm>
#include <set>

#include "base/csv.h"
#include "base/shell.h"
#include "base/text.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/remember.h"
#include "cli/verbs.h"
#include "observations/arguments.h"
#include "observations/inputs.h"
#include "recording/recording.h"
#include "report/json.h"
#include "report/validation_text.h"

namespace parcast::cli {
namespace {

/// Returns recordings as rows of RUNS.csv. Their time is that from MPI_Init's return to MPI_Finalize's entry,
/// on the slowest rank, as predictions are.
Result<Csv> rows_of(const std::vector<std::string>& paths) {
  std::vector<recording::Recording> recordings;
  for (const std::string& path : paths) {
    if (kind_of(path) != "a recording")
      return Error{"it is no recording", path, "give recordings, or one table of measured runs"};
    PARCAST_ASSIGN(recording::Recording recording, recording::read_recording(path));
    if (program::is_damaged(recording) || program::has_failed(recording))
      return Error{"the run did not end as it should, so its time measures nothing", path, "record it again"};
    recordings.push_back(std::move(recording));
  }
  program::take_arguments(recordings);
  std::set<std::string> names;
  for (const recording::Recording& each : recordings)
    for (const auto& [name, value] : each.parameters) names.insert(name);
  Csv out{join(paths, " "), {"program", "p", "seconds", "measured_at"}, {}};
  out.columns.insert(out.columns.end(), names.begin(), names.end());
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    const recording::Recording& each = recordings[i];
    std::int64_t wall = 0;
    for (const recording::RankRecording& rank : each.ranks) wall = std::max(wall, rank.wall);
    CsvRow row{static_cast<int>(i + 1),
               {each.program, std::to_string(each.processes), format_exact(1e-9 * static_cast<double>(wall)),
                each.started}};
    for (const std::string& name : names) {
      const auto value = each.parameters.find(name);
      if (value == each.parameters.end())
        return Error{"the recording has no parameter " + name, paths[i],
                     "record it with --param " + shell_quoted(name) + "=..."};
      row.fields.push_back(format_exact(value->second));
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

Result<store::Validation> validation_of(const std::vector<std::string>& inputs, store::Store& store,
                                        const store::ValidateOptions& options) {
  if (kind_of(inputs[0]) == "a folder")
    return Error{"it is a folder", inputs[0],
                 "give a table of measured runs, or recordings: FOLDER/*.recording"};
  if (inputs.size() == 1 && kind_of(inputs[0]) != "a recording")
    return store::validate(store, inputs[0], options);
  PARCAST_ASSIGN(const Csv rows, rows_of(inputs));
  return store::validate(store, rows, options);
}

int run_validate(const Invocation& invocation) {
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  auto store = store::Store::open(store_url(invocation));
  if (!store) return say_error(store.error()), kFailed;
  store::ValidateOptions options;
  options.published = invocation.has("--published");
  if (const auto machine = invocation.value("--machine")) options.machine = *machine;
  const auto validation = validation_of(invocation.inputs, *store, options);
  if (!validation) return say_error(validation.error()), kFailed;
  print_result(invocation.json() ? report::validation_to_json(*validation)
                                 : report::validation_text(*validation, *look));
  return kAnswered;
}

}  // namespace

const Verb& validate_verb() {
  static const Verb verb{
      .name = "validate",
      .summary = "compare predictions stored before with measurements made later",
      .inputs = "RUNS.csv | R.recording...",
      .fewest_inputs = 1,
      .most_inputs = 100000,
      .flags = {{"--machine", 'm', "X", "only predictions for this machine"},
                {"--published", 0, "",
                 "the measurements are published data: accept them although they are older"},
                store_flag()},
      .examples = {"parcast validate runs.csv", "parcast validate lmp-7.recording lmp-8.recording -m here",
                   "parcast validate runs.csv -m here --json", "parcast validate literature.csv --published"},
      .notes = {"RUNS.csv has a header line and a line per run; its columns, in any order:",
                "  p or processes               number of processes",
                "  seconds                      measured time",
                "  measured_at                  2026-11-21T08:35:47Z; may be left out with --published",
                "  a parameter's name, e.g. N   its value",
                "  program, machine             where stored predictions of several would answer",
                "  nodes, ranks_per_node, threads"},
      .run = run_validate};
  return verb;
}

}  // namespace parcast::cli
