// SPDX-License-Identifier: Apache-2.0
// What parallel efficiency is lost to: the overheads of all parts, load balance and communication.
#include "base/text.h"
#include "report/html/chart.h"
#include "report/html/markup.h"
#include "report/html/sections.h"

namespace parcast::report::html {

std::string overheads(const Report& report) {
  if (!report.explanation.efficiency || report.prediction.question.point.processes < 2) return "";
  const explain::Efficiency& e = *report.explanation.efficiency;
  const double all = e.efficiency > 0 ? 1 / e.efficiency : 0;
  Table table("Processor time per unit of work", {{"part"}, {"processor time", true}, {"share", true}});
  const auto row = [&](const std::string& name, double overhead, const std::string& part) {
    if (overhead > 0)
      table.add({plain(name), plain(format_significant(overhead, 3)),
                 share_cell(all > 0 ? overhead / all : 0, part)});
  };
  row("computing", e.compute_overhead, "compute");
  row("memory", e.memory_overhead, "memory");
  row("message start-up", e.startup_overhead, "startup");
  row("message transfer", e.transfer_overhead, "transfer");
  row("waiting", e.wait_overhead, "wait");
  const std::string tiles =
      tile("Load balance", in_percent(e.load_balance), "computing / (computing + waiting)") +
      tile("Communication efficiency", in_percent(e.communication_efficiency),
           "(computing + waiting) / time") +
      tile("Parallel efficiency", in_percent(e.efficiency),
           "speed-up " + format_significant(e.speedup, 3) + " over " + duration(e.sequential_seconds) +
               " on one process");
  return element("div", "tiles", tiles) + "<p>One process needs 1 unit of processor time. " +
         text(counted(report.prediction.question.point.processes, "process")) + " together need " +
         text(format_significant(all, 3)) + ":</p>\n" + table.html();
}

}  // namespace parcast::report::html
