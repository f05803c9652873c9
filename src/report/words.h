// SPDX-License-Identifier: Apache-2.0
#pragma once
// Phrases that several reports share: shares, seconds in one unit, parameters, how the time rests on its
// origins.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/origin.h"
#include "model/count_tier.h"

namespace parcast::report {

/// "66%", "<1%" for what is there but rounds to nothing.
std::string percent(double share);
/// "66 %", within a sentence.
std::string in_percent(double share);
/// "+4.2 %", one decimal and a sign; "4.2 %" of a size without one.
std::string signed_percent(double fraction);
std::string size_percent(double fraction);
/// Whole percents that sum to 100 when the shares sum to 1: largest remainders are rounded up.
std::vector<int> percents(std::span<const double> shares);

/// One unit and one number of decimals for a column of times, so that they can be compared by eye.
class TimeScale {
 public:
  /// `largest` gets four digits.
  explicit TimeScale(double largest);
  const std::string& unit() const { return unit_; }  // "seconds", "ms", "us"
  std::string text(double seconds) const;

 private:
  double factor_ = 1;
  int decimals_ = 2;
  std::string unit_ = "seconds";
};

/// 41.3 s, 2.10 us, 3.50 h; from two years on "16.3 years", and no more than "more than 100,000 years".
std::string duration(double seconds);
/// Low and high in the unit of the value, which they then do not repeat: "38.1 .. 45.2"; a bound that this unit does not
/// suit has its own: "1.90 h .. 6742 years".
std::string interval_text(double value, double low, double high);

/// "N = 256, steps = 100"
std::string parameters_text(const std::map<std::string, double>& parameters);
/// "16 processes"
std::string counted(std::int64_t count, const std::string& noun);
/// 6.9 node-min, 12 node-h
std::string node_time(double node_hours);
/// "96 % of the time rests on exact counts, 3 % fitted, 1 % unknown"
std::string rests_on(const std::map<Origin, double>& shares);
/// "of the computing, counts of blocks are 92 % as seen, 8 % constant"; nothing without shares.
std::string tiers_text(const std::map<program::CountTier, double>& shares);
/// "p x4, steps x10 beyond the recordings", p first
std::string beyond(const std::map<std::string, double>& extrapolation);
/// `bytes` that a bar of `share` takes when 1 is `full` characters.
std::string bar(double share, int full);

/// Text within SVG and XML.
std::string xml(std::string_view text);

}  // namespace parcast::report
