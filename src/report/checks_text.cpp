// SPDX-License-Identifier: Apache-2.0
#include "report/checks_text.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/plain_number.h"
#include "base/text.h"
#include "predict/check_evidence.h"
#include "report/confidence.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using predict::CheckSummary;
using program::Compared;
using program::RunCheck;

std::string within(const CheckSummary::Of& of) {
  return "within " + error_text(of.largest) + (of.runs > 1 ? ", median " + error_text(of.median) : "");
}

std::string point_text(const program::Point& point) {
  std::string text = "p = " + std::to_string(point.processes);
  return point.parameters.empty() ? text : text + ", " + parameters_text(point.parameters);
}

std::string largest_of(const std::vector<std::string>& left_out) {
  std::string out;
  for (std::size_t i = 0; i < left_out.size(); ++i)
    out += (i == 0 ? "" : i + 1 == left_out.size() ? " or " : ", ") + visible(left_out[i]);
  return "the runs of largest " + out;
}

std::string off_text(const Compared& seconds) {
  const double miss = program::miss(seconds);
  const std::string sign = seconds.given < seconds.recorded ? "-" : "+";
  if (!std::isfinite(miss)) return "-";
  return miss < 1 ? sign + format_significant(100 * miss, 2) + " %"
                  : (sign == "-" ? "1/" : "x") + format_significant(1 + miss, 2);
}

/// Returns the region with the largest error in seconds.
std::string region_text(const program::Model& model, const RunCheck& run) {
  const program::ComparedPiece* most = nullptr;
  const auto off = [](const Compared& seconds) { return std::abs(seconds.recorded - seconds.given); };
  for (const program::ComparedPiece& region : run.regions)
    if (!most || off(region.seconds) > off(most->seconds)) most = &region;
  if (!most) return "";
  const program::Node& node = model.nodes[static_cast<std::size_t>(most->index)];
  return visible(node.label) + " " + off_text(most->seconds);
}

std::string rank_text(const RunCheck& run) {
  return run.rank ? std::to_string(run.rank->index) + " " + off_text(run.rank->seconds) : "";
}

/// Returns the runs by processes, then parameters.
std::vector<const RunCheck*> in_order(const std::vector<RunCheck>& runs) {
  std::vector<const RunCheck*> out;
  for (const RunCheck& run : runs) out.push_back(&run);
  std::ranges::stable_sort(out, [](const RunCheck* a, const RunCheck* b) {
    return std::tie(a->processes, a->parameters) < std::tie(b->processes, b->parameters);
  });
  return out;
}

/// Returns the unit of all times of the table.
TimeScale scale_of(const std::vector<RunCheck>& runs) {
  double largest = 0;
  for (const RunCheck& run : runs) {
    largest = std::max({largest, run.computing.recorded, run.computing.given});
    if (run.total) largest = std::max({largest, run.total->recorded, run.total->given});
  }
  return TimeScale(largest);
}

std::string recordings_table(const program::Model& model, const Style& style) {
  const auto right = Column::Align::right;
  const TimeScale scale = scale_of(model.checks.given_back);
  std::vector<Column> columns{{"p", right}};
  for (const program::Parameter& parameter : model.parameters)
    columns.push_back({visible(parameter.name), right});
  columns.push_back({"computing, " + (scale.unit() == "seconds" ? std::string("s") : scale.unit()), right});
  for (const char* name : {"given", "off"}) columns.push_back({name, right});
  const bool totals = program::total_misses(model.checks.given_back).count > 0;
  if (totals)
    for (const char* name : {"time", "given", "off"}) columns.push_back({name, right});
  columns.push_back({"rank", Column::Align::left});
  const bool with_region = style.width >= kRoomy;
  if (with_region) columns.push_back({"region", Column::Align::left, Column::Shrink::cut_end});
  Table table(columns);
  for (const RunCheck* each : in_order(model.checks.given_back)) {
    const RunCheck& run = *each;
    std::vector<std::string> cells{std::to_string(run.processes)};
    for (const program::Parameter& parameter : model.parameters) {
      const auto value = run.parameters.find(parameter.name);
      cells.push_back(value == run.parameters.end() ? "" : format_plain(value->second));
    }
    const auto add = [&](const Compared& seconds) {
      for (std::string cell :
           {scale.whole_text(seconds.recorded), scale.whole_text(seconds.given), off_text(seconds)})
        cells.push_back(std::move(cell));
    };
    add(run.computing);
    if (totals && run.total)
      add(*run.total);
    else if (totals)
      cells.insert(cells.end(), 3, "");
    cells.push_back(run.slowed && !with_region ? "disturbed" : rank_text(run));
    if (with_region) cells.push_back(run.slowed ? "disturbed: in no cost" : region_text(model, run));
    table.add(std::move(cells));
  }
  return "\n" + table.text(style) +
         "  computing: of all ranks together; off: given compared with recorded\n\n";
}

std::string line(const Style& style, const std::string& text) {
  return wrapped(style, "  " + text, 4) + "\n";
}

std::string with_worst(const CheckSummary::Of& of) {
  return within(of) + (of.runs > 1 ? "; worst: " + point_text(of.worst) : "");
}

}  // namespace

std::string checks_line(const CheckSummary& checks, const Style& style) {
  std::string text = "the model reproduces the computing of " +
                     counted(static_cast<std::int64_t>(checks.computing.runs), "recording") + " " +
                     within(checks.computing);
  if (checks.total)
    text += ", times on " + visible(checks.machine) + " within " + error_text(checks.total->largest);
  if (!checks.left_out.empty())
    text += "; a model without " + largest_of(checks.left_out) + " predicts these within " +
            error_text(checks.forward);
  return line(style, text);
}

std::string checks_text(const program::Model& model, const Style& style, bool all) {
  const auto checks = predict::summary_of(model.checks);
  if (!checks) return "";
  std::string out = all ? recordings_table(model, style) : "";
  out += line(style, "reproduces the computing of " +
                         counted(static_cast<std::int64_t>(checks->computing.runs), "recording") + " " +
                         with_worst(checks->computing));
  if (checks->total)
    out += line(style, "reproduces the times of " + std::to_string(checks->total->runs) + " of them on " +
                           visible(checks->machine) + " " + with_worst(*checks->total));
  if (!checks->left_out.empty())
    out += line(style, "a model without " + largest_of(checks->left_out) +
                           " predicts their computing within " + error_text(checks->forward));
  return out;
}

std::vector<predict::Warning> missed_warnings(const program::Model& model) {
  const auto checks = predict::summary_of(model.checks);
  if (!checks) return {};
  const program::Point& worst = checks->total && checks->total->largest > checks->computing.largest
                                    ? checks->total->worst
                                    : checks->computing.worst;
  return predict::check_warnings(model, worst, checks->machine);
}

}  // namespace parcast::report
