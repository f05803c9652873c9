// SPDX-License-Identifier: Apache-2.0
#include "report/plan_text.h"

#include <cmath>

#include "base/plain_number.h"
#include "base/text.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using plan::Advice;
using plan::Proposal;

std::string point_text(const Advice& advice, const plan::Point& point) {
  std::string out;
  for (std::size_t j = 0; j < point.size(); ++j)
    out += (out.empty() ? "" : ", ") + visible(advice.parameters[j]) + " = " + format_plain(point[j]);
  return out;
}

std::string value_text(const Advice& advice, double value) {
  if (advice.unit == "s") return format_seconds(value);
  return format_significant(value, 4) + (advice.unit.empty() ? "" : " " + visible(advice.unit));
}

std::string bounds_text(const Advice& advice, double value, double low, double high) {
  if (advice.unit == "s") return interval_text(value, low, high);
  return format_significant(low, 4) + " .. " + format_significant(high, 4);
}

// Returns e.g. 512 core-s, 34.1 core-min, 2.10 core-h.
std::string cost_text(const Advice& advice, double cost) {
  if (!advice.costs_known) return format_significant(cost, 3) + (cost == 1 ? " run" : " runs");
  if (advice.cores.empty()) return format_seconds(cost);
  if (cost < 600) return format_significant(cost, 3) + " core-s";
  return cost < 36000 ? format_significant(cost / 60, 3) + " core-min"
                      : format_significant(cost / 3600, 3) + " core-h";
}

std::string doublings(double count) {
  const std::string number = format_significant(count, 2);
  return number + (number == "1" || number == "1.0" ? " doubling" : " doublings");
}

std::string why_text(const Advice& advice, const Proposal& proposal) {
  const plan::Reasons& reasons = proposal.reasons;
  std::string out;
  if (reasons.separates) {
    const plan::Separation& s = *reasons.separates;
    out = "tells " + s.one + " (" + in_percent(s.one_weight) + ") from " + s.other + " (" +
          in_percent(s.other_weight) + "): " + value_text(advice, s.one_value) + " or " +
          value_text(advice, s.other_value);
  }
  if (reasons.beyond_before - reasons.beyond_after > 0.05)
    out += (out.empty() ? "" : "; ") + std::string("leaves ") + doublings(reasons.beyond_after) +
           " beyond the data instead of " + format_significant(reasons.beyond_before, 2);
  if (!out.empty()) return out;
  return reasons.repeats ? "averages the noise of a point that is known" : "averages noise within the data";
}

std::string title(const Advice& advice, const Style& style) {
  const std::string place = advice.callpath.empty() ? "" : " of " + visible(advice.callpath);
  return bold(style, visible(advice.metric) + place + " at " + point_text(advice, advice.now.point)) + "\n";
}

std::string answer_line(const Advice& advice) {
  std::string out = "  " + value_text(advice, advice.now.value) + "      " +
                    bounds_text(advice, advice.now.value, advice.now.low, advice.now.high) + " (" +
                    format_significant(100 * advice.level, 2) + " %)";
  if (advice.now.distance > 0) out += "      " + doublings(advice.now.distance) + " beyond the data";
  return out + "\n";
}

std::string proposals_table(const Advice& advice, const Style& style) {
  const auto right = Column::Align::right;
  Table table({{"run"}, {"costs", right}, {"between", right}, {"narrower", right}, {"interval then", right}});
  for (const Proposal& each : advice.proposals) {
    const auto& cost = each.run.cost;
    const std::string between =
        advice.costs_known ? cost_text(advice, cost.low) + " and " + cost_text(advice, cost.high) : "";
    table.add({point_text(advice, each.run.point), cost_text(advice, cost.value), between,
               in_percent(each.run.narrower),
               bounds_text(advice, each.answer.value, each.answer.low, each.answer.high)});
  }
  std::string out = table.text(style);
  if (advice.worth > advice.proposals.size())
    out += "  ... " + std::to_string(advice.worth - advice.proposals.size()) + " more\n";
  out += "\n";
  for (const Proposal& each : advice.proposals)
    out += wrapped(style, "  " + point_text(advice, each.run.point) + " " + why_text(advice, each), 4) + "\n";
  return out;
}

std::string nothing_text(const Advice& advice) {
  if (!(advice.now.high > advice.now.low))
    return "  The formula gives every value as it was measured: no run narrows the answer.\n";
  if (advice.considered == advice.too_dear)
    return "  Every allowed run costs more than the budget of " + cost_text(advice, advice.budget) + ".\n";
  return "  No run within the budget of " + cost_text(advice, advice.budget) + " narrows the interval by " +
         in_percent(advice.least) + " or more; the best by " +
         (advice.best > 0 ? size_percent(advice.best) : "nothing") + ".\n";
}

std::string allowed_text(const Advice& advice) {
  std::string out;
  for (std::size_t j = 0; j < advice.allowed.size(); ++j) {
    std::vector<std::string> values;
    const auto& allowed = advice.allowed[j];
    for (const double value : allowed.values) values.push_back(format_plain(value));
    if (values.size() > 12) values = {values[0], values[1], "...", values.back()};
    out += (out.empty() ? "" : "; ") + visible(advice.parameters[j]) + " = " + join(values, ", ") +
           (allowed.derived ? " (from the data)" : "");
  }
  return out;
}

std::string rules_text(const Advice& advice, const Style& style) {
  std::string tried = counted(static_cast<std::int64_t>(advice.considered), "run") +
                      (advice.considered == 1 ? " was" : " were") + " weighed: " + allowed_text(advice);
  std::string out = wrapped(style, "  " + tried, 4) + "\n";
  if (advice.costs_known)
    out +=
        wrapped(
            style,
            "  a run costs its predicted time" + (advice.cores.empty() ? "" : " x " + visible(advice.cores)) +
                (advice.repetitions > 1 ? " x " + std::to_string(advice.repetitions) + " repetitions" : "") +
                "; " +
                (advice.too_dear > 0 ? std::to_string(advice.too_dear) +
                                           (advice.too_dear == 1 ? " is" : " are") + " above the budget of "
                                     : "the budget is ") +
                cost_text(advice, advice.budget) +
                (advice.budget_given ? "" : ", which is what the run asked about would cost"),
            4) +
        "\n";
  return out;
}

}  // namespace

std::string plan_text(const Advice& advice, const Style& style) {
  std::string out = title(advice, style) + "\n" + answer_line(advice) + "\n";
  out += advice.proposals.empty() ? nothing_text(advice) : proposals_table(advice, style);
  if (advice.dearer && advice.proposals.empty())
    out += wrapped(style,
                   "  Beyond it " + point_text(advice, advice.dearer->run.point) + " would narrow it by " +
                       in_percent(advice.dearer->run.narrower) + " for " +
                       cost_text(advice, advice.dearer->run.cost.value) + ": " +
                       why_text(advice, *advice.dearer) + ".",
                   4) +
           "\n";
  out += "\n" + rules_text(advice, style);
  for (const std::string& note : advice.notes)
    out += alert(style, wrapped(style, "  ! " + visible(note), 4)) + "\n";
  return out;
}

}  // namespace parcast::report
