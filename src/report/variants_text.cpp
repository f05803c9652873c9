// SPDX-License-Identifier: Apache-2.0
#include "report/variants_text.h"

#include <algorithm>
#include <cmath>

#include "base/csv.h"
#include "base/text.h"
#include "report/sweep_axes.h"
#include "report/sweep_text.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using explain::VariantAnswer;
using explain::VariantPoint;
using predict::Prediction;

const Prediction& fastest(const VariantPoint& point) {
  return point.predictions[point.selection.choices.front().prediction];
}
const Prediction& second(const VariantPoint& point) {
  return point.predictions[point.selection.choices[1].prediction];
}

std::vector<Prediction> all_predictions(const VariantAnswer& answer) {
  std::vector<Prediction> out;
  for (const VariantPoint& point : answer.points)
    out.insert(out.end(), point.predictions.begin(), point.predictions.end());
  return out;
}

std::string title(const VariantAnswer& answer, const Style& style) {
  const VariantPoint& any = answer.points.front();
  const Prediction& one = any.predictions.front();
  SweepValues constant = values_of(one);
  for (const auto& [name, value] : any.varied) constant.erase(name);
  std::string left = counted(static_cast<std::int64_t>(any.predictions.size()), "program");
  if (const auto p = constant.find("p"); p != constant.end())
    left += ", " + counted(one.question.point.processes, "process"), constant.erase(p);
  if (!constant.empty()) left += ", " + values_text(one, constant);
  left += ", on " + visible(one.machine);
  return title_line(left, visible(one.engine), style) + "\n";
}

std::string interval_heading(const Prediction& of) {
  return of.seconds.level > 0 ? format_significant(100 * of.seconds.level, 2) + " %" : "";
}

/// Returns e.g. "block is 0.29 ms (19 %) faster than cyclic: 0.25 ms less transfer, 0.04 ms less waiting".
/// Contributions below a tenth are omitted.
std::string reason(const Prediction& faster, const Prediction& slower) {
  const double lead = slower.seconds.value - faster.seconds.value;
  const std::string both = visible(faster.program) + " and " + visible(slower.program);
  if (!(lead > 0)) return both + " take equally long";
  std::vector<std::string> less, more;
  for (const auto& [part, seconds] : explain::differences(faster, slower))
    if (std::abs(seconds) >= 0.1 * lead)
      (seconds > 0 ? less : more)
          .push_back(duration(std::abs(seconds)) + (seconds > 0 ? " less " : " more ") + part);
  return visible(faster.program) + " is " + duration(lead) + " (" + in_percent(lead / slower.seconds.value) +
         ") faster than " + visible(slower.program) + ": " + join(less, ", ") +
         (more.empty() ? "" : ", against " + join(more, ", "));
}

std::string ranking(const VariantPoint& point, const Style& style) {
  const auto right = Column::Align::right;
  const TimeScale scale(point.predictions[point.selection.choices.back().prediction].seconds.value);
  Table table({{"variant", Column::Align::left, Column::Shrink::cut_end},
               {scale.unit(), right},
               {interval_heading(point.predictions.front()), right},
               {"best", right},
               {"slower", right},
               {"compute", right},
               {"startup", right},
               {"transfer", right},
               {"waiting", right}});
  for (const explain::Choice& choice : point.selection.choices) {
    const Prediction& of = point.predictions[choice.prediction];
    const auto share = [&](double part) {
      return percent(of.seconds.value > 0 ? part / of.seconds.value : 0);
    };
    table.add({of.program, scale.text(of.seconds.value),
               of.seconds.level > 0 ? scale.text(of.seconds.low) + " .. " + scale.text(of.seconds.high) : "",
               percent(choice.probability_best),
               choice.slower > 1 ? "x" + format_significant(choice.slower, 3) : "",
               share(of.parts.compute.value + of.parts.memory.value), share(of.parts.message_startup.value),
               share(of.parts.transfer.value), share(of.parts.wait.value)});
  }
  return table.text(style) + "\n" + wrapped(style, "  " + reason(fastest(point), second(point)), 2) + "\n";
}

/// Returns e.g. "block < cyclic = rows".
std::string order_text(const VariantPoint& point) {
  std::string text;
  double before = 0;
  for (const explain::Choice& choice : point.selection.choices) {
    const Prediction& of = point.predictions[choice.prediction];
    text += (text.empty() ? "" : of.seconds.value == before ? " = " : " < ") + visible(of.program);
    before = of.seconds.value;
  }
  return text;
}

std::string lines(const VariantAnswer& answer, const Style& style) {
  const auto right = Column::Align::right;
  const VariantPoint& any = answer.points.front();
  double slowest = 0;
  for (const VariantPoint& point : answer.points)
    for (const Prediction& each : point.predictions) slowest = std::max(slowest, each.seconds.value);
  const TimeScale scale(slowest);
  std::vector<Column> columns;
  for (const auto& [name, value] : any.varied) columns.push_back({visible(name), right});
  for (const Prediction& each : any.predictions) {
    columns.push_back({visible(each.program) + ", " + scale.unit(), right});
    if (each.seconds.level > 0) columns.push_back({interval_heading(each), right});
  }
  columns.insert(columns.end(), {{"order", Column::Align::left}, {"best", right}, {"lead", right}});
  Table table(columns);
  for (const VariantPoint& point : answer.points) {
    std::vector<std::string> row;
    for (const auto& [name, value] : point.varied)
      row.push_back(value_text(point.predictions.front(), name, value));
    for (const Prediction& each : point.predictions) {
      row.push_back(scale.text(each.seconds.value));
      if (any.predictions.front().seconds.level > 0)
        row.push_back(scale.text(each.seconds.low) + " .. " + scale.text(each.seconds.high));
    }
    row.insert(row.end(), {order_text(point), percent(point.selection.choices.front().probability_best),
                           "x" + format_significant(point.selection.choices[1].slower, 3)});
    table.add(row);
  }
  return table.text(style);
}

std::string crossing_text(const VariantAnswer& answer, const explain::VariantCrossing& of) {
  const auto& predictions = answer.points.front().predictions;
  const std::string before = visible(predictions[of.crossing.before].program),
                    after = visible(predictions[of.crossing.after].program);
  const auto value = [&](double at) {
    return value_text(predictions.front(), of.parameter,
                      parse_double(format_significant(at, 7)).value_or(at));
  };
  std::string text = "from " + visible(of.parameter) + " = " + value(of.crossing.next) + " on " + after +
                     " is the fastest, before " + before;
  if (!of.crossing.located)
    text = "between " + visible(of.parameter) + " = " + value(of.crossing.last) + " and " +
           value(of.crossing.next) + " " + after + " becomes the fastest, before it is " + before +
           "; there is no answer between them";
  if (!of.others.empty()) text += " (" + values_text(predictions.front(), of.others) + ")";
  return text;
}

/// Returns, for each variant that is the fastest somewhere, the reasons at the point where it leads most.
std::string reasons(const VariantAnswer& answer, const Style& style) {
  std::string out;
  for (std::size_t variant = 0; variant < answer.points.front().predictions.size(); ++variant) {
    const VariantPoint* best = nullptr;
    for (const VariantPoint& point : answer.points)
      if (point.selection.choices.front().prediction == variant &&
          (!best || point.selection.choices[1].slower > best->selection.choices[1].slower))
        best = &point;
    if (best)
      out += wrapped(style,
                     "  at " + values_text(best->predictions.front(), best->varied) + " " +
                         reason(fastest(*best), second(*best)),
                     4) +
             "\n";
  }
  return out;
}

std::string meaning(const VariantPoint& point) {
  return point.selection.shared
             ? "best: probability of being the fastest; errors of the machine are shared by all programs"
             : "best: probability of being the fastest; this engine does not separate the errors that all "
               "programs share, so all errors count as independent";
}

}  // namespace

std::string variants_text(const VariantAnswer& answer, const Style& style) {
  const bool one = answer.points.size() == 1 && answer.points.front().varied.empty();
  std::string out =
      title(answer, style) + (one ? ranking(answer.points.front(), style) : lines(answer, style) + "\n");
  for (const auto& crossing : answer.crossings)
    out += wrapped(style, "  " + crossing_text(answer, crossing), 4) + "\n";
  if (!one) out += reasons(answer, style);
  out += wrapped(style, "  " + meaning(answer.points.front()), 2) + "\n";
  const std::string warnings = sweep_warnings(all_predictions(answer), style);
  return out + (warnings.empty() ? "" : "\n" + warnings);
}

std::string variants_csv(const VariantAnswer& answer) {
  std::vector<std::string> head;
  const VariantPoint& any = answer.points.front();
  for (const auto& [name, value] : values_of(any.predictions.front())) head.push_back(csv_field(name));
  head.insert(head.end(), {"variant", "machine", "engine", "seconds", "low", "high", "level", "rank",
                           "probability_best", "compute", "memory", "message_startup", "transfer", "wait"});
  std::string out = join(head, ",") + "\n";
  for (const VariantPoint& point : answer.points)
    for (std::size_t rank = 0; rank < point.selection.choices.size(); ++rank) {
      const explain::Choice& choice = point.selection.choices[rank];
      const Prediction& of = point.predictions[choice.prediction];
      std::vector<std::string> cells;
      for (const auto& [name, value] : values_of(of)) cells.push_back(format_exact(value));
      cells.insert(cells.end(), {csv_field(of.program), csv_field(of.machine), csv_field(of.engine)});
      for (const double value : {of.seconds.value, of.seconds.low, of.seconds.high, of.seconds.level})
        cells.push_back(format_exact(value));
      cells.insert(cells.end(), {std::to_string(rank + 1), format_exact(choice.probability_best)});
      for (const auto* part : {&of.parts.compute, &of.parts.memory, &of.parts.message_startup,
                               &of.parts.transfer, &of.parts.wait})
        cells.push_back(format_exact(part->value));
      out += join(cells, ",") + "\n";
    }
  return out;
}

}  // namespace parcast::report
