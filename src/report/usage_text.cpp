// SPDX-License-Identifier: Apache-2.0
#include "report/usage_text.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/text.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

constexpr std::size_t kMostRegions = 12;

using recording::Recording;
using recording::Usage;

struct Used {
  std::string region;
  Usage sum;
  std::uint64_t faults() const { return sum.minor_faults + sum.major_faults; }
};

void add(std::optional<std::uint64_t>& into, const std::optional<std::uint64_t>& more) {
  if (more) into = into.value_or(0) + *more;
}

void add(Usage& into, const Usage& more) {
  into.minor_faults += more.minor_faults;
  into.major_faults += more.major_faults;
  into.voluntary_switches += more.voluntary_switches;
  into.involuntary_switches += more.involuntary_switches;
  into.peak_growth += more.peak_growth;
  add(into.cycles, more.cycles);
  add(into.instructions, more.instructions);
  add(into.cache_misses, more.cache_misses);
}

/// Those with the most page faults first.
std::vector<Used> used_by_region(const Recording& recording) {
  std::map<std::string, Usage> sums;
  for (const auto& rank : recording.ranks)
    for (const Usage& usage : rank.usage) add(sums[rank.regions[usage.region]], usage);
  std::vector<Used> list;
  for (const auto& [region, sum] : sums) list.push_back({region, sum});
  std::stable_sort(list.begin(), list.end(), [](const Used& a, const Used& b) { return a.faults() > b.faults(); });
  return list;
}

std::string number(std::uint64_t value) { return format_integer(static_cast<long long>(value)); }

std::string per_cycle(const Usage& usage) {
  if (!usage.cycles || !usage.instructions || *usage.cycles == 0) return "";
  return format_significant(static_cast<double>(*usage.instructions) / static_cast<double>(*usage.cycles), 3);
}

}  // namespace

std::string usage_table(const Recording& recording, const Style& style) {
  const std::vector<Used> regions = used_by_region(recording);
  if (regions.empty()) return "";
  const bool counted = std::any_of(regions.begin(), regions.end(), [](const Used& used) { return used.sum.cycles || used.sum.cache_misses; });
  const auto right = Column::Align::right;
  std::vector<Column> columns{{"region", Column::Align::left, Column::Shrink::cut_front},
                              {"page faults", right}, {"from disk", right}, {"gave way", right}, {"pre-empted", right}, {"memory grew", right}};
  if (counted) columns.insert(columns.end(), {{"instr./cycle", right}, {"cache misses", right}});
  Table table(columns);
  const std::size_t shown = regions.size() <= kMostRegions ? regions.size() : kMostRegions - 1;
  for (std::size_t i = 0; i < shown; ++i) {
    const Usage& sum = regions[i].sum;
    std::vector<std::string> row{regions[i].region.empty() ? "-" : regions[i].region, number(sum.minor_faults), number(sum.major_faults),
                                 number(sum.voluntary_switches), number(sum.involuntary_switches),
                                 format_bytes(static_cast<double>(sum.peak_growth))};
    if (counted) row.insert(row.end(), {per_cycle(sum), sum.cache_misses ? number(*sum.cache_misses) : ""});
    table.add(row);
  }
  std::string out = "\n" + table.text(style);
  if (shown < regions.size()) out += dim(style, "  ... " + std::to_string(regions.size() - shown) + " more regions, --json") + "\n";
  return out;
}

}  // namespace parcast::report
