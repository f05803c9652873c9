// SPDX-License-Identifier: Apache-2.0
#include "fit_counts/repeating.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "observations/repeats.h"

namespace parcast::program {
namespace {

constexpr std::size_t kFewestValues = 3;
constexpr double kShared =
    0.8;  // growth on more processes, relative to that on fewer, below which it is shared

class Repeating {
 public:
  Repeating(const std::vector<Run>& runs, const Traces& traces, const std::vector<bool>& used)
      : runs_(runs), traces_(traces) {
    for (std::size_t t = 0; t < traces.traces.size(); ++t)
      if (traces.traces[t].complete && (used.empty() || used[t])) used_.push_back(&traces.traces[t]);
  }

  bool repeats(std::size_t parameter) const {
    if (!counts_iterations(parameter)) return false;
    const std::vector<Pair> pairs = pairs_of(parameter);
    return !pairs.empty() && !is_a_size(pairs) && !is_shared(pairs, parameter);
  }

 private:
  /// Two traces of a rank that differ in the parameter alone, the smaller value first.
  struct Pair {
    const Trace* less = nullptr;
    const Trace* more = nullptr;
  };

  double value(const Trace& trace, std::size_t parameter) const {
    return runs_[trace.run].parameters[parameter];
  }

  static const CallTotals* call(const Trace& trace, std::int32_t key) {
    const auto at = trace.calls.find(key);
    return at == trace.calls.end() ? nullptr : &at->second;
  }

  static double executions(const Trace& trace, std::int32_t key) {
    const CallTotals* totals = call(trace, key);
    return totals ? static_cast<double>(totals->executions) : 0;
  }

  /// Returns the bytes of one message, or those that a process contributes to one collective call.
  static std::optional<double> size(const Trace& trace, std::int32_t key) {
    const CallTotals* totals = call(trace, key);
    if (totals && totals->messages > 0)
      return static_cast<double>(totals->bytes) / static_cast<double>(totals->messages);
    if (totals && totals->executions > 0 && totals->collective_bytes > 0)
      return static_cast<double>(totals->collective_bytes) / static_cast<double>(totals->executions);
    return std::nullopt;
  }

  std::vector<std::int32_t> keys() const {
    std::vector<std::int32_t> out;
    for (std::size_t k = 0; k < traces_.keys.size(); ++k)
      if (deterministic(traces_.keys[k].call_class)) out.push_back(static_cast<std::int32_t>(k));
    return out;
  }

  /// Whether some call is executed k v + c times wherever it is executed, k a whole number above 0.
  bool counts_iterations(std::size_t parameter) const {
    return std::ranges::any_of(keys(), [&](std::int32_t key) { return is_linear(key, parameter); });
  }

  bool is_linear(std::int32_t key, std::size_t parameter) const {
    std::map<double, double> times;  // by value of the parameter
    std::set<std::int32_t> processes;
    for (const Trace* trace : used_) {
      const double here = executions(*trace, key);
      if (here == 0) continue;
      if (times.try_emplace(value(*trace, parameter), here).first->second != here) return false;
      processes.insert(runs_[trace->run].processes);
    }
    if (times.size() < kFewestValues || processes.size() < 2) return false;
    const auto [first, least] = *times.begin();
    const double slope = (times.rbegin()->second - least) / (times.rbegin()->first - first);
    return slope >= 1 && slope == std::floor(slope) &&
           std::ranges::all_of(times, [&, from = first, at = least](const auto& each) {
             return each.second == at + slope * (each.first - from);
           });
  }

  std::vector<Pair> pairs_of(std::size_t parameter) const {
    std::map<std::tuple<std::int32_t, std::int32_t, std::vector<double>>, std::vector<const Trace*>> by_rest;
    for (const Trace* trace : used_) {
      std::vector<double> rest = runs_[trace->run].parameters;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(parameter));
      by_rest[{runs_[trace->run].processes, trace->rank, std::move(rest)}].push_back(trace);
    }
    std::vector<Pair> pairs;
    for (const auto& [rest, traces] : by_rest)
      for (const Trace* less : traces)
        for (const Trace* more : traces)
          if (value(*less, parameter) < value(*more, parameter)) pairs.push_back({less, more});
    return pairs;
  }

  /// Whether the messages of some call grow with the parameter in all pairs that have them.
  bool is_a_size(const std::vector<Pair>& pairs) const {
    return std::ranges::any_of(keys(), [&](std::int32_t key) {
      bool any = false;
      return std::ranges::all_of(pairs,
                                 [&](const Pair& pair) {
                                   const auto less = size(*pair.less, key), more = size(*pair.more, key);
                                   if (!less || !more) return true;
                                   any = true;
                                   return *more > *less;
                                 }) &&
             any;
    });
  }

  /// Whether some call's executions grow less with the parameter on more processes, as if these shared it.
  bool is_shared(const std::vector<Pair>& pairs, std::size_t parameter) const {
    return std::ranges::any_of(keys(), [&](std::int32_t key) {
      std::map<std::int32_t, std::pair<double, double>> growth;  // by process count: sum, number
      for (const Pair& pair : pairs) {
        auto& [sum, number] = growth[runs_[pair.less->run].processes];
        sum += (executions(*pair.more, key) - executions(*pair.less, key)) /
               (value(*pair.more, parameter) - value(*pair.less, parameter));
        number += 1;
      }
      double fewer = 0;
      for (const auto& [processes, of] : growth) {
        const double mean = of.first / of.second;
        if (mean < kShared * fewer) return true;
        fewer = std::max(fewer, mean);
      }
      return false;
    });
  }

  const std::vector<Run>& runs_;
  const Traces& traces_;
  std::vector<const Trace*> used_;
};

}  // namespace

std::vector<bool> repeating(std::size_t parameters, const std::vector<Run>& runs, const Traces& traces,
                            const std::vector<bool>& used) {
  const Repeating each(runs, traces, used);
  std::vector<bool> out;
  for (std::size_t v = 0; v < parameters; ++v) out.push_back(each.repeats(v));
  return out;
}

}  // namespace parcast::program
