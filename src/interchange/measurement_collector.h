// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gathers values one by one into fit::Measurements in the order that measurements.h states. Memory is linear in the values.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "fit/measurements.h"

namespace parcast::interchange {

/// What a metric is called where a file names none.
inline constexpr std::string_view kUntoldMetric = "value";

class MeasurementCollector {
 public:
  /// The number of a metric in a place, new or not.
  std::size_t kernel(std::string_view callpath, std::string_view metric);
  /// The number of a point, new or not.
  std::size_t point(const std::vector<double>& coordinates);
  /// One more repetition; finite.
  void add(std::size_t kernel, std::size_t point, double value) { values_.push_back({static_cast<std::uint32_t>(kernel), static_cast<std::uint32_t>(point), value + 0.0}); }  // -0 is 0
  /// An error, without a place, when a unit was told before and is another one.
  Result<void> tell_unit(const std::string& metric, const std::string& unit);
  /// That a metric is the largest of any rank of another one, whose unit it has.
  void tell_largest(const std::string& metric, const std::string& of) { largest_of_[metric] = of; }
  void warn(std::string sentence) { warnings_.push_back(std::move(sentence)); }

  bool empty() const { return values_.empty(); }
  /// Of what stands in a file `where`, with `unit` for metrics that tell none, themselves or by their name. Fails without any
  /// value, and on a unit that contradicts `unit`.
  Result<fit::Measurements> finish(std::vector<std::string> parameters, const std::string& unit, const std::string& where);

 private:
  /// Finds a text without making a string of it.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using Numbers = std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>>;

  struct Value {
    std::uint32_t kernel, point;
    double value;
  };
  struct Place {
    std::uint32_t callpath, metric;  // by first appearance
  };
  std::uint32_t number_of(std::string_view name, Numbers& numbers, std::vector<std::string>& names);
  std::vector<std::uint32_t> order_of_kernels() const;
  std::vector<std::uint32_t> ranks_of_points() const;
  Result<std::string> unit_of(const std::string& metric, const std::string& otherwise) const;

  Numbers callpath_numbers_, metric_numbers_, point_numbers_;  // points by their bytes
  std::unordered_map<std::uint64_t, std::uint32_t> place_numbers_;
  std::vector<std::string> callpaths_, metrics_, warnings_;
  std::vector<Place> places_;
  std::vector<std::vector<double>> points_;
  std::vector<double> sought_;
  std::unordered_map<std::string, std::string> units_;       // of metrics
  std::unordered_map<std::string, std::string> largest_of_;  // metrics
  std::vector<Value> values_;
};

/// Warnings of which each kind is told once: with the place of the first case, and how many more there are.
class FirstOfKind {
 public:
  /// `what` is the kind: "time is nan, which is left out".
  void add(const std::function<std::string()>& place, const std::string& what);
  void tell(MeasurementCollector& collector) const;

 private:
  struct Kind {
    std::string what, place;
    std::uint64_t cases = 0;
  };
  std::vector<Kind> kinds_;
  std::unordered_map<std::string, std::size_t> numbers_;
};

}  // namespace parcast::interchange
