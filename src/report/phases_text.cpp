// SPDX-License-Identifier: Apache-2.0
#include "report/phases_text.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using recording::PhaseKind;
using recording::PhaseSum;

constexpr std::size_t kMostPhases = 24;

/// A program's counts are usually integers, and then shown as such.
std::string amount(double count) {
  constexpr double kWhole = 1e15;
  const auto whole = static_cast<long long>(std::min(count, kWhole));
  return static_cast<double>(whole) == count && count < kWhole ? format_integer(whole)
                                                               : format_significant(count, 6);
}

void add(PhaseSum& into, const PhaseSum& more) {
  into.executions += more.executions;
  into.seconds += more.seconds;
  into.operations += more.operations;
  into.quantums += more.quantums;
}

PhaseSum sum_of(const std::vector<PhaseSum>& sums, PhaseKind kind) {
  PhaseSum all{.kind = kind};
  for (const PhaseSum& sum : sums)
    if (sum.kind == kind) add(all, sum);
  return all;
}

}  // namespace

std::string_view name_of(PhaseKind kind) {
  switch (kind) {
    case PhaseKind::computation:
      return "computation";
    case PhaseKind::communication:
      return "communication";
    case PhaseKind::idle:
      return "idle";
  }
  return "";
}

std::string phases_table(const recording::Recording& recording, const Style& style) {
  const std::vector<PhaseSum> sums = recording::phase_sums(recording);
  if (sums.empty()) return "";
  PhaseSum all;
  for (const PhaseSum& sum : sums) add(all, sum);
  const TimeScale scale(all.seconds);
  const auto right = Column::Align::right;
  Table table({{"phase", Column::Align::left, Column::Shrink::cut_end},
               {"executions", right},
               {scale.unit(), right},
               {"share", right},
               {"operations", right},
               {"quantums", right}});
  const auto add_row = [&](const std::string& name, const PhaseSum& sum) {
    table.add({name, format_integer(static_cast<long long>(sum.executions)), scale.text(sum.seconds),
               in_percent(all.seconds > 0 ? sum.seconds / all.seconds : 0), amount(sum.operations),
               amount(sum.quantums)});
  };
  const std::size_t shown = sums.size() <= kMostPhases ? sums.size() : kMostPhases - 1;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (i == 0 || sums[i].kind != sums[i - 1].kind)
      add_row(std::string(name_of(sums[i].kind)), sum_of(sums, sums[i].kind));
    if (i < shown) add_row("  " + sums[i].name, sums[i]);
  }
  std::string out = "\n" + table.text(style);
  if (shown < sums.size())
    out +=
        dim(style, "  ... " + std::to_string(sums.size() - shown) + " more phases, --counts --json") + "\n";
  return out;
}

}  // namespace parcast::report
