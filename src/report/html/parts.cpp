// SPDX-License-Identifier: Apache-2.0
// Where the time goes: the parts of the total by the number of processes.
#include <cmath>

#include "base/plain_number.h"
#include "base/text.h"
#include "report/html/chart.h"
#include "report/html/markup.h"
#include "report/html/sections.h"

namespace parcast::report::html {
namespace {

std::vector<double> parts_of(const predict::Parts& parts) {
  return {parts.compute.value, parts.memory.value, parts.message_startup.value, parts.transfer.value,
          parts.wait.value};
}

const std::vector<std::pair<std::string, std::string>> kParts{{"computing", "compute"},
                                                              {"memory", "memory"},
                                                              {"message start-up", "startup"},
                                                              {"message transfer", "transfer"},
                                                              {"waiting", "wait"}};

}  // namespace

std::string parts_by_processes(const Report& report) {
  std::vector<Stack> bars;
  Table table("Parts of the time by processes", {{"processes", true},
                                                 {"total", true},
                                                 {"computing", true},
                                                 {"memory", true},
                                                 {"message start-up", true},
                                                 {"message transfer", true},
                                                 {"waiting", true}});
  const std::vector<predict::Prediction> one{report.prediction};
  for (const predict::Prediction& point : report.scaling.empty() ? one : report.scaling) {
    const double total = point.seconds.value;
    Stack bar{format_plain(point.question.point.processes),
              {},
              point.question.point.processes == report.prediction.question.point.processes};
    std::vector<Cell> cells{plain(bar.name), seconds_cell(total)};
    for (const double seconds : parts_of(point.parts)) {
      bar.shares.push_back(total > 0 ? seconds / total : 0);
      cells.push_back(seconds_cell(seconds));
    }
    table.add(cells, bar.marked ? " class=\"asked-row\"" : "");
    bars.push_back(std::move(bar));
  }
  return element("div", "charts one",
                 stacked_chart("Shares of the time by processes", "processes", kParts, bars)) +
         folded("Seconds by processes", table.html());
}

}  // namespace parcast::report::html
