// SPDX-License-Identifier: Apache-2.0
#include "report/usage_text.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/text.h"
#include "report/simulated_numbers.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

constexpr std::size_t kMostUsageRows = 12;

using recording::PhaseUsage;
using recording::Recording;
using recording::Usage;

struct Used {
  std::string name;
  PhaseUsage sum;
  std::uint64_t grown = 0;  // bytes; for regions only
  std::uint64_t faults() const { return sum.minor_faults + sum.major_faults; }
};

void add(std::optional<std::uint64_t>& into, const std::optional<std::uint64_t>& more) {
  if (more) into = into.value_or(0) + *more;
}

void add(Used& into, const Usage& more) {
  into.sum.minor_faults += more.minor_faults;
  into.sum.major_faults += more.major_faults;
  into.sum.voluntary_switches += more.voluntary_switches;
  into.sum.involuntary_switches += more.involuntary_switches;
  into.grown += more.peak_growth;
  add(into.sum.cycles, more.cycles);
  add(into.sum.instructions, more.instructions);
  add(into.sum.cache_misses, more.cache_misses);
}

std::vector<Used> most_faults_first(std::vector<Used> list) {
  std::stable_sort(list.begin(), list.end(),
                   [](const Used& a, const Used& b) { return a.faults() > b.faults(); });
  return list;
}

std::vector<Used> used_by_region(const Recording& recording) {
  std::map<std::string, Used> sums;
  for (const auto& rank : recording.ranks)
    for (const Usage& usage : rank.usage) add(sums[rank.regions[usage.region]], usage);
  std::vector<Used> list;
  for (auto& [region, used] : sums) {
    used.name = region.empty() ? "-" : region;
    list.push_back(used);
  }
  return most_faults_first(std::move(list));
}

std::vector<Used> used_by_phase(const Recording& recording) {
  std::vector<Used> list;
  for (const recording::PhaseSum& sum : recording::phase_sums(recording))
    if (sum.usage) list.push_back({sum.name, *sum.usage});
  return most_faults_first(std::move(list));
}

std::string per_cycle(const PhaseUsage& usage) {
  if (!usage.cycles || !usage.instructions || *usage.cycles == 0) return "";
  return format_significant(static_cast<double>(*usage.instructions) / static_cast<double>(*usage.cycles), 3);
}

/// `what`: "region", which has a column of memory, or "phase".
std::string table_of(const std::vector<Used>& list, const std::string& what, const std::string& more,
                     const Style& style) {
  if (list.empty()) return "";
  const bool of_regions = what == "region";
  const bool counted = std::any_of(list.begin(), list.end(),
                                   [](const Used& used) { return used.sum.cycles || used.sum.cache_misses; });
  const auto right = Column::Align::right;
  std::vector<Column> columns{{what, Column::Align::left, Column::Shrink::cut_front},
                              {"page faults", right},
                              {"from disk", right},
                              {"gave way", right},
                              {"pre-empted", right}};
  if (of_regions) columns.push_back({"memory grew", right});
  if (counted) columns.insert(columns.end(), {{"instr./cycle", right}, {"cache misses", right}});
  Table table(columns);
  const std::size_t shown = list.size() <= kMostUsageRows ? list.size() : kMostUsageRows - 1;
  for (std::size_t i = 0; i < shown; ++i) {
    const PhaseUsage& sum = list[i].sum;
    std::vector<std::string> row{list[i].name, number(sum.minor_faults), number(sum.major_faults),
                                 number(sum.voluntary_switches), number(sum.involuntary_switches)};
    if (of_regions) row.push_back(format_bytes(static_cast<double>(list[i].grown)));
    if (counted) row.insert(row.end(), {per_cycle(sum), sum.cache_misses ? number(*sum.cache_misses) : ""});
    table.add(row);
  }
  std::string out = "\n" + table.text(style);
  if (shown < list.size())
    out += dim(style, "  ... " + std::to_string(list.size() - shown) + " more " + what + "s, " + more) + "\n";
  return out;
}

}  // namespace

std::string usage_table(const Recording& recording, const Style& style) {
  return table_of(used_by_region(recording), "region", "--json", style);
}

std::string phase_usage_table(const Recording& recording, const Style& style) {
  return table_of(used_by_phase(recording), "phase", "--counts --json", style);
}

}  // namespace parcast::report
