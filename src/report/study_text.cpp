// SPDX-License-Identifier: Apache-2.0
#include "report/study_text.h"

#include <algorithm>
#include <cmath>

#include "base/plain_number.h"
#include "base/shell.h"
#include "base/text.h"
#include "model/row_names.h"
#include "report/confidence.h"
#include "report/notes.h"
#include "report/table.h"
#include "report/words.h"
#include "study/answer.h"

namespace parcast::report {
namespace {

using study::Outcome;
using study::Stop;

constexpr std::size_t kRegions = 5, kLimits = 2, kFailed = 3, kChecks = 5;

std::string title(const Outcome& outcome, const Style& style) {
  const auto& question = outcome.prediction.question;
  std::string left =
      visible(outcome.prediction.program) + ", " + counted(question.point.processes, "process");
  if (!question.point.parameters.empty()) left += ", " + parameters_text(question.point.parameters);
  left += ", on " + visible(outcome.prediction.machine);
  return title_line(left, visible(outcome.prediction.engine), style);
}

/// Returns ", +-7 %", and nothing for half an interval that is wider than the value.
std::string off_by(double per_cent) {
  return per_cent < 100 ? ", +-" + format_significant(per_cent, 2) + " %" : "";
}

std::string headline(const Outcome& outcome, const Style& style) {
  const auto& seconds = outcome.prediction.seconds;
  std::vector<std::string> parts{bold(style, duration(seconds.value)),
                                 seconds.level == 0
                                     ? "a run of this size, replayed: no interval"
                                     : interval_text(seconds.value, seconds.low, seconds.high) + " (" +
                                           format_significant(100 * seconds.level, 2) + " %)" +
                                           off_by(study::precision_of(seconds))};
  std::string out = "  " + join(parts, "      ") + "\n";
  for (const std::string& line :
       {confidence_text(outcome.prediction), second_engine_text(outcome.prediction)})
    if (!line.empty()) out += wrapped(style, "  " + line, 4) + "\n";
  return out;
}

std::string dominant(const Outcome& outcome, const Style& style) {
  const auto& regions = outcome.prediction.regions;
  const double total = outcome.prediction.seconds.value;
  if (regions.empty() || !(total > 0)) return "";
  const TimeScale scale(regions.front().seconds.value);
  std::vector<program::RowPlace> places;
  for (const predict::RegionTime& region : regions) {
    if (places.size() == kRegions || (!places.empty() && region.seconds.value < 0.02 * total)) break;
    places.push_back({region.path, region.where});
  }
  const std::vector<std::string> names = program::row_names(places, outcome.prediction.program);
  const std::string file = program::common_file(places);
  Table table({{file.empty() ? "what dominates" : "what dominates, lines of " + file, Column::Align::left,
                Column::Shrink::cut_middle},
               {scale.unit(), Column::Align::right},
               {"share", Column::Align::right},
               {"count is"}});
  for (std::size_t i = 0; i < places.size(); ++i)
    table.add({names[i], scale.text(regions[i].seconds.value), percent(regions[i].seconds.value / total),
               std::string(to_string(regions[i].origin))});
  return "\n" + table.text(style);
}

std::string limits(const Outcome& outcome, const Style& style) {
  if (!outcome.explanation || outcome.explanation->advice.empty()) return "";
  std::string out = "\n  what limits the accuracy\n";
  const auto& advice = outcome.explanation->advice;
  for (std::size_t i = 0; i < std::min(kLimits, advice.size()); ++i)
    out += wrapped(style, "    " + advice[i].text, 4) + "\n";
  return out;
}

std::string checks(const Outcome& outcome, const Style& style) {
  if (outcome.checks.empty()) return "";
  Table table({{"measured run"},
               {"measured", Column::Align::right},
               {"predicted", Column::Align::right},
               {"interval"},
               {"error", Column::Align::right},
               {""}});
  for (std::size_t i = 0; i < std::min(kChecks, outcome.checks.size()); ++i) {
    const study::Checked& each = outcome.checks[i];
    const auto& predicted = each.prediction.seconds;
    const bool measured = each.run && each.run->is_done;
    table.add(
        {study::point_text(each.values), measured ? duration(each.run->seconds) : "failed",
         duration(predicted.value), interval_text(predicted.value, predicted.low, predicted.high),
         measured && each.run->seconds > 0 ? signed_percent(predicted.value / each.run->seconds - 1) : "",
         !measured      ? ""
         : each.holds() ? "hit"
                        : "miss"});
  }
  return "\n" + table.text(style);
}

std::string stop_text(const Outcome& outcome) {
  switch (outcome.stop) {
    case Stop::not_asked:
      return "";
    case Stop::precision:
      return "stopped: the answer is precise enough";
    case Stop::budget:
      return outcome.not_made > 0
                 ? "stopped by the budget before " +
                       counted(static_cast<std::int64_t>(outcome.not_made), "run") + " of the first design"
                 : "stopped: the budget is used up";
    case Stop::nothing_worth:
      return "stopped: no further run within the budget would narrow it by 5 %, or the last six did not";
    case Stop::not_known:
      return "stopped: the time of another run cannot be foreseen: " + visible(outcome.stop_reason);
  }
  return "";
}

std::string what_was_run(const Outcome& outcome, const Style& style) {
  std::size_t crowded = 0;
  for (const study::Run& run : outcome.runs) crowded += run.is_crowded;
  std::vector<std::string> parts{counted(static_cast<std::int64_t>(outcome.runs.size()), "run") + ", " +
                                 duration(outcome.spent)};
  if (crowded > 0) parts.push_back(std::to_string(crowded) + " for counts only (processes shared cores)");
  if (const std::string stop = stop_text(outcome); !stop.empty()) parts.push_back(stop);
  std::string out = "\n" + wrapped(style, "  " + join(parts, "; "), 4) + "\n";
  for (std::size_t i = 0; i < std::min(kFailed, outcome.failed.size()); ++i)
    out += alert(style, wrapped(style,
                                "  ! failed: " + study::point_text(outcome.failed[i].values) + ": " +
                                    outcome.failed[i].fault + "; " + outcome.failed[i].hint,
                                4)) +
           "\n";
  if (outcome.failed.size() > kFailed)
    out += "  ! ... and " + std::to_string(outcome.failed.size() - kFailed) + " more\n";
  return out;
}

std::string remarks(const Outcome& outcome, const Style& style) {
  std::string out;
  for (const std::string& note : outcome.notes) out += wrapped(style, "  " + note, 4) + "\n";
  return out + notes_text(outcome.prediction.warnings, style, "", "answer.json");
}

/// Returns the flags of the question, for another verb.
std::string question_words(const Outcome& outcome) {
  const auto& point = outcome.prediction.question.point;
  std::string out = " -p " + std::to_string(point.processes);
  for (const auto& [name, value] : point.parameters) out += " -s " + name + "=" + format_plain(value);
  return out;
}

std::string file_in(const std::string& folder, const std::filesystem::path& file) {
  return (std::filesystem::path(folder) / file).string();
}

std::string files_words(const Outcome& outcome, const std::string& name) {
  return shell_quoted(file_in(name, outcome.model_file.filename())) + " -m " +
         shell_quoted(file_in(name, outcome.asked_machine_file.filename()));
}

}  // namespace

NextCommand next_command(const Outcome& outcome, const std::string& name) {
  const std::string study = "parcast study " + shell_quoted(name);
  if (!outcome.replayed.empty())
    return {"parcast simulate " + shell_quoted(file_in(name, "runs" / outcome.replayed.front().filename())) +
                " -m " + shell_quoted(file_in(name, outcome.asked_machine_file.filename())) +
                (outcome.asked_machine.extrap ? " --model extrap" : "") + " --regions",
            "where the time goes, region by region"};
  const double now = study::precision_of(outcome.prediction.seconds);
  constexpr double kGood = 10;  // per cent
  if (!outcome.failed.empty() && outcome.failed.size() >= outcome.runs.size())
    return {study, "when the failed runs can be made"};
  if (outcome.stop == Stop::not_asked && now > kGood)
    return {study + " --precision " + format_plain(kGood) + "%", "makes the runs that narrow it"};
  if (outcome.stop == Stop::budget)
    return {study + " --budget " +
                format_plain(std::ceil(2 * std::max(outcome.spent, outcome.description.budget.value_or(0)))) +
                "s",
            "goes on with twice the time"};
  if (outcome.checks.empty() && !outcome.runs.empty())
    return {study + " --check " +
                [&] {
                  std::vector<std::string> words;
                  for (const auto& [parameter, value] : outcome.runs.back().values)
                    words.push_back(parameter + "=" + format_plain(value));
                  return join(words, ",");
                }(),
            "measures a run to compare with its prediction"};
  return {"parcast explain " + files_words(outcome, name) + question_words(outcome),
          "what the time is made of"};
}

std::string study_text(const Outcome& outcome, const std::string& name, const Style& style) {
  const NextCommand next = next_command(outcome, name);
  return title(outcome, style) + "\n" + headline(outcome, style) + dominant(outcome, style) +
         limits(outcome, style) + checks(outcome, style) + what_was_run(outcome, style) +
         remarks(outcome, style) + "\n  next: " + next.command + "\n" +
         dim(style, "        " + next.purpose) + "\n";
}

}  // namespace parcast::report
