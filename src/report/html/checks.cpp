// SPDX-License-Identifier: Apache-2.0
// How well the model gives its own recordings back.
#include "base/text.h"
#include "report/html/chart.h"
#include "report/html/markup.h"
#include "report/html/sections.h"

namespace parcast::report::html {
namespace {

std::string point_of(const program::RunCheck& run) {
  return "p = " + std::to_string(run.processes) +
         (run.parameters.empty() ? "" : ", " + parameters_text(run.parameters));
}

std::string off_text(const program::Compared& seconds) {
  return seconds.recorded > 0 ? signed_percent(seconds.given / seconds.recorded - 1) : "";
}

}  // namespace

std::string checks(const Report& report) {
  const std::vector<program::RunCheck>& runs = report.model.checks.given_back;
  if (runs.empty()) return "";
  std::vector<Pair> computing, totals;
  Table table("Recordings and the model", {{"recording"},
                                           {"computing recorded", true},
                                           {"by the model", true},
                                           {"off", true},
                                           {"time recorded", true},
                                           {"by the model", true},
                                           {"off", true}});
  for (const program::RunCheck& run : runs) {
    const std::string name = point_of(run);
    if (!run.slowed) computing.push_back({run.computing.recorded, run.computing.given, name});
    if (run.total && !run.slowed) totals.push_back({run.total->recorded, run.total->given, name});
    std::vector<Cell> cells{plain(name + (run.slowed ? " (disturbed, left out)" : "")),
                            seconds_cell(run.computing.recorded), seconds_cell(run.computing.given),
                            plain(off_text(run.computing))};
    if (run.total)
      cells.insert(cells.end(), {seconds_cell(run.total->recorded), seconds_cell(run.total->given),
                                 plain(off_text(*run.total))});
    else
      cells.insert(cells.end(), 3, Cell{});
    table.add(cells);
  }
  const std::string charts = diagonal_chart("Computing of all ranks", "recorded", "by the model", computing) +
                             diagonal_chart("Time of the run", "recorded", "by the model", totals);
  return element("div", "charts", charts) + folded("Every recording", table.html());
}

}  // namespace parcast::report::html
