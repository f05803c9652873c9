// SPDX-License-Identifier: Apache-2.0
#pragma once
// Collects values one by one into fit::Measurements, in the order that measurements.h defines. Memory is
// linear in the number of values.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "fit/measurements.h"

namespace parcast::interchange {

/// Name of a metric where a file gives none.
inline constexpr std::string_view kUnknownMetric = "value";

class MeasurementCollector {
 public:
  /// Returns the number of a metric at a call path, adding it if it is new.
  std::size_t kernel(std::string_view callpath, std::string_view metric);
  /// Returns the number of a point, adding it if it is new.
  std::size_t point(const std::vector<double>& coordinates);
  /// Adds one more repetition. The value must be finite; -0 becomes 0.
  void add(std::size_t kernel, std::size_t point, double value) {
    values_.push_back({static_cast<std::uint32_t>(kernel), static_cast<std::uint32_t>(point), value + 0.0});
  }
  /// Sets the unit of a metric. Returns an error, without a place, if another unit was set before.
  Result<void> set_unit(const std::string& metric, const std::string& unit);
  /// Marks a metric as the largest over ranks of the metric `of`, whose unit it has.
  void note_largest(const std::string& metric, const std::string& of) { largest_of_[metric] = of; }
  void warn(std::string sentence) { warnings_.push_back(std::move(sentence)); }

  bool empty() const { return values_.empty(); }
  /// Returns the measurements of the file `where`. `unit` applies to metrics whose unit neither the file nor
  /// their name gives. Fails if there is no value, and if a unit contradicts `unit`.
  Result<fit::Measurements> finish(std::vector<std::string> parameters, const std::string& unit,
                                   const std::string& where);

 private:
  /// Looks up a text without constructing a string.
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
    std::uint32_t callpath, metric;  // numbered by first appearance
  };
  std::uint32_t number_of(std::string_view name, Numbers& numbers, std::vector<std::string>& names);
  std::vector<std::uint32_t> order_of_kernels() const;
  std::vector<std::uint32_t> ranks_of_points() const;
  Result<std::string> unit_of(const std::string& metric, const std::string& otherwise) const;

  // the keys of points are the bytes of their coordinates
  Numbers callpath_numbers_, metric_numbers_, point_numbers_;
  std::unordered_map<std::uint64_t, std::uint32_t> place_numbers_;
  std::vector<std::string> callpaths_, metrics_, warnings_;
  std::vector<Place> places_;
  std::vector<std::vector<double>> points_;
  std::vector<double> sought_;
  std::unordered_map<std::string, std::string> units_;       // by metric
  std::unordered_map<std::string, std::string> largest_of_;  // metric -> the metric that it is the largest of
  std::vector<Value> values_;
};

/// Warnings, of which each kind is reported once: with the place of the first case and the number of further
/// cases.
class FirstOfKind {
 public:
  /// Adds a case. `what` is the kind: "time is nan, which is left out".
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
