// SPDX-License-Identifier: Apache-2.0
#pragma once
// Phrases that several reports share: shares, seconds in one unit, parameters, the origins on which the time
// rests.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/origin.h"
#include "model/count_tier.h"

namespace parcast::report {

/// Returns e.g. "66%"; "<1%" for a share that rounds to nothing but is not 0.
std::string percent(double share);
/// Returns e.g. "66 %", within a sentence.
std::string in_percent(double share);
/// Returns e.g. "+4.2 %", with one decimal and a sign; size_percent: "4.2 %", without a sign.
std::string signed_percent(double fraction);
std::string size_percent(double fraction);
/// Returns integer percents that sum to 100 if the shares sum to 1: the largest remainders are rounded up.
std::vector<int> percents(std::span<const double> shares);

/// One unit and one number of decimals for a column of times, so that readers can compare them by eye.
class TimeScale {
 public:
  /// `largest` gets four digits.
  explicit TimeScale(double largest);
  const std::string& unit() const { return unit_; }  // "seconds", "ms", "us"
  std::string text(double seconds) const;
  /// The same, with at least three digits of any time: 0.00913 and 1.257.
  std::string whole_text(double seconds) const;

 private:
  double factor_ = 1;
  int decimals_ = 2;
  std::string unit_ = "seconds";
};

/// Returns e.g. 41.3 s, 2.10 us, 3.50 h; from two years on "16.3 years", and beyond the limit "more than
/// 100,000 years".
std::string duration(double seconds);
/// Returns low and high in the unit of the value, without repeating the unit: "38.1 .. 45.2". A bound that
/// does not suit this unit has its own: "1.90 h .. 6742 years".
std::string interval_text(double value, double low, double high);

/// Returns e.g. "N = 256, steps = 100".
std::string parameters_text(const std::map<std::string, double>& parameters);
/// Returns e.g. "16 processes".
std::string counted(std::int64_t count, const std::string& noun);
/// Returns e.g. 6.9 node-min, 12 node-h.
std::string node_time(double node_hours);
/// Returns e.g. "counts (executions, bytes) are exact for 96 % of the time, fitted for 4 % (MPI_Send, line
/// 3)". `largest_rows`: the row that takes most of the time of an origin, where its name is known.
std::string origins_text(const std::map<Origin, double>& shares,
                         const std::map<Origin, std::string>& largest_rows = {});
/// Returns e.g. "of the computing, counts of blocks are 92 % as seen, 8 % constant"; empty without shares.
std::string tiers_text(const std::map<program::CountTier, double>& shares);
/// Returns e.g. "p x4, steps x10 beyond the recordings", p first.
std::string beyond(const std::map<std::string, double>& extrapolation);
/// Returns a bar of '#' for `share`; a share of 1 has `full` characters.
std::string bar(double share, int full);

/// Escapes text for SVG and XML.
std::string xml(std::string_view text);

}  // namespace parcast::report
