// SPDX-License-Identifier: Apache-2.0
#include "report/comparison_text.h"

#include <algorithm>

#include "base/text.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

constexpr std::size_t kMostCompared = 20;

double mean(const ComparedRun& run, const recording::EventClass& of) {
  return run.processes > 0 ? of.seconds / run.processes : 0;
}

/// Returns the relative excess of the prediction; words if one of the two is zero.
std::string difference(double predicted, double measured) {
  if (predicted == 0 && measured == 0) return "-";
  if (measured == 0) return "not measured";
  if (predicted == 0) return "not predicted";
  const double ratio = predicted / measured;
  return ratio >= 10 ? "x " + format_significant(ratio, 2) : signed_percent(ratio - 1);
}

std::string counts(const recording::EventClass& of) {
  return of.call.empty() && of.count == 0 ? "-" : format_integer(static_cast<long long>(of.count));
}

}  // namespace

std::string comparison_text(const Comparison& comparison, const Style& style, bool all) {
  const ComparedRun &predicted = comparison.predicted, &measured = comparison.measured;
  std::string text = "  predicted  " + bold(style, duration(predicted.seconds)) + "  " +
                     counted(predicted.processes, "process") + "  " + visible(predicted.path) + "\n";
  text += "  measured   " + bold(style, duration(measured.seconds)) + "  " +
          counted(measured.processes, "process") + "  " + visible(measured.path) + "\n";
  text += "  difference " + difference(predicted.seconds, measured.seconds) + "\n\n";
  const TimeScale scale(std::max(predicted.seconds, measured.seconds));
  const auto right = Column::Align::right;
  Table table({{"call"},
               {"in", Column::Align::left, Column::Shrink::cut_front},
               {"calls predicted", right},
               {"measured", right},
               {scale.unit() + " predicted", right},
               {"measured", right},
               {"share predicted", right},
               {"measured", right},
               {"difference", right}});
  const auto share = [](double seconds, double whole) {
    return whole > 0 ? percent(seconds / whole) : std::string("-");
  };
  for (std::size_t i = 0; i < comparison.classes.size() && (all || i < kMostCompared); ++i) {
    const recording::ClassPair& row = comparison.classes[i];
    const double a = mean(predicted, row.a), b = mean(measured, row.b);
    table.add({row.call.empty() ? "computing" : row.call, row.region.empty() ? "-" : row.region,
               counts(row.a), counts(row.b), scale.text(a), scale.text(b), share(a, predicted.seconds),
               share(b, measured.seconds), difference(a, b)});
  }
  text += table.text(style);
  if (!all && comparison.classes.size() > kMostCompared)
    text +=
        dim(style, "  ... " + std::to_string(comparison.classes.size() - kMostCompared) + " more, --all\n");
  return text + dim(style,
                    "  counts are of all ranks, times the mean of a rank; computing is in the region of the "
                    "call that follows\n");
}

}  // namespace parcast::report
