// SPDX-License-Identifier: Apache-2.0
#include "report/explanation_text.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/plain_number.h"
#include "base/text.h"
#include "explain/blocks.h"
#include "model/row_names.h"
#include "report/checks_text.h"
#include "report/confidence.h"
#include "report/notes.h"
#include "report/prediction_text.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

constexpr std::size_t kShown = 10;
constexpr double kSmallestEffect = 0.001;  // of the time, below which a machine parameter has no row

std::string more(std::size_t rows, std::size_t shown) {
  return rows > shown ? "  ... " + std::to_string(rows - shown) + " more, --all\n" : "";
}

std::string contributions_text(const explain::Explanation& explanation, const Style& style, bool all) {
  const auto& rows = explanation.contributions;
  if (rows.empty()) return "";
  const std::size_t shown = all ? rows.size() : std::min(rows.size(), kShown);
  const TimeScale scale(rows.front().seconds.value);
  std::vector<program::RowPlace> places;
  for (std::size_t i = 0; i < shown; ++i) places.push_back({rows[i].path, rows[i].where});
  const std::vector<std::string> names = program::row_names(places, explanation.prediction.program);
  const std::string file = program::common_file(places);
  const bool wide = style.width >= kRoomy;
  std::vector<Column> columns{
      {file.empty() ? "region" : "region, lines of " + file, Column::Align::left, Column::Shrink::cut_middle},
      {scale.unit(), Column::Align::right},
      {"share", Column::Align::right},
      {"executions", Column::Align::left, Column::Shrink::cut_end},
      {"count is"}};
  if (wide) columns.insert(columns.begin() + 3, {"sum", Column::Align::right});
  Table table(columns);
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<std::string> cells{names[i], scale.text(rows[i].seconds.value), percent(rows[i].share),
                                   rows[i].executions, std::string(to_string(rows[i].origin))};
    if (wide) cells.insert(cells.begin() + 3, percent(rows[i].cumulative));
    table.add(std::move(cells));
  }
  return table.text(style) + more(rows.size(), shown) + "\n";
}

std::string blocks_text(const explain::Explanation& explanation, const Style& style, bool all) {
  const auto& rows = explanation.blocks;
  if (rows.empty()) return "";
  const std::size_t shown = all ? rows.size() : std::min(rows.size(), kShown);
  const TimeScale scale(rows.front().seconds);
  Table table({{"computing in", Column::Align::left, Column::Shrink::cut_end},
               {scale.unit(), Column::Align::right},
               {"share", Column::Align::right},
               {"executions", Column::Align::right},
               {"counts are"},
               {"where", Column::Align::left, Column::Shrink::cut_front}});
  for (std::size_t i = 0; i < shown; ++i) {
    const explain::BlockContribution& row = rows[i];
    table.add({visible(demangled(row.function)), scale.text(row.seconds), percent(row.share),
               row.block < 0 ? "" : format_significant(row.executions, 4),
               row.tier ? std::string(to_string(*row.tier)) : "not counted", row.where});
  }
  std::vector<std::string> tiers;
  for (const auto& [tier, share] : explain::shares_by_tier(rows))
    if (tier && share >= 0.005) tiers.push_back(in_percent(share) + " " + std::string(to_string(*tier)));
  if (const auto rest = explain::shares_by_tier(rows)[std::nullopt]; rest >= 0.005)
    tiers.push_back(in_percent(rest) + " not counted");
  return table.text(style) + more(rows.size(), shown) +
         (tiers.empty() ? "" : "  of this time counts are " + join(tiers, ", ") + "\n") + "\n";
}

std::string growth_text(const explain::Explanation& explanation, const Style& style) {
  if (explanation.growth.empty()) return "";
  Table table({{"parameter"},
               {"as asked", Column::Align::right},
               {"at", Column::Align::right},
               {"it takes", Column::Align::right},
               {"elasticity", Column::Align::right}});
  for (const explain::Growth& row : explanation.growth)
    table.add({visible(row.parameter), format_plain(row.value), format_plain(row.next),
               format_seconds(row.seconds), format_significant(row.elasticity, 3)});
  return table.text(style) + "\n";
}

std::string sensitivities_text(const explain::Explanation& explanation, const Style& style, bool all) {
  const auto& rows = explanation.sensitivities;
  const double total = explanation.prediction.seconds.value;
  const auto matters = [&](const explain::ParameterWeight& row) {
    return std::abs(0.1 * row.sensitivity.elasticity) >= kSmallestEffect ||
           row.half_width >= kSmallestEffect * total;
  };
  std::vector<const explain::ParameterWeight*> chosen;
  for (const explain::ParameterWeight& row : rows)
    if (all || (chosen.size() < kShown && matters(row))) chosen.push_back(&row);
  const std::string rest =
      rows.size() > chosen.size()
          ? "  ... " + std::to_string(rows.size() - chosen.size()) + " more machine parameters, --all\n"
          : "";
  if (chosen.empty()) return "  no machine parameter changes this answer by more than 0.1 %\n" + rest + "\n";
  const bool wide = style.width >= kRoomy;
  std::vector<Column> columns{{"machine parameter", Column::Align::left, Column::Shrink::cut_middle},
                              {"10 % more", Column::Align::right},
                              {"its error", Column::Align::right},
                              {"found"}};
  if (wide) columns.insert(columns.begin() + 2, {"elasticity", Column::Align::right});
  Table table(columns);
  for (const explain::ParameterWeight* row : chosen) {
    const double change = 0.1 * row->sensitivity.value * row->sensitivity.derivative;
    std::vector<std::string> cells{row->sensitivity.parameter,
                                   (change > 0 ? "+" : "") + format_seconds(change),
                                   row->half_width > 0 ? "+-" + format_seconds(row->half_width) : "-",
                                   row->identified ? std::string(to_string(row->origin)) : "not identified"};
    if (wide) cells.insert(cells.begin() + 2, format_significant(row->sensitivity.elasticity, 3));
    table.add(std::move(cells));
  }
  return table.text(style) + rest + "\n";
}

std::string efficiency_text(const explain::Efficiency& e, const Style& style) {
  std::vector<std::string> overheads;
  const auto add = [&](const char* name, double overhead) {
    if (overhead >= 0.005) overheads.push_back(name + (" " + format_significant(overhead, 3)));
  };
  add("compute", e.compute_overhead);
  add("memory", e.memory_overhead);
  add("startup", e.startup_overhead);
  add("transfer", e.transfer_overhead);
  add("waiting", e.wait_overhead);
  const std::string gain = "  speedup " + format_significant(e.speedup, 3) + " over the model's own " +
                           format_seconds(e.sequential_seconds) + " at p = 1, efficiency " +
                           in_percent(e.efficiency) + "; load balance " + in_percent(e.load_balance) +
                           ", communication efficiency " + in_percent(e.communication_efficiency);
  const std::string losses = "  processor time per unit of work: " + join(overheads, " + ") +
                             (e.efficiency > 0 ? " = " + format_significant(1 / e.efficiency, 3) : "");
  return wrapped(style, gain, 4) + "\n" + wrapped(style, losses, 4) + "\n\n";
}

// "data of a process: 61.2 MB; in L2 (1 MB) up to N = 98, in L3 (32 MB) up to N = 553 or from p = 2"
std::string cache_text(const explain::Explanation& explanation, const Style& style) {
  if (!(explanation.footprint > 0)) return "";
  std::map<std::string, std::vector<std::string>> limits;
  std::vector<std::pair<std::string, double>> levels;
  for (const explain::CacheStep& step : explanation.cache_steps) {
    if (limits[step.level].empty()) levels.emplace_back(step.level, step.capacity);
    limits[step.level].push_back(
        (step.parameter == "p" ? "from p = " : "up to " + visible(step.parameter) + " = ") +
        format_plain(step.last));
  }
  std::vector<std::string> parts;
  for (const auto& [level, capacity] : levels)
    parts.push_back("in " + visible(level) + " (" + format_bytes(capacity) + ") " +
                    join(limits[level], " or "));
  return wrapped(style,
                 "  data of a process: " + format_bytes(explanation.footprint) +
                     (parts.empty() ? "" : "; " + join(parts, ", ")),
                 4) +
         "\n";
}

}  // namespace

std::string explanation_text(const explain::Explanation& explanation, const Style& style, bool all) {
  const predict::Prediction& prediction = explanation.prediction;
  auto parameters = prediction.question.point.parameters;
  std::string title =
      visible(prediction.program) + ", " + counted(prediction.question.point.processes, "process") +
      (parameters.empty() ? "" : ", " + parameters_text(parameters)) + ", on " + visible(prediction.machine) +
      ": " + duration(prediction.seconds.value) + ", " +
      interval_text(prediction.seconds.value, prediction.seconds.low, prediction.seconds.high);
  if (const std::string likely = within_limit_text(prediction); !likely.empty()) title += ", " + likely;
  std::string text = bold(style, wrapped(style, title, 4)) + "\n";
  if (const std::string sure = confidence_text(prediction); !sure.empty())
    text += wrapped(style, "  " + sure, 4) + "\n";
  text += "\n";
  text += contributions_text(explanation, style, all) + blocks_text(explanation, style, all) +
          growth_text(explanation, style) + sensitivities_text(explanation, style, all);
  if (explanation.efficiency) text += efficiency_text(*explanation.efficiency, style);
  for (const auto& crossover : explanation.crossovers)
    text += wrapped(style,
                    (crossover.code == "fastest" ? "  p = " : "  from p = ") +
                        std::to_string(crossover.processes) + " (" + format_seconds(crossover.seconds) +
                        "): " + visible(crossover.text),
                    4) +
            "\n";
  text += cache_text(explanation, style);
  for (const auto& advice : explanation.advice)
    text += wrapped(style, "  > " + visible(advice.text), 4) + "\n";
  return text + notes_text(prediction.warnings, style,
                           prediction.checks ? checks_line(*prediction.checks, style) : "");
}

}  // namespace parcast::report
