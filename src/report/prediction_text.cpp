// SPDX-License-Identifier: Apache-2.0
#include "report/prediction_text.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "base/text.h"
#include "model/row_names.h"
#include "predict/hang.h"
#include "report/checks_text.h"
#include "report/confidence.h"
#include "report/hang_text.h"
#include "report/notes.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

constexpr std::size_t kMostRegions = 12;
constexpr double kSmallestShare = 0.01;
constexpr int kFullBar = 40;  // characters of the total time

double share_of(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

std::string title(const predict::Prediction& prediction, const Style& style) {
  const auto& question = prediction.question;
  std::string left = visible(prediction.program) + ", " + counted(question.point.processes, "process");
  if (question.threads > 1) left += " of " + counted(question.threads, "thread");
  if (prediction.nodes > 1) left += " on " + counted(prediction.nodes, "node");
  if (!question.point.parameters.empty()) left += ", " + parameters_text(question.point.parameters);
  left += ", on " + visible(prediction.machine);
  return title_line(left, visible(prediction.engine), style);
}

/// Returns e.g. "38.1 .. 45.2 (90 %)".
std::string interval(const predict::Estimate& e) {
  return interval_text(e.value, e.low, e.high) + " (" + format_significant(100 * e.level, 2) + " %)";
}

/// Returns the parts side by side, on as many lines as they need.
std::string in_lines(const std::vector<std::string>& parts, const Style& style) {
  const std::string gap(6, ' ');
  std::string out, line;
  for (const std::string& part : parts) {
    const bool fits = line.empty() || columns_of(line) + gap.size() + columns_of(part) <=
                                          static_cast<std::size_t>(style.width);
    if (!fits) out += line + "\n", line.clear();
    line += (line.empty() ? "  " : gap) + part;
  }
  return out + line + "\n";
}

std::string how_sure(const predict::Prediction& prediction, const Style& style) {
  const std::string sentence = confidence_text(prediction);
  return sentence.empty() ? "" : wrapped(style, "  " + sentence, 4) + "\n";
}

/// Returns what other methods give: the recorded times alone, the second engine.
std::string second_opinions(const predict::Prediction& prediction, const Style& style) {
  std::vector<std::string> opinions;
  if (prediction.of_totals)
    opinions.push_back(
        "the recorded times alone continue to " + duration(prediction.of_totals->value) + ", " +
        interval_text(prediction.of_totals->value, prediction.of_totals->low, prediction.of_totals->high));
  if (std::string text = second_engine_text(prediction); !text.empty()) opinions.push_back(std::move(text));
  return opinions.empty() ? "" : wrapped(style, "  " + join(opinions, "; "), 4) + "\n";
}

std::string headline(const predict::Prediction& prediction, const Style& style) {
  std::vector<std::string> parts{bold(style, duration(prediction.seconds.value)),
                                 interval(prediction.seconds), node_time(prediction.node_hours.value)};
  if (prediction.memory_per_node)
    parts.push_back(format_bytes(prediction.memory_per_node->value) + " per node");
  if (const std::string likely = within_limit_text(prediction); !likely.empty()) parts.push_back(likely);
  return in_lines(parts, style) + how_sure(prediction, style) + second_opinions(prediction, style);
}

/// Returns the region that waits longest.
std::string waits_most(const predict::Prediction& prediction) {
  const predict::RegionTime* most = nullptr;
  for (const auto& region : prediction.regions)
    if (!most || region.parts.wait.value > most->parts.wait.value) most = &region;
  if (!most || most->parts.wait.value <= 0.5 * prediction.parts.wait.value || most->path.empty()) return "";
  const program::RowPlace place{most->path, most->where};
  return "mostly in " + visible(program::row_names(std::span(&place, 1), prediction.program).front());
}

std::string parts_text(const predict::Prediction& prediction, const Style& style) {
  const auto& parts = prediction.parts;
  const double messages = parts.message_startup.value + parts.transfer.value;
  const std::string messages_note = "startup " + format_seconds(parts.message_startup.value) + ", transfer " +
                                    format_seconds(parts.transfer.value);
  Table table({{"", Column::Align::left},
               {"", Column::Align::right},
               {"", Column::Align::right},
               {"", Column::Align::left, Column::Shrink::cut_end}});
  const auto row = [&](const std::string& name, double seconds, const std::string& note) {
    const double share = share_of(seconds, prediction.seconds.value);
    const std::string marks = bar(share, kFullBar);
    table.add({name, duration(seconds), in_percent(share),
               marks + (note.empty() || marks.empty() ? "" : "  ") + note});
  };
  row("compute", parts.compute.value, "");
  if (parts.memory.value > 0) row("memory", parts.memory.value, "");
  row("messages", messages, messages > 0 ? messages_note : "");
  row("waiting", parts.wait.value, parts.wait.value > 0 ? waits_most(prediction) : "");
  return table.text(style);
}

std::size_t regions_shown(const predict::Prediction& prediction, bool all) {
  if (all) return prediction.regions.size();
  std::size_t count = 0;
  while (count < std::min(kMostRegions, prediction.regions.size()) &&
         (count == 0 ||
          share_of(prediction.regions[count].seconds.value, prediction.seconds.value) >= kSmallestShare))
    ++count;
  return count;
}

std::string regions_text(const predict::Prediction& prediction, const Style& style, bool all) {
  if (prediction.regions.empty()) return "";
  const TimeScale scale(prediction.regions.front().seconds.value);
  const std::size_t shown = regions_shown(prediction, all);
  std::vector<program::RowPlace> places;
  for (std::size_t i = 0; i < shown; ++i)
    places.push_back({prediction.regions[i].path, prediction.regions[i].where});
  const std::vector<std::string> names = program::row_names(places, prediction.program);
  const std::string file = program::common_file(places);
  Table table({{file.empty() ? "region" : "region, lines of " + file, Column::Align::left,
                Column::Shrink::cut_middle},
               {scale.unit(), Column::Align::right},
               {"share", Column::Align::right},
               {"executions", Column::Align::left, Column::Shrink::cut_end},
               {"count is"}});
  double rest = 0;
  for (std::size_t i = 0; i < prediction.regions.size(); ++i) {
    const auto& region = prediction.regions[i];
    const double share = share_of(region.seconds.value, prediction.seconds.value);
    if (i >= shown) {
      rest += share;
    } else {
      table.add({names[i], scale.text(region.seconds.value), percent(share), region.executions,
                 std::string(to_string(region.origin))});
    }
  }
  std::string out = "\n" + table.text(style);
  if (shown < prediction.regions.size())
    out += dim(style, "  ... " + std::to_string(prediction.regions.size() - shown) + " more (" +
                          in_percent(rest) + "), --all") +
           "\n";
  return out;
}

std::string number_text(double value) {
  return std::abs(value) < 1e15 ? format_integer(std::llround(value)) : format_significant(value, 6);
}

/// Returns "1,024", or "1,024 (900 .. 1,100)" for a count with an interval.
std::string count_text(const program::CountValue& value) {
  const std::string text = number_text(value.value), low = number_text(value.low),
                    high = number_text(value.high);
  return low == text && high == text ? text : text + " (" + low + " .. " + high + ")";
}

/// Adds `row`, with the ranks "4-7" as its first cell, unless the next rank has the same row.
class RankRows {
 public:
  explicit RankRows(Table& table) : table_(table) {}
  ~RankRows() { flush(); }
  RankRows(const RankRows&) = delete;
  RankRows& operator=(const RankRows&) = delete;

  void add(std::int32_t rank, std::vector<std::string> row) {
    if (row != row_ || rank != last_ + 1) flush(), first_ = rank, row_ = std::move(row);
    last_ = rank;
  }

 private:
  void flush() {
    if (row_.empty()) return;
    row_.insert(row_.begin(), first_ == last_ ? std::to_string(first_)
                                              : std::to_string(first_) + "-" + std::to_string(last_));
    table_.add(std::move(row_));
    row_.clear();
  }

  Table& table_;
  std::vector<std::string> row_;
  std::int32_t first_ = 0, last_ = -2;
};

}  // namespace

std::string prediction_text(const predict::Prediction& prediction, const Style& style, bool all) {
  if (prediction.hang)
    return title(prediction, style) + "\n" + hang_text(*prediction.hang, style) +
           notes_text(prediction.warnings, style);
  const std::string origins = origins_of_counts(prediction), tiers = tiers_text(prediction.work_by_tier);
  return title(prediction, style) + "\n" + headline(prediction, style) + "\n" +
         parts_text(prediction, style) + regions_text(prediction, style, all) + "\n" +
         (origins.empty() ? "" : wrapped(style, "  " + origins, 4) + "\n") +
         (tiers.empty() ? "" : wrapped(style, "  " + tiers, 4) + "\n") +
         notes_text(prediction.warnings, style,
                    prediction.checks ? checks_line(*prediction.checks, style) : "");
}

std::string origins_of_counts(const predict::Prediction& prediction) {
  std::map<Origin, const predict::RegionTime*> largest;
  for (const predict::RegionTime& region : prediction.regions) {
    const predict::RegionTime*& row = largest[region.origin];
    if (!row || region.seconds.value > row->seconds.value) row = &region;
  }
  std::vector<program::RowPlace> places;
  for (const auto& [origin, region] : largest) places.push_back({region->path, region->where});
  const std::vector<std::string> names = program::row_names(places, prediction.program);
  std::map<Origin, std::string> rows;
  auto name = names.begin();
  for (const auto& [origin, region] : largest) rows[origin] = visible(*name++);
  return origins_text(prediction.coverage, rows);
}

std::string within_limit_text(const predict::Prediction& prediction) {
  if (!prediction.within_limit || !prediction.question.limit) return "";
  return in_percent(*prediction.within_limit) + " likely within " + duration(*prediction.question.limit);
}

std::string predicted_counts_text(const std::vector<program::PredictedCounts>& counts, const Style& style) {
  std::set<std::string> names;
  for (const auto& rank : counts)
    for (const auto& [name, value] : rank.calls) names.insert(name);
  Table ranks({{"rank", Column::Align::right},
               {"messages", Column::Align::right},
               {"bytes", Column::Align::right},
               {"collective bytes", Column::Align::right},
               {"found"}});
  {
    RankRows rows(ranks);
    for (const auto& rank : counts)
      rows.add(
          rank.rank,
          {count_text(rank.messages_sent), count_text(rank.bytes_sent), count_text(rank.collective_bytes),
           std::string(to_string(weaker(rank.messages_sent.origin,
                                        weaker(rank.bytes_sent.origin, rank.collective_bytes.origin))))});
  }
  Table calls({{"call"},
               {"all ranks", Column::Align::right},
               {"fewest", Column::Align::right},
               {"most", Column::Align::right},
               {"found"}});
  for (const std::string& name : names) {
    program::CountValue total, least, most;
    Origin origin = Origin::symbolic;
    bool first = true;
    for (const auto& rank : counts) {
      const auto at = rank.calls.find(name);
      const program::CountValue value = at == rank.calls.end() ? program::CountValue{} : at->second;
      total.value += value.value, total.low += value.low, total.high += value.high;
      if (first || value.value < least.value) least = value;
      if (first || value.value > most.value) most = value;
      if (at != rank.calls.end()) origin = weaker(origin, value.origin);
      first = false;
    }
    calls.add({name, count_text(total), count_text(least), count_text(most), std::string(to_string(origin))});
  }
  return ranks.text(style) + "\n" + calls.text(style);
}

}  // namespace parcast::report
