// SPDX-License-Identifier: Apache-2.0
#include "interchange/measurement_collector.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/text.h"
#include "interchange/measurement_units.h"

namespace parcast::interchange {

std::uint32_t MeasurementCollector::number_of(std::string_view name, Numbers& numbers,
                                              std::vector<std::string>& names) {
  if (const auto known = numbers.find(name); known != numbers.end()) return known->second;
  names.emplace_back(name);
  return numbers.try_emplace(names.back(), static_cast<std::uint32_t>(names.size() - 1)).first->second;
}

std::size_t MeasurementCollector::kernel(std::string_view callpath, std::string_view metric) {
  const Place place{number_of(callpath, callpath_numbers_, callpaths_),
                    number_of(metric.empty() ? kUnknownMetric : metric, metric_numbers_, metrics_)};
  const std::uint64_t key = std::uint64_t{place.callpath} << 32 | place.metric;
  const auto [at, is_new] = place_numbers_.try_emplace(key, static_cast<std::uint32_t>(places_.size()));
  if (is_new) places_.push_back(place);
  return at->second;
}

std::size_t MeasurementCollector::point(const std::vector<double>& coordinates) {
  sought_ = coordinates;
  for (double& x : sought_) x += 0.0;  // turns -0 into 0
  const std::string_view bytes(reinterpret_cast<const char*>(sought_.data()),
                               sought_.size() * sizeof(double));
  if (const auto known = point_numbers_.find(bytes); known != point_numbers_.end()) return known->second;
  points_.push_back(sought_);
  return point_numbers_.try_emplace(std::string(bytes), static_cast<std::uint32_t>(points_.size() - 1))
      .first->second;
}

Result<void> MeasurementCollector::set_unit(const std::string& metric, const std::string& unit) {
  const auto [at, is_new] = units_.try_emplace(metric, unit);
  if (is_new || at->second == unit) return {};
  return Error{metric + " is in " + at->second + " before and in " + unit + " here", "",
               "bring the values to one unit"};
}

/// Sorts kernels by call path, then by metric: metrics of a call path come together, wherever the file has
/// them.
std::vector<std::uint32_t> MeasurementCollector::order_of_kernels() const {
  std::vector<std::uint32_t> order(places_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t k) { return places_[k].callpath; });
  return order;
}

std::vector<std::uint32_t> MeasurementCollector::ranks_of_points() const {
  std::vector<std::uint32_t> order(points_.size()), ranks(points_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::uint32_t p) -> const std::vector<double>& { return points_[p]; });
  for (std::uint32_t i = 0; i < order.size(); ++i) ranks[order[i]] = i;
  return ranks;
}

Result<std::string> MeasurementCollector::unit_of(const std::string& metric,
                                                  const std::string& otherwise) const {
  const auto given = units_.find(metric);
  const std::string own = given == units_.end() ? unit_of_metric(metric) : given->second;
  if (!own.empty() && !otherwise.empty() && own != otherwise)
    return Error{metric + " is in " + own + ", and " + otherwise + " is given as the unit", "",
                 "leave the unit out, or take the metrics apart"};
  return own.empty() ? otherwise : own;
}

Result<fit::Measurements> MeasurementCollector::finish(std::vector<std::string> parameters,
                                                       const std::string& unit, const std::string& where) {
  if (values_.empty()) return Error{"no measured value is in it", where, ""};
  const std::vector<std::uint32_t> order = order_of_kernels(), ranks = ranks_of_points();
  std::vector<std::uint32_t> position(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  std::ranges::stable_sort(values_, {},
                           [&](const Value& v) { return std::tuple(position[v.kernel], ranks[v.point]); });
  fit::Measurements out{std::move(parameters), {}, std::move(warnings_)};
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const Value& v = values_[i];
    const bool new_kernel = i == 0 || values_[i - 1].kernel != v.kernel;
    if (new_kernel) {
      const std::string& metric = metrics_[places_[v.kernel].metric];
      const auto largest = largest_of_.find(metric);
      const std::string of = largest == largest_of_.end() ? "" : largest->second;
      auto in = unit_of(of.empty() ? metric : of, unit);
      if (!in) return Error{in.error().what, where, in.error().hint};
      out.kernels.push_back({callpaths_[places_[v.kernel].callpath], metric, std::move(*in), {}, {}, of});
    }
    fit::Kernel& kernel = out.kernels.back();
    if (new_kernel || values_[i - 1].point != v.point) {
      kernel.points.push_back(points_[v.point]);
      kernel.values.emplace_back();
    }
    kernel.values.back().push_back(v.value);
  }
  return out;
}

void FirstOfKind::add(const std::function<std::string()>& place, const std::string& what) {
  const auto [at, is_new] = numbers_.try_emplace(what, kinds_.size());
  if (is_new) kinds_.push_back({what, place(), 0});
  ++kinds_[at->second].cases;
}

void FirstOfKind::tell(MeasurementCollector& collector) const {
  for (const Kind& kind : kinds_) {
    const std::string more = format_integer(static_cast<long long>(kind.cases) - 1) +
                             (kind.cases == 2 ? " more time" : " more times");
    collector.warn(kind.place + ": " + kind.what + (kind.cases > 1 ? " (and " + more + ")" : ""));
  }
}

}  // namespace parcast::interchange
