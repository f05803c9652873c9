// SPDX-License-Identifier: Apache-2.0
#include "interchange/measurement_units.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "interchange/lower.h"

namespace parcast::interchange {
namespace {

struct Ending {
  std::string_view ending, unit;
};
/// An ending of names: the name equals it, or ends in it after a `_`. The longest match counts.
constexpr auto kEndings = std::to_array<Ending>({
    {"s", "s"},
    {"sec", "s"},
    {"secs", "s"},
    {"second", "s"},
    {"seconds", "s"},
    {"ms", "ms"},
    {"msec", "ms"},
    {"milliseconds", "ms"},
    {"us", "us"},
    {"usec", "us"},
    {"microseconds", "us"},
    {"ns", "ns"},
    {"nsec", "ns"},
    {"nanoseconds", "ns"},
    {"gbytes", "GB"},
    {"mbytes_per_s", "MB/s"},
    {"gbytes_per_s", "GB/s"},
    {"bytes_per_s", "B/s"},
    {"bytes", "B"},
    {"gflops", "Gflop/s"},
    {"mflops", "Mflop/s"},
    {"joules", "J"},
    {"watts", "W"},
});

constexpr auto kMetrics =
    std::to_array<std::string_view>({"time", "runtime", "run_time", "walltime", "wall_time", "elapsed",
                                     "duration", "value", "latency", "bandwidth", "visits", "calls", "flops",
                                     "flop", "instructions", "cycles", "energy", "power", "messages"});
/// Statistics over several values of one place: time_max, or t_min_us without its unit.
constexpr auto kStatistics =
    std::to_array<std::string_view>({"avg", "mean", "median", "min", "max", "sum", "total"});

bool ends_in_word(std::string_view name, std::string_view word) {
  if (!name.ends_with(word)) return false;
  return name.size() == word.size() || name[name.size() - word.size() - 1] == '_';
}

const Ending* ending_of(std::string_view name) {
  const Ending* best = nullptr;
  for (const Ending& each : kEndings) {
    // "s" and "us" alone are more likely names of parameters
    const bool alone = each.ending.size() <= 3 && name == each.ending;
    if (!alone && ends_in_word(name, each.ending) && (!best || each.ending.size() > best->ending.size()))
      best = &each;
  }
  return best;
}

}  // namespace

std::string unit_of_metric(std::string_view name) {
  const Ending* ending = ending_of(lower(name));
  return ending ? std::string(ending->unit) : "";
}

bool names_metric(std::string_view name) {
  const std::string all = lower(name);
  if (const Ending* ending = ending_of(all)) return ending->unit != "B";
  if (all.starts_with("papi_")) return true;
  std::string_view rest = all;
  for (const std::string_view statistic : kStatistics) {
    if (rest.starts_with(statistic) && rest.size() > statistic.size() && rest[statistic.size()] == '_')
      rest.remove_prefix(statistic.size() + 1);
    if (ends_in_word(rest, statistic) && rest.size() > statistic.size())
      rest.remove_suffix(statistic.size() + 1);
  }
  return std::ranges::any_of(kMetrics, [&](std::string_view metric) { return ends_in_word(rest, metric); });
}

}  // namespace parcast::interchange
