// SPDX-License-Identifier: Apache-2.0
#include "cli/data.h"

#include <algorithm>

#include "cli/inputs.h"
#include "cli/output.h"
#include "observations/arguments.h"
#include "recording/recording_file.h"
#include "report/arrays_text.h"
#include "report/problems.h"

namespace parcast::cli {
namespace {

/// Fails on flags that belong to predictions and to measured runs.
Result<void> check_data_flags(const Invocation& invocation) {
  for (const char* flag :
       {"--machine", "--nodes", "--ranks-per-node", "--threads", "--level", "--limit", "--as", "--region",
        "--costs", "--candidate", "--view", "--output", "--recorded-on"})
    if (invocation.has(flag))
      return Error{std::string(flag) + " does not go with --data", "", "parcast explain --data RECORDING..."};
  return {};
}

struct Read {
  std::vector<recording::Recording> recordings;
  bool whole = true;
};

Result<Read> read(const Invocation& invocation) {
  Read out;
  for (const std::string& name : invocation.inputs) {
    const std::string path =
        kind_of(name).empty() && kind_of(name + ".recording") == "a recording" ? name + ".recording" : name;
    if (kind_of(path) != "a recording")
      return Error{"the arrays of a program are in its recordings", path,
                   "parcast explain --data with the recordings that the model was made of"};
    PARCAST_ASSIGN(recording::Recording recording, recording::read_recording(path));
    for (const auto& problem : report::problems_of(recording))
      say_warning(invocation, {problem.text, path, "the rest is used"});
    out.whole = out.whole && recording.losses.empty();
    out.recordings.push_back(std::move(recording));
  }
  for (const program::Notice& notice : program::take_arguments(out.recordings))
    say_warning(invocation, {notice.text, "", notice.hint});
  return out;
}

/// Returns the point of -p and -s. Parameters that are not given have the values of the largest recorded
/// run; without -p and -s there is no point.
std::optional<program::Point> point_asked(const Asked& asked, const program::ProgramArrays& arrays) {
  if (asked.processes == 0 && asked.parameters.empty()) return std::nullopt;
  program::Point point = arrays.largest;
  if (asked.processes > 0) point.processes = asked.processes;
  for (const auto& [name, value] : asked.parameters) point.parameters[name] = value;
  return point;
}

Result<void> check_names(const Asked& asked, const program::ProgramArrays& arrays) {
  for (const auto& [name, value] : asked.parameters)
    if (std::ranges::find(arrays.parameters, name) == arrays.parameters.end())
      return Error{
          "the recordings have no parameter " + name, "",
          arrays.parameters.empty() ? "they have none at all" : did_you_mean(name, arrays.parameters)};
  return {};
}

}  // namespace

int run_data(const Invocation& invocation) {
  if (const auto checked = check_data_flags(invocation); !checked) return say_error(checked.error()), kUsage;
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  const auto asked = asked_from(invocation);
  if (!asked) return say_error(asked.error()), kUsage;
  const auto recordings = read(invocation);
  if (!recordings) return say_error(recordings.error()), kFailed;
  const auto arrays = program::program_arrays(recordings->recordings);
  if (!arrays) return say_error(arrays.error()), kFailed;
  if (const auto checked = check_names(*asked, *arrays); !checked) return say_error(checked.error()), kUsage;
  const auto sized = report::sized(*arrays, point_asked(*asked, *arrays));
  if (!sized) return say_error(sized.error()), kFailed;
  print_result(invocation.json() ? report::arrays_to_json(*sized)
                                 : report::arrays_text(*sized, *look, invocation.has("--all")));
  return recordings->whole ? kAnswered : kPartial;
}

}  // namespace parcast::cli
