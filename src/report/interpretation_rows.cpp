// SPDX-License-Identifier: Apache-2.0
#include <fnmatch.h>

#include <algorithm>

#include "base/text.h"
#include "report/interpretation_text.h"
#include "report/words.h"

namespace parcast::report {

using interpret::Statistics;
using program::ApplicationUnit;
using program::UnitId;

const std::vector<std::string>& unit_statistic_names() {
  static const std::vector<std::string> names{"all",  "time",       "compute",  "communication",
                                              "idle", "executions", "messages", "bytes"};
  return names;
}

std::optional<UnitStatistic> unit_statistic_from(const std::string& name) {
  const auto at = std::ranges::find(unit_statistic_names(), name);
  if (at == unit_statistic_names().end()) return std::nullopt;
  return static_cast<UnitStatistic>(at - unit_statistic_names().begin());
}

namespace {

/// Returns the sums of each unit on one rank, including the units inside it. A rank that ends early waits in
/// the last unit for the others.
std::vector<Statistics> sums_of(const predict::Interpreted& of, std::int32_t rank) {
  const auto& units = of.program.graph.units;
  std::vector<Statistics> sums;
  for (const ApplicationUnit& unit : units) sums.push_back(of.result.statistics(rank, unit.id));
  if (of.result.waiting.empty())
    sums[of.program.graph.end].wait += of.result.makespan - of.result.ends[static_cast<std::size_t>(rank)];
  for (std::size_t unit = units.size(); unit-- > 1;) {
    const std::int64_t executions = sums[units[unit].parent].executions;
    sums[units[unit].parent] += sums[unit];
    // a compound unit keeps its own count, without the units inside it
    sums[units[unit].parent].executions = executions;
  }
  return sums;
}

std::vector<Statistics> sums_of(const predict::Interpreted& of) {
  std::vector<Statistics> all(of.program.graph.units.size());
  for (std::int32_t rank = 0; rank < of.result.ranks; ++rank) {
    const std::vector<Statistics> own = sums_of(of, rank);
    for (std::size_t unit = 0; unit < all.size(); ++unit) all[unit] += own[unit];
  }
  return all;
}

class Rows {
 public:
  Rows(const predict::Interpreted& of, const UnitsShown& shown) : graph_(of.program.graph), shown_(shown) {}

  std::vector<std::pair<UnitId, int>> chosen() {
    if (shown_.pattern.empty())
      add(0, 0);
    else
      for (const ApplicationUnit& unit : graph_.units)
        if (!is_below_chosen(unit.id) && fits(unit)) add(unit.id, 0);
    return std::move(rows_);
  }

 private:
  bool fits(const ApplicationUnit& unit) const {
    return ::fnmatch(shown_.pattern.c_str(), unit.path.c_str(), 0) == 0;
  }
  bool is_below_chosen(UnitId unit) const {
    return std::ranges::any_of(rows_, [&](const auto& row) { return row.first == unit; });
  }
  void add(UnitId unit, int level) {
    rows_.emplace_back(unit, level);
    if (shown_.depth >= 0 && level >= shown_.depth) return;
    for (const UnitId child : graph_.units[unit].children) add(child, level + 1);
  }

  const program::ApplicationGraph& graph_;
  const UnitsShown& shown_;
  std::vector<std::pair<UnitId, int>> rows_;
};

}  // namespace

std::vector<UnitRow> unit_rows(const predict::Interpreted& of, const UnitsShown& shown) {
  const auto chosen = Rows(of, shown).chosen();
  std::vector<UnitRow> out;
  if (!shown.by_rank) {
    const std::vector<Statistics> sums = sums_of(of);
    for (const auto& [unit, level] : chosen) out.push_back({unit, level, -1, sums[unit]});
    return out;
  }
  std::vector<std::vector<Statistics>> by_rank;
  for (std::int32_t rank = 0; rank < of.result.ranks; ++rank) by_rank.push_back(sums_of(of, rank));
  for (const auto& [unit, level] : chosen)
    for (std::int32_t rank = 0; rank < of.result.ranks; ++rank)
      out.push_back({unit, level, rank, by_rank[static_cast<std::size_t>(rank)][unit]});
  return out;
}

std::vector<recording::EventClass> interpreted_classes(const predict::Interpreted& of) {
  std::map<std::pair<std::string, std::string>, recording::EventClass> classes;
  const auto add = [&](const std::string& region, const std::string& call, std::uint64_t count,
                       double seconds) {
    recording::EventClass& each = classes[{region, call}];
    each.region = region, each.call = call;
    each.count += count, each.seconds += seconds;
  };
  for (const ApplicationUnit& unit : of.program.graph.units) {
    Statistics sum;
    for (std::int32_t rank = 0; rank < of.result.ranks; ++rank) sum += of.result.statistics(rank, unit.id);
    if (sum.executions == 0 && sum.time() == 0) continue;
    add(unit.region, unit.kind == program::UnitClass::sequence ? "" : unit.label,
        static_cast<std::uint64_t>(sum.executions), static_cast<double>(sum.time()) / 1e12);
  }
  std::vector<recording::EventClass> out;
  for (auto& [key, each] : classes) out.push_back(std::move(each));
  return out;
}

}  // namespace parcast::report
