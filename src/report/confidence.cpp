// SPDX-License-Identifier: Apache-2.0
#include "report/confidence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/text.h"
#include "base/visible.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using predict::Estimate;
using predict::Prediction;

/// Returns the relative error that the interval spans; as a ratio minus 1 where one side is twice as far or
/// more.
double spread_of(const Estimate& seconds) {
  const double infinite = std::numeric_limits<double>::infinity();
  if (!(seconds.value > 0)) return seconds.high > 0 ? infinite : 0;
  const double up = seconds.high / seconds.value;
  const double down = seconds.low > 0 ? seconds.value / seconds.low : infinite;
  if (up < 2 && down < 2) return std::max(up - 1, 1 - 1 / down);
  return std::max(up, down) - 1;
}

/// Returns e.g. "p is 4 times, N 2.5 times the largest recorded" for factors above 1 and their inverses.
std::string factors_text(const std::vector<std::pair<std::string, double>>& factors, const std::string& of) {
  std::string out;
  for (const auto& [name, factor] : factors)
    out += (out.empty() ? visible(name) + " is " : ", " + visible(name) + " ") +
           format_exact(*parse_double(format_significant(factor, 3))) + " times";
  return out.empty() ? "" : out + " " + of;
}

/// Returns e.g. "the times of 18 of 20 recordings (2 crowded or disturbed) are reproduced within 31 %, the
/// nearest within 4.7 %".
std::string reproduced(const predict::CheckSummary& checks) {
  const bool times = checks.total.has_value();
  const predict::CheckSummary::Of& all = times ? *checks.total : checks.computing;
  if (all.runs == 0) return "";
  const std::size_t known = std::max(all.runs, checks.computing.runs);  // some have no time to compare
  const std::string of = known > all.runs ? " of " + std::to_string(known) : "";
  const std::string others =
      of.empty() ? "" : " (" + std::to_string(known - all.runs) + " crowded or disturbed)";
  if (all.runs == 1)
    return (times ? "the time of " : "the computing of ") +
           (of.empty() ? "the recording" : "1" + of + " recordings" + others) + " is reproduced within " +
           error_text(all.largest);
  const std::string every = (times ? "the times of " : "the computing of ") + std::to_string(all.runs) + of +
                            " recordings" + others + (times ? " are" : " is") + " reproduced within " +
                            error_text(all.largest);
  if (!checks.nearest) return every + ", half of them within " + error_text(all.median);
  if (*checks.nearest >= all.largest) return every;
  return every + (times ? ", the nearest within " : ", of the nearest within ") + error_text(*checks.nearest);
}

}  // namespace

std::string error_text(double error) {
  if (!std::isfinite(error)) return "no bound";
  constexpr double kLeast = 0.001;  // a smaller error is printed as 0.1 %
  error = std::max(error, kLeast);
  return error < 1 ? format_exact(*parse_double(format_significant(100 * error, 2))) + " %"
                   : "a factor of " + format_significant(1 + error, 2);
}

std::string distance_text(const std::map<std::string, double>& extrapolation) {
  std::vector<std::pair<std::string, double>> above, below;
  const auto add = [&](const std::string& name, double factor) {
    if (factor > 1)
      above.emplace_back(name, factor);
    else if (factor > 0 && factor < 1)
      below.emplace_back(name, 1 / factor);
  };
  if (const auto p = extrapolation.find("p"); p != extrapolation.end()) add("p", p->second);
  for (const auto& [name, factor] : extrapolation)
    if (name != "p") add(name, factor);
  const std::string larger = factors_text(above, "the largest recorded"),
                    smaller = factors_text(below, "below the smallest recorded");
  return larger + (larger.empty() || smaller.empty() ? "" : ", ") + smaller;
}

std::string confidence_text(const Prediction& prediction) {
  if (!(prediction.seconds.level > 0)) return "";
  const double spread = spread_of(prediction.seconds);
  const std::string within = std::isfinite(spread) ? "within " + error_text(spread) : "without a bound";
  std::vector<std::string> reasons;
  if (prediction.checks)
    if (std::string text = reproduced(*prediction.checks); !text.empty()) reasons.push_back(std::move(text));
  const std::string distance = distance_text(prediction.extrapolation);
  const auto zero = std::ranges::find(prediction.warnings, "never-zero", &predict::Warning::code);
  if (!distance.empty()) reasons.push_back(distance);
  if (zero != prediction.warnings.end()) reasons.push_back(visible(zero->about) + " is 0 in no recording");
  if (distance.empty() && zero == prediction.warnings.end() && prediction.checks)
    reasons.emplace_back("inside the recorded range");
  if (reasons.empty()) reasons.emplace_back("errors of its computing and of the machine's costs");
  return within + ": " + join(reasons, "; ");
}

std::string second_engine_text(const predict::Prediction& prediction) {
  if (!prediction.second) return "";
  return "a second engine, " + visible(prediction.second->engine) + ", gives " +
         duration(prediction.second->seconds);
}

}  // namespace parcast::report
