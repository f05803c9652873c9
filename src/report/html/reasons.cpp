// SPDX-License-Identifier: Apache-2.0
#include "report/html/reasons.h"

#include <algorithm>

#include "base/text.h"
#include "report/html/chart.h"
#include "report/html/embedded.h"
#include "report/html/files.h"
#include "report/html/markup.h"

namespace parcast::report::html {
namespace {

using causes::Run;

const Run& run_of(const Reasons& reasons) {
  return reasons.runs.runs[reasons.run];
}

const causes::RunFindings& findings(const Reasons& reasons) {
  return reasons.analysis.runs[reasons.run];
}

std::string class_of(causes::Kind kind) {
  switch (kind) {
    case causes::Kind::computation:
      return "compute";
    case causes::Kind::communication:
      return "transfer";
    case causes::Kind::idle:
      break;
  }
  return "off";
}

/// Returns the overheads; without a time on one process, the phases as shares of the processors' time.
causes::Overheads overheads_of(const Reasons& reasons) {
  const auto& known = findings(reasons).overheads;
  const Run& run = run_of(reasons);
  const double total = causes::longest(run) * run.processes;
  return known ? *known : causes::overheads(run, {total, causes::Sequential::Basis::measured, 0});
}

std::string list_of(const std::vector<std::string>& sentences, const std::string& classes) {
  std::string items;
  for (const std::string& each : sentences) items += "<li>" + text(each) + "</li>\n";
  return items.empty() ? "" : element("ul", classes, items);
}

std::string figures(const std::string& picture) {
  return picture.empty() ? "" : element("div", "charts wide-chart", picture);
}

/// A row of the tree of efficiencies: each is the product of those below it.
void efficiency_row(Table& table, int depth, const std::string& name, const std::optional<double>& value,
                    const std::optional<double>& lost, const std::string& meaning) {
  if (!value) return;
  const std::string indent = "<span class=\"indent\" style=\"--depth:" + std::to_string(depth) + "\"></span>";
  table.add({{indent + text(name), name},
             share_cell(*value, "compute"),
             lost ? seconds_cell(*lost) : Cell{"&ndash;", ""},
             plain(meaning)},
            " data-depth=\"" + std::to_string(depth) + "\"");
}

}  // namespace

std::string reasons_answer(const Reasons& reasons) {
  const Run& run = run_of(reasons);
  const auto& overheads = findings(reasons).overheads;
  const auto& e = findings(reasons).efficiencies;
  std::string tiles = tile("Runs", std::to_string(reasons.runs.runs.size()), "measured");
  if (overheads) {
    const bool measured = overheads->sequential.basis == causes::Sequential::Basis::measured;
    tiles += tile("Speed-up", format_significant(overheads->speedup, 3),
                  "over " + duration(overheads->sequential.seconds) + " on one process, " +
                      (measured ? "measured" : "by the growth of runs there"));
    tiles += tile("Efficiency", in_percent(overheads->efficiency), "speed-up per process");
  }
  if (e)
    tiles += tile("Load balance", in_percent(e->load_balance), "mean computing of a process over the most");
  if (e)
    tiles +=
        tile("Communication efficiency", in_percent(e->communication), "longest computing over the time");
  return "<p class=\"time\"><strong>" + text(duration(causes::longest(run))) + "</strong> <span>" +
         text(causes::point_text(run)) + "</span></p>\n" + element("div", "tiles", tiles) +
         (overheads ? ""
                    : "<p>No run on one process shows the time there, so this run has no speed-up.</p>\n") +
         list_of(findings_of(reasons), "findings");
}

std::string reasons_overheads(const Reasons& reasons) {
  const bool known = findings(reasons).overheads.has_value();
  const causes::Overheads overheads = overheads_of(reasons);
  double all = 0;
  for (const causes::Kind kind : {causes::Kind::computation, causes::Kind::communication, causes::Kind::idle})
    all += seconds_of(overheads, kind);
  Table table("Overheads of the run",
              {{"phase"},
               {"processor time", true},
               {"share", true},
               {known ? "per time on one process" : "share of processor time", true}});
  std::string kind = "compute";
  for (const causes::OverheadRow& row : tree_of(overheads)) {
    if (row.depth == 0)
      if (const auto named = causes::kind_named(row.name)) kind = class_of(*named);
    table.add({{"<span class=\"indent\" style=\"--depth:" + std::to_string(row.depth) + "\"></span>" +
                    (row.depth == 0 ? "<b>" + text(row.name) + "</b>" : text(row.name)),
                row.name},
               seconds_cell(row.seconds),
               share_cell(all > 0 ? row.seconds / all : 0, kind),
               plain(format_significant(row.ratio, 3))},
              " data-depth=\"" + std::to_string(row.depth) + "\"");
  }
  return (known
              ? "<p>The processor time of all processes, divided by the time on one process: the sum is " +
                    text(format_significant(1 / overheads.efficiency, 3)) + ", that is 1 / efficiency.</p>\n"
              : "") +
         table.html() +
         figures(embedded("Time of each process", reasons_svg(reasons, View::time)) +
                 (known ? embedded("Overheads of all runs", reasons_svg(reasons, View::overhead)) : ""));
}

std::string reasons_efficiencies(const Reasons& reasons) {
  const auto& e = findings(reasons).efficiencies;
  if (!e) return "";
  Table table("Efficiencies", {{"efficiency"}, {"value", true}, {"processor time lost", true}, {"is"}});
  efficiency_row(table, 0, "parallel efficiency", e->parallel,
                 e->imbalance_seconds + e->communication_seconds, "load balance x communication efficiency");
  efficiency_row(table, 1, "load balance", e->load_balance, e->imbalance_seconds,
                 "mean computing of a process / longest computing");
  efficiency_row(table, 1, "communication efficiency", e->communication, e->communication_seconds,
                 "longest computing / time of the run");
  efficiency_row(table, 2, "serialisation efficiency", e->serialisation, e->serialisation_seconds,
                 "longest computing / time on an ideal network");
  efficiency_row(table, 2, "transfer efficiency", e->transfer, e->transfer_seconds,
                 "time on an ideal network / time of the run");
  efficiency_row(table, 0, "computation scalability", e->computation_scalability, std::nullopt,
                 "computing on fewer processes / computing here");
  return "<p>The metrics of the POP centre. Each efficiency is the product of the ones below it.</p>\n" +
         table.html();
}

std::string reasons_runs(const Reasons& reasons) {
  Table table("Runs",
              {{"run"}, {"processes", true}, {"time", true}, {"speed-up", true}, {"efficiency", true}});
  for (std::size_t i = 0; i < reasons.runs.runs.size(); ++i) {
    const Run& run = reasons.runs.runs[i];
    const auto& overheads = reasons.analysis.runs[i].overheads;
    table.add({plain(causes::point_text(run)), plain(std::to_string(run.processes)),
               seconds_cell(causes::longest(run)),
               overheads ? plain(format_significant(overheads->speedup, 3)) : Cell{"&ndash;", ""},
               overheads ? Cell{text(in_percent(overheads->efficiency)),
                                format_significant(overheads->efficiency, 6)}
                         : Cell{"&ndash;", ""}},
              i == reasons.run ? " class=\"asked-row\"" : "");
  }
  return table.html();
}

Document document_of(const ReasonsReport& report) {
  const Reasons& reasons = report.reasons;
  Document out;
  out.name = report.program, out.of = "measured runs";
  out.question = causes::point_text(run_of(reasons));
  const auto drawn = [&](const char* name, View view) {
    return figures(embedded(name, reasons_svg(reasons, view)));
  };
  const bool has_work = std::ranges::any_of(reasons.analysis.relations,
                                            [](const auto& each) { return each.refinement.has_value(); }) ||
                        (reasons.analysis.delay && reasons.analysis.delay->refinement);
  std::vector<std::string> notes = reasons.runs.notes;
  for (const std::string& note : reasons.analysis.notes)
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
  out.sections = {
      {"answer", "Answer", reasons_answer(reasons)},
      {"overheads", "Overheads", reasons_overheads(reasons)},
      {"efficiencies", "Efficiencies", reasons_efficiencies(reasons)},
      {"functional", "Times against work", has_work ? drawn("Times against work", View::functional) : ""},
      {"causal", "Causes", reasons.graph.nodes.empty() ? "" : drawn("Causes", View::causal)},
      {"runs", "Runs", reasons_runs(reasons)},
      {"warnings", "Assumptions", list_of(notes, "warnings")},
      {"provenance", "Provenance", provenance_html(report.version, "", report.command, report.files)}};
  return out;
}

}  // namespace parcast::report::html
