// SPDX-License-Identifier: Apache-2.0
#include "report/selection_text.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "report/notes.h"
#include "report/prediction_text.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using predict::Prediction;

std::string title(const std::vector<Prediction>& predictions, const Style& style) {
  const Prediction& any = predictions.front();
  std::string left = visible(any.program) + ", " + counted(any.question.point.processes, "process");
  if (any.question.threads > 1) left += " of " + counted(any.question.threads, "thread");
  if (!any.question.point.parameters.empty()) left += ", " + parameters_text(any.question.point.parameters);
  left += ", on " + counted(static_cast<std::int64_t>(predictions.size()), "machine");
  return title_line(left, visible(any.engine), style);
}

std::string ranking(const std::vector<Prediction>& predictions, const explain::Selection& selection,
                    const Style& style) {
  const auto right = Column::Align::right;
  const Prediction& any = predictions.front();
  const TimeScale scale(predictions[selection.choices.back().prediction].seconds.value);
  std::vector<Column> columns{
      {"machine", Column::Align::left, Column::Shrink::cut_end},
      {scale.unit(), right},
      {any.seconds.level > 0 ? format_significant(100 * any.seconds.level, 2) + " %" : "", right},
      {"best", right},
      {"slower", right},
      {"nodes", right},
      {"node time", right}};
  const bool memory = std::any_of(predictions.begin(), predictions.end(),
                                  [](const Prediction& each) { return each.memory_per_node.has_value(); });
  if (memory) columns.push_back({"node memory", right});
  if (any.question.limit) columns.push_back({"within " + duration(*any.question.limit), right});
  Table table(columns);
  for (const explain::Choice& choice : selection.choices) {
    const Prediction& of = predictions[choice.prediction];
    std::vector<std::string> row{
        of.machine,
        scale.text(of.seconds.value),
        of.seconds.level > 0 ? scale.text(of.seconds.low) + " .. " + scale.text(of.seconds.high) : "",
        percent(choice.probability_best),
        choice.slower > 1 ? "x" + format_significant(choice.slower, 3) : "",
        std::to_string(of.nodes),
        node_time(of.node_hours.value)};
    if (memory) row.push_back(of.memory_per_node ? format_bytes(of.memory_per_node->value) : "-");
    if (any.question.limit) row.push_back(of.within_limit ? percent(*of.within_limit) : "-");
    table.add(row);
  }
  return table.text(style);
}

/// Returns the warnings; one that several machines share appears once.
std::string warnings(const std::vector<Prediction>& predictions, const explain::Selection& selection,
                     const Style& style) {
  std::vector<std::pair<predict::Warning, std::vector<std::string>>> found;
  for (const explain::Choice& choice : selection.choices)
    for (const predict::Warning& warning : predictions[choice.prediction].warnings) {
      auto at = std::find_if(found.begin(), found.end(),
                             [&](const auto& each) { return in_full(each.first) == in_full(warning); });
      if (at == found.end()) at = found.insert(found.end(), {warning, {}});
      at->second.push_back(visible(predictions[choice.prediction].machine));
    }
  std::vector<predict::Warning> all;
  for (auto& [warning, machines] : found) {
    if (machines.size() < predictions.size()) warning.text = join(machines, ", ") + ": " + warning.text;
    all.push_back(std::move(warning));
  }
  return notes_text(all, style);
}

}  // namespace

std::string meaning_of_best(bool shared) {
  return shared ? "best: probability of being the fastest; errors of the program's model are shared by all "
                  "machines"
                : "best: probability of being the fastest; this engine does not separate the errors that all "
                  "machines share, so all errors count as independent";
}

std::string selection_text(const std::vector<Prediction>& predictions, const explain::Selection& selection,
                           const Style& style) {
  return title(predictions, style) + "\n" + ranking(predictions, selection, style) + "\n" +
         wrapped(style, "  " + meaning_of_best(selection.shared), 2) + "\n" +
         warnings(predictions, selection, style);
}

}  // namespace parcast::report
