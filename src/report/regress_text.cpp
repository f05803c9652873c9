// SPDX-License-Identifier: Apache-2.0
#include "report/regress_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/csv.h"
#include "base/text.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using regress::Answer;
using regress::Cost;
using regress::Costs;
using regress::HeldOut;
using statistics::Interval;

constexpr auto kRight = Column::Align::right;
constexpr auto kCut = Column::Shrink::cut_end;

std::string level_of(const Costs& costs) {
  return format_exact(std::round(1000 * costs.options.level) / 10) + " %";
}

std::string ratio(double value, int digits) {
  return std::isfinite(value) ? format_significant(value, digits) : "-";
}

std::string row_name(const regress::Run& run) {
  if (!run.parameters.empty()) return name_of(run);
  const bool typed = run.place.starts_with("--");  // not a line of a file
  return run.program.empty() ? (typed ? "the run" : run.place)
         : typed             ? run.program
                             : run.program + ", " + run.place;
}

std::string title(const CostsAnswer& answer, const Style& style) {
  const Costs& costs = answer.costs;
  std::string out = counted(static_cast<std::int64_t>(costs.runs.runs.size()), "run") + " of " +
                    counted(static_cast<std::int64_t>(costs.programs.size()), "program") + ", " +
                    counted(static_cast<std::int64_t>(costs.costs.size()), "cost");
  const auto& options = costs.options.fit;
  if (options.plain) out += ", ordinary least squares";
  if (options.robust) out += ", robust";
  if (options.nonnegative) out += ", none negative";
  if (answer.left_out != nullptr) out += ", without " + visible(answer.left_out->program);
  return bold(style, out) + "\n";
}

std::string costs_table(const Costs& costs, const Style& style) {
  Table table({{"cost", Column::Align::left, kCut},
               {"each", kRight},
               {"error", kRight},
               {"t", kRight},
               {"share", kRight},
               {"inflation", kRight},
               {"", Column::Align::left, kCut}});
  for (const Cost& cost : costs.costs)
    table.add(
        {cost.name,
         std::ranges::find(costs.aliases, cost.name, &regress::AliasedCount::name) != costs.aliases.end()
             ? "-"
             : format_seconds(cost.value),
         std::isnan(cost.standard_error) ? "-" : format_seconds(cost.standard_error), ratio(cost.t, 3),
         percent(cost.share), ratio(cost.inflation, 3),
         cost.identified ? "" : "not identified: " + cost.why});
  return table.text(style);
}

std::string spreads(const Costs& costs, const Style& style) {
  const auto& fit = costs.fit;
  std::string out = "  ";
  if (costs.options.fit.plain) {
    out += "residuals spread by " + format_seconds(fit.noise_constant);
  } else {
    out += "a run's own noise " + size_percent(fit.noise_relative) +
           (fit.noise_constant > 0 ? " and " + format_seconds(fit.noise_constant) : "");
    if (costs.programs.size() > 1) out += "; programs differ by " + size_percent(fit.between);
  }
  out += "; condition " + format_significant(fit.condition, 3) + ", " +
         counted(static_cast<std::int64_t>(fit.degrees_of_freedom), "degree") + " of freedom";
  return wrapped(style, out, 4) + "\n";
}

std::string correlations(const Costs& costs, const Style& style) {
  if (costs.costs.size() < 2) return "";
  std::vector<Column> columns{{"correlation", Column::Align::left, kCut}};
  for (std::size_t j = 0; j + 1 < costs.costs.size(); ++j)
    columns.push_back({visible(costs.costs[j].name), kRight, kCut});
  Table table(columns);
  for (std::size_t i = 1; i < costs.costs.size(); ++i) {
    std::vector<std::string> cells{costs.costs[i].name};
    for (std::size_t j = 0; j + 1 < costs.costs.size(); ++j) {
      char text[16];
      std::snprintf(text, sizeof text, "%.2f", costs.correlation(i, j));
      cells.push_back(j >= i ? "" : costs.correlation(i, j) == 0 ? "-" : text);
    }
    table.add(cells);
  }
  return "\n" + table.text(style);
}

std::vector<std::string> cells_of(const std::string& name, const HeldOut& out) {
  if (out.answered == 0) return {name, std::to_string(out.runs), "none answered", "", "", "", ""};
  const auto share = [](double part) { return std::isnan(part) ? std::string("-") : percent(part); };
  return {name,
          std::to_string(out.answered) + (out.answered < out.runs ? " of " + std::to_string(out.runs) : ""),
          size_percent(out.average_error),
          signed_percent(out.mean_error),
          share(out.below_40),
          share(out.covered),
          share(out.covered_classic)};
}

std::string held_out(const Costs& costs, const Style& style) {
  if (!costs.all_programs_out && !costs.runs_out) return "";
  Table table({{"left out, then predicted", Column::Align::left, kCut},
               {"runs", kRight},
               {"off by", kRight},
               {"mean", kRight},
               {"< 40 %", kRight},
               {"in " + level_of(costs), kRight},
               {"in +-2 SE", kRight}});
  for (const HeldOut& each : costs.programs_out) table.add(cells_of(each.program, each));
  if (costs.all_programs_out) table.add(cells_of("a program at a time", *costs.all_programs_out));
  if (costs.runs_out) table.add(cells_of("a tenth of the runs at a time", *costs.runs_out));
  std::string out = "\n" + table.text(style);
  if (costs.all_programs_out && costs.all_programs_out->sigma > 0) {
    const HeldOut& all = *costs.all_programs_out;
    out += wrapped(style,
                   "  programs: sigma " + format_seconds(all.sigma) + " (n - 3), mean time " +
                       format_seconds(all.mean_seconds) + ", C.O.V. " +
                       format_significant(all.sigma / all.mean_seconds, 3),
                   4) +
           "\n";
  }
  return out;
}

std::string bounds(const std::optional<Interval>& interval) {
  return interval ? interval_text(interval->value, interval->low, interval->high) : "-";
}

/// Returns the answer for a known program, else that for any program.
double best(const Answer& answer) {
  return answer.same ? answer.same->value : answer.value;
}

std::string answers_table(const Costs& costs, const std::vector<Answer>& answers, const Style& style) {
  const bool measured =
      std::ranges::any_of(answers, [](const Answer& each) { return !std::isnan(each.run.seconds); });
  const bool known = std::ranges::any_of(answers, [](const Answer& each) { return each.same.has_value(); });
  std::vector<Column> columns{{"run", Column::Align::left, kCut}, {"predicted", kRight}};
  if (known) columns.push_back({"known program", kRight});
  columns.push_back({"new program", kRight});
  if (measured) columns.push_back({"measured", kRight}), columns.push_back({"off by", kRight});
  Table table(columns);
  for (const Answer& each : answers) {
    std::vector<std::string> cells{row_name(each.run),
                                   each.refused.empty() ? format_seconds(best(each)) : "no answer"};
    if (known) cells.push_back(bounds(each.same));
    cells.push_back(each.refused.empty() ? bounds(each.fresh) : "");
    if (measured) {
      const bool has = !std::isnan(each.run.seconds);
      cells.push_back(has ? format_seconds(each.run.seconds) : "-");
      cells.push_back(has && each.refused.empty()
                          ? signed_percent((best(each) - each.run.seconds) / each.run.seconds)
                          : "-");
    }
    table.add(cells);
  }
  return "\n  intervals of " + level_of(costs) + "\n" + table.text(style);
}

/// Plots standardised residuals against the normal quantiles; normal residuals lie on the dotted line.
std::string quantile_picture(const Costs& costs, const Style& style) {
  constexpr int kRows = 11, kColumns = 47;
  double reach = 2;
  for (const auto& pair : costs.quantiles)
    reach = std::max({reach, std::abs(pair.normal), std::min(std::abs(pair.value), 6.0)});
  std::array<std::string, kRows> rows;
  rows.fill(std::string(kColumns, ' '));
  const auto place = [&](double value, int size) {
    return static_cast<int>(std::lround((std::clamp(value / reach, -1.0, 1.0) + 1) / 2 * (size - 1)));
  };
  for (int c = 0; c < kColumns; ++c)
    rows[static_cast<std::size_t>(kRows - 1 - place((2.0 * c / (kColumns - 1) - 1) * reach, kRows))]
        [static_cast<std::size_t>(c)] = '.';
  for (const auto& pair : costs.quantiles)
    rows[static_cast<std::size_t>(kRows - 1 - place(pair.value, kRows))]
        [static_cast<std::size_t>(place(pair.normal, kColumns))] = '*';
  std::string out =
      "\n" +
      wrapped(style,
              "  residuals against normal quantiles, both within " + format_significant(reach, 2) +
                  " standard deviations (straight: r = " + format_significant(costs.normality, 4) + ")",
              4) +
      "\n";
  for (const std::string& row : rows) out += "    |" + row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
  return out + "    +" + std::string(kColumns, '-') + "\n";
}

std::string rows_table(const Costs& costs, const Style& style, bool all) {
  constexpr std::size_t kShown = 5;
  const auto& fit = costs.fit;
  std::vector<std::size_t> order(costs.runs.runs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (!all)
    std::ranges::stable_sort(
        order, [&](std::size_t a, std::size_t b) { return fit.cooks_distance[a] > fit.cooks_distance[b]; });
  if (!all) order.resize(std::min(order.size(), kShown));
  Table table({{all ? "run" : "runs that decide most", Column::Align::left, kCut},
               {"measured", kRight},
               {"fitted", kRight},
               {"off by", kRight},
               {"residual", kRight},
               {"leverage", kRight},
               {"Cook", kRight}});
  for (const std::size_t i : order) {
    const regress::Run& run = costs.runs.runs[i];
    table.add({row_name(run), format_seconds(run.seconds), format_seconds(fit.conditional[i]),
               signed_percent(fit.conditional[i] / run.seconds - 1), ratio(fit.standardized[i], 3),
               ratio(fit.leverage[i], 2), ratio(fit.cooks_distance[i], 2)});
  }
  return "\n" + table.text(style);
}

std::string missed(const regress::Array& array) {
  return array.missed.empty() ? "-" : join(array.missed, " ");
}

/// Returns a line per run with the misses of each array.
std::string arrays_by_run(const regress::Runs& runs, const std::vector<const regress::Run*>& rows,
                          const Style& style) {
  std::vector<Column> columns{{"run misses in", Column::Align::left, kCut}};
  for (const std::string& name : runs.arrays)
    columns.push_back({visible(name), Column::Align::left, kCut}), columns.push_back({"held", kRight});
  columns.push_back({"memory", Column::Align::left});
  Table table(columns);
  for (const regress::Run* run : rows) {
    std::vector<std::string> cells{row_name(*run)};
    for (const regress::Array& array : run->arrays)
      cells.push_back(missed(array)), cells.push_back(format_bytes(array.footprint));
    cells.push_back(run->memory_exceeded ? "EXCEEDED" : "");
    table.add(cells);
  }
  return "\n" + table.text(style);
}

/// Returns a line per array: where it misses and in how many of its runs, and the data that a process holds.
std::string arrays_together(const regress::Runs& runs, const Style& style) {
  Table table({{"array", Column::Align::left, kCut},
               {"misses in", Column::Align::left},
               {"runs", kRight},
               {"held by a process", kRight}});
  for (std::size_t k = 0; k < runs.arrays.size(); ++k) {
    struct Portions {
      std::int64_t runs = 0;
      double least = INFINITY, most = 0;
    };
    std::map<std::vector<std::string>, Portions> by_misses;
    for (const regress::Run& run : runs.runs) {
      if (run.arrays[k].footprint == 0) continue;  // the run has no such array
      Portions& own = by_misses[run.arrays[k].missed];
      ++own.runs, own.least = std::min(own.least, run.arrays[k].footprint),
                  own.most = std::max(own.most, run.arrays[k].footprint);
    }
    std::vector<std::pair<std::vector<std::string>, Portions>> order(by_misses.begin(), by_misses.end());
    std::ranges::sort(order, {}, [](const auto& each) { return each.second.least; });
    for (const auto& [levels, own] : order)
      table.add({runs.arrays[k], levels.empty() ? "-" : join(levels, " "), std::to_string(own.runs),
                 own.least == own.most ? format_bytes(own.least)
                                       : format_bytes(own.least) + " .. " + format_bytes(own.most)});
  }
  return "\n" + table.text(style);
}

std::string arrays_tables(const CostsAnswer& answer, const Style& style, bool all) {
  const regress::Runs& runs = answer.costs.runs;
  if (runs.linearised_on.empty()) return "";
  std::vector<const regress::Run*> asked, fitted;
  for (const Answer& each : answer.predictions) asked.push_back(&each.run);
  if (answer.left_out != nullptr)
    for (const Answer& each : answer.left_out->answers) asked.push_back(&each.run);
  for (const regress::Run& run : runs.runs) fitted.push_back(&run);
  return (all ? arrays_by_run(runs, fitted, style) : arrays_together(runs, style)) +
         (asked.empty() ? "" : arrays_by_run(runs, asked, style));
}

/// Warnings that must not be overlooked precede all numbers.
std::string first_warnings(const Costs& costs, const Style& style) {
  std::string out;
  for (const std::string& text : costs.runs.warnings)
    out += alert(style, wrapped(style, "  ! " + visible(text), 4)) + "\n";
  return out.empty() ? "" : out + "\n";
}

std::string warnings(const CostsAnswer& answer, const Style& style) {
  std::string out;
  const auto tell = [&](const std::string& text) {
    out += alert(style, wrapped(style, "  ! " + visible(text), 4)) + "\n";
  };
  const std::size_t given = answer.costs.runs.warnings.size();  // the costs repeat them first
  for (std::size_t k = given; k < answer.costs.warnings.size(); ++k) tell(answer.costs.warnings[k]);
  for (const Answer& each : answer.predictions)
    if (!each.refused.empty()) tell(name_of(each.run) + " (" + each.run.place + "): " + each.refused);
  for (const std::string& text : answer.costs.runs.notes)
    out += wrapped(style, "  " + visible(text), 4) + "\n";
  return out.empty() ? "" : "\n" + out;
}

}  // namespace

std::string costs_text(const CostsAnswer& answer, const Style& style, bool all) {
  const Costs& costs = answer.costs;
  std::string out = title(answer, style) + "\n" + first_warnings(costs, style) + costs_table(costs, style) +
                    spreads(costs, style);
  if (!answer.predictions.empty()) out += answers_table(costs, answer.predictions, style);
  if (answer.left_out != nullptr) out += answers_table(costs, answer.left_out->answers, style);
  out += arrays_tables(answer, style, all) + correlations(costs, style) + held_out(costs, style) +
         rows_table(costs, style, all) + quantile_picture(costs, style);
  return out + warnings(answer, style);
}

std::string costs_csv(const CostsAnswer& answer) {
  const Costs& costs = answer.costs;
  std::vector<Answer> answers = answer.predictions;
  if (answer.left_out != nullptr)
    answers.insert(answers.end(), answer.left_out->answers.begin(), answer.left_out->answers.end());
  const auto number = [](double value) { return std::isfinite(value) ? format_exact(value) : std::string(); };
  std::string out;
  if (answers.empty()) {
    out = "name,value,standard_error,t,identified\n";
    for (const Cost& cost : costs.costs)
      out += csv_field(cost.name) + "," + number(cost.value) + "," + number(cost.standard_error) + "," +
             number(cost.t) + "," + (cost.identified ? "yes" : "no") + "\n";
    return out;
  }
  out = "program";
  for (const std::string& name : costs.runs.parameters) out += "," + csv_field(name);
  out += ",seconds,value,low,high,known_value,known_low,known_high,level\n";
  for (const Answer& each : answers) {
    out += csv_field(each.run.program);
    for (const std::string& name : costs.runs.parameters)
      out += "," + (each.run.parameters.contains(name) ? number(each.run.parameters.at(name)) : "");
    out += "," + number(each.run.seconds) + "," + (each.refused.empty() ? number(each.value) : "");
    out += each.fresh ? "," + number(each.fresh->low) + "," + number(each.fresh->high) : ",,";
    out += each.same
               ? "," + number(each.same->value) + "," + number(each.same->low) + "," + number(each.same->high)
               : ",,,";
    out += "," + number(costs.options.level) + "\n";
  }
  return out;
}

}  // namespace parcast::report
