// SPDX-License-Identifier: Apache-2.0
#include "cli/why.h"

#include <algorithm>
#include <array>

#include "base/files.h"
#include "base/text.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/runs_table.h"
#include "report/causes_text.h"

namespace parcast::cli {
namespace {

struct ViewName {
  const char* name;
  report::View view;
};
constexpr std::array<ViewName, 4> kViews{{{"time", report::View::time},
                                          {"overhead", report::View::overhead},
                                          {"functional", report::View::functional},
                                          {"causal", report::View::causal}}};

bool matches(const causes::Run& run, const Asked& asked) {
  if (asked.processes != 0 && run.processes != asked.processes) return false;
  return std::all_of(asked.parameters.begin(), asked.parameters.end(), [&](const auto& parameter) {
    const auto at = run.parameters.find(parameter.first);
    return at != run.parameters.end() && at->second == parameter.second;
  });
}

Result<void> check_names(const causes::Runs& runs, const Asked& asked) {
  std::vector<std::string> names;
  for (const causes::Run& run : runs.runs)
    for (const auto& [name, value] : run.parameters)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  for (const auto& [name, value] : asked.parameters)
    if (std::find(names.begin(), names.end(), name) == names.end())
      return Error{"the runs have no parameter " + name, "",
                   names.empty() ? "they have none at all" : did_you_mean(name, names)};
  return {};
}

/// Returns the run that -p and -s select; of several the longest on the most processes.
Result<std::size_t> run_asked(const causes::Runs& runs, const Asked& asked) {
  PARCAST_TRY(check_names(runs, asked));
  std::size_t found = runs.runs.size();
  const auto rank = [&](std::size_t i) {
    return std::pair(runs.runs[i].processes, causes::longest(runs.runs[i]));
  };
  for (std::size_t i = 0; i < runs.runs.size(); ++i)
    if (matches(runs.runs[i], asked) && (found == runs.runs.size() || rank(i) > rank(found))) found = i;
  if (found < runs.runs.size()) return found;
  std::vector<std::string> points;
  for (const causes::Run& run : runs.runs) points.push_back(causes::point_text(run));
  return Error{"no run was made there", "",
               "there are " +
                   join(std::vector<std::string>(
                            points.begin(), points.begin() + std::min<std::ptrdiff_t>(4, std::ssize(points))),
                        "; ") +
                   (points.size() > 4 ? " and " + std::to_string(points.size() - 4) + " more" : "")};
}

/// Fails on flags that belong to predictions.
Result<void> check_why_flags(const Invocation& invocation) {
  for (const char* flag : {"--machine", "--nodes", "--ranks-per-node", "--threads", "--level", "--limit",
                           "--all", "--as", "--region", "--costs", "--source"})
    if (invocation.has(flag))
      return Error{std::string(flag) + " does not go with --why", "",
                   "measured runs are explained as they were: leave it out"};
  if (invocation.has("--view") && !invocation.has("--output"))
    return Error{"--view is drawn into a file", "", "add -o FILE.svg"};
  return {};
}

Result<report::View> view_of(const Invocation& invocation) {
  const std::string name = invocation.value("--view").value_or("overhead");
  std::vector<std::string> names;
  for (const ViewName& view : kViews) {
    if (name == view.name) return view.view;
    names.push_back(view.name);
  }
  const std::string guess = did_you_mean(name, names);
  return Error{"there is no view " + name, "", guess.empty() ? "views are " + join(names, ", ") : guess};
}

}  // namespace

Result<report::Reasons> reasons_of(causes::Runs runs, const Asked& asked) {
  report::Reasons reasons;
  reasons.runs = std::move(runs);
  PARCAST_ASSIGN(reasons.run, run_asked(reasons.runs, asked));
  PARCAST_ASSIGN(reasons.analysis, causes::analyse(reasons.runs));
  reasons.graph = causes::graph_of(reasons.runs, reasons.analysis);
  reasons.held_out = causes::held_out(reasons.runs, reasons.analysis);
  return reasons;
}

const std::vector<Flag>& why_flags() {
  static const std::vector<Flag> flags{
      {"--why", 0, "",
       "the inputs are measured runs (a table, or recordings): explain a run's speedup by its causes"},
      {"--candidate", 0, "NAME", "with --why: a column of the table that may be a cause", true},
      {"--view", 0, "VIEW", "with --why and -o: time, overhead, functional or causal"},
      {"--output", 'o', "FILE.svg", "with --why: draw the view"}};
  return flags;
}

int run_why(const Invocation& invocation) {
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  const auto asked = asked_from(invocation);
  if (!asked) return say_error(asked.error()), kUsage;
  if (const auto fits = check_why_flags(invocation); !fits) return say_error(fits.error()), kUsage;
  const auto view = view_of(invocation);
  if (!view) return say_error(view.error()), kUsage;
  auto runs = load_runs(invocation.inputs, invocation.values("--candidate"));
  if (!runs) return say_error(runs.error()), kFailed;
  const auto reasons = reasons_of(std::move(*runs), *asked);
  if (!reasons) return say_error(reasons.error()), kFailed;
  if (const auto file = invocation.value("--output")) {
    if (const auto written = write_file(*file, report::reasons_svg(*reasons, *view)); !written)
      return say_error(written.error()), kFailed;
  }
  print_result(invocation.json() ? report::reasons_to_json(*reasons) : report::reasons_text(*reasons, *look));
  return kAnswered;
}

}  // namespace parcast::cli
