// SPDX-License-Identifier: Apache-2.0
#include "calibrate/combine.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "calibrate/levels.h"
#include "statistics/distribution.h"
#include "statistics/summary.h"

namespace parcast::calibrate {
namespace {

// a launch with fewer samples than the most divided by this is ignored in a point
constexpr std::int64_t kWorthCounting = 4;
constexpr double kShared = 2;  // degrees of freedom that the common spread counts as

/// Returns the standard deviation of the logarithms of a quantity over several launches.
double relative_deviation(const std::vector<double>& values) {
  std::vector<double> logs;
  for (const double value : values)
    if (value > 0) logs.push_back(std::log(value));
  return logs.size() < 2 ? 0 : statistics::moments(logs).standard_deviation;
}

/// Returns the standard error of the mean of estimates with these errors.
double within(const std::vector<double>& errors) {
  double sum = 0;
  for (const double error : errors) sum += error * error;
  return std::sqrt(sum) / static_cast<double>(errors.size());
}

/// One size, measured by several launches.
struct Repeated {
  std::vector<TablePoint> points;
  std::vector<std::size_t> launches;  // launch of each point
  double deviation() const {
    std::vector<double> seconds;
    for (const TablePoint& point : points) seconds.push_back(point.seconds);
    return relative_deviation(seconds);
  }
  double median() const {
    std::vector<double> seconds;
    for (const TablePoint& point : points) seconds.push_back(point.seconds);
    return statistics::median(seconds);
  }
  /// Returns the points that have enough samples compared with the others.
  Repeated worth_counting() const {
    Repeated out;
    std::int64_t most = 0;
    for (const TablePoint& point : points) most = std::max(most, point.samples);
    for (std::size_t i = 0; i < points.size(); ++i)
      if (points[i].samples * kWorthCounting >= most)
        out.points.push_back(points[i]), out.launches.push_back(launches[i]);
    return out;
  }
  /// Combines the points. `of`: number of launches that the shared deviation averages over.
  TablePoint joined(double table_deviation, std::size_t of) const {
    TablePoint out = points.front();
    std::vector<double> errors, lows, highs;
    out.samples = out.outliers = 0;
    out.repeats.clear();
    for (const TablePoint& point : points) {
      errors.push_back(point.standard_error), lows.push_back(point.low), highs.push_back(point.high);
      out.samples += point.samples, out.outliers += point.outliers;
    }
    out.seconds = median(), out.low = statistics::median(lows), out.high = statistics::median(highs);
    const double shared = table_deviation / std::sqrt(static_cast<double>(of));
    if (of > 1) out.drift = shared;
    out.standard_error = std::max(within(errors), shared * out.seconds);
    return out;
  }
};

using Sizes = std::map<double, Repeated>;  // by bytes

/// The level of each launch of a table, relative to the median launch, and the number of launches.
struct LaunchLevels {
  explicit LaunchLevels(const Sizes& sizes) {
    std::set<std::size_t> all;
    for (const auto& [bytes, point] : sizes) all.insert(point.launches.begin(), point.launches.end());
    launches = all.size();
    for (const auto& [bytes, point] : sizes) {
      const Repeated size = point.worth_counting();
      if (std::set(size.launches.begin(), size.launches.end()).size() != launches) continue;
      for (std::size_t i = 0; i < size.points.size(); ++i)
        levels.add(size.launches[i], bytes, size.points[i].seconds / size.median());
    }
  }

  /// Adjusts a size that only some launches measured to the level of the median launch. Returns false if a
  /// level is unknown.
  bool bring_to_the_middle(Repeated& size, double bytes) const {
    std::vector<Levels::Level> at;
    for (const std::size_t launch : size.launches) {
      const auto level = levels.of(launch, bytes);
      if (!level) return false;
      at.push_back(*level);
    }
    for (std::size_t i = 0; i < size.points.size(); ++i) {
      TablePoint& point = size.points[i];
      point.seconds /= at[i].ratio, point.low /= at[i].ratio, point.high /= at[i].ratio;
      point.standard_error = std::hypot(point.standard_error / at[i].ratio, point.seconds * at[i].unsure);
    }
    return true;
  }

  std::size_t launches = 0;
  Levels levels;
};

TablePoint joined_size(const Repeated& all, double bytes, const LaunchLevels& levels,
                       double table_deviation) {
  Repeated size = all.worth_counting();
  // A size that few launches measured has the full spread between launches, unless their levels are known.
  const bool of_all = size.points.size() == levels.launches || levels.bring_to_the_middle(size, bytes);
  return size.joined(table_deviation, of_all ? levels.launches : size.points.size());
}

/// Returns the root mean square deviation over a table's sizes, and its degrees of freedom. Sizes of one
/// launch vary together, so a launch counts once.
std::pair<double, double> spread(const Sizes& sizes) {
  double sum = 0, count = 0, launches = 1;
  for (const auto& [bytes, point] : sizes) {
    if (point.points.size() < 2) continue;
    sum += std::pow(point.deviation(), 2), ++count;
    launches = std::max(launches, static_cast<double>(point.points.size()));
  }
  return {count > 0 ? std::sqrt(sum / count) : 0, launches - 1};
}

std::vector<TablePoint> joined_points(const std::vector<const Measurements*>& launches) {
  std::map<std::string, Sizes> tables;
  std::vector<std::string> order;
  for (std::size_t i = 0; i < launches.size(); ++i)
    for (const TablePoint& point : launches[i]->points) {
      if (!tables.contains(point.table)) order.push_back(point.table);
      Repeated& size = tables[point.table][point.bytes];
      size.points.push_back(point), size.launches.push_back(i);
    }
  std::vector<double> deviations, freedom;
  for (const std::string& name : order) {
    const auto [deviation, free] = spread(tables[name]);
    deviations.push_back(deviation), freedom.push_back(free);
  }
  const std::vector<double> known = moderated(deviations, freedom);
  std::vector<TablePoint> out;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const LaunchLevels levels(tables[order[i]]);
    for (const auto& [bytes, size] : tables[order[i]])
      out.push_back(joined_size(size, bytes, levels, known[i]));
  }
  return out;
}

/// Returns what all launches left out. If a launch measured a table further, the omissions up to there do not
/// count.
std::vector<Omission> joined_left_out(const std::vector<const Measurements*>& launches,
                                      const std::vector<TablePoint>& points) {
  std::map<std::string, Omission> out;  // by table; starts at the smallest size left out
  for (const Measurements* launch : launches)
    for (const Omission& left : launch->left_out) {
      if (std::any_of(points.begin(), points.end(), [&](const TablePoint& point) {
            return point.table == left.table && point.bytes >= left.bytes;
          }))
        continue;
      const auto [at, added] = out.emplace(left.table, left);
      if (!added && left.bytes < at->second.bytes) at->second = left;
    }
  std::vector<Omission> list;
  for (const auto& [table, left] : out) list.push_back(left);
  return list;
}

/// Returns "operations" for "operations.double_add.dependent". Values of one kind vary together between
/// launches.
std::string kind_of(const std::string& name) {
  return name.substr(0, name.find('.'));
}

constexpr std::string_view kShareOf = "core_share-";

bool has_table(const Measurements& launch, const std::string& table) {
  return std::any_of(launch.points.begin(), launch.points.end(),
                     [&](const TablePoint& point) { return point.table == table; });
}

/// Combines eager limits. Disturbances of the search make messages wait, and so only lower the result. The
/// largest value found is therefore the limit. It has no error if it was found twice.
void largest(const std::vector<Value>& all, Value& one) {
  one.value = std::max_element(all.begin(), all.end(), [](const Value& a, const Value& b) {
                return a.value < b.value;
              })->value;
  if (std::count_if(all.begin(), all.end(), [&](const Value& each) { return each.value == one.value; }) > 1)
    one.standard_error = 0;
}

/// Adds the drift: how the speed of cores varies from launch to launch, from the kernel and single
/// operations. This variation is constant within one run of a program and differs in the next. Values of a
/// kind vary together, so a kind counts the degrees of freedom of one value.
void add_drift(const std::map<std::string, std::vector<Value>>& by_name, std::vector<Value>& to) {
  struct Kind {
    double squares = 0, names = 0;
    std::size_t launches = 0;
  };
  std::map<std::string, Kind> kinds;
  for (const auto& [name, values] : by_name) {
    if (const std::string kind = kind_of(name);
        values.size() > 1 && (kind == "core_speed" || kind == "shared_core_speed" || kind == "operations")) {
      std::vector<double> numbers;
      for (const Value& value : values) numbers.push_back(value.value);
      Kind& of = kinds[kind];
      of.squares += std::pow(relative_deviation(numbers), 2), ++of.names,
          of.launches = std::max(of.launches, values.size());
    }
  }
  for (const auto& [kind, of] : kinds) {
    const double drift = std::sqrt(of.squares / of.names);
    to.push_back({"drift", drift, drift / std::sqrt(2 * (static_cast<double>(of.launches) - 1)),
                  static_cast<std::int64_t>(of.launches)});
  }
}

constexpr std::string_view kEagerLimit = "eager_limit";

/// Combines repeated values of a launch, such as those from its start and end, into their mean. The error of
/// the mean includes the change between them.
std::vector<Value> values_of(const Measurements& launch) {
  std::vector<Value> out;
  std::map<std::string, std::vector<Value>> by_name;
  for (const Value& value : launch.values) by_name[value.name].push_back(value);
  for (const Value& value : launch.values) {
    std::vector<Value>& all = by_name[value.name];
    if (all.size() < 2 || value.name.starts_with(kEagerLimit)) {
      out.push_back(value);
      continue;
    }
    if (std::ranges::count(out, value.name, &Value::name) > 0) continue;
    const double count = static_cast<double>(all.size());
    Value mean{value.name, 0, 0, 0};
    std::vector<double> numbers, errors;
    for (const Value& each : all)
      numbers.push_back(each.value), errors.push_back(each.standard_error), mean.value += each.value / count,
          mean.samples += each.samples;
    mean.standard_error =
        std::hypot(within(errors), mean.value * relative_deviation(numbers) / std::sqrt(count));
    out.push_back(mean);
  }
  return out;
}

std::vector<Value> joined_values(const std::vector<const Measurements*>& launches) {
  std::map<std::string, std::vector<Value>> by_name;
  std::vector<std::string> order;
  for (const Measurements* launch : launches)
    for (const Value& value : values_of(*launch)) {
      if (!by_name.contains(value.name)) order.push_back(value.name);
      by_name[value.name].push_back(value);
    }
  // A launch that measured a link but has no share had an entire core for each process.
  for (auto& [name, values] : by_name)
    if (const std::string link = "message-" + name.substr(std::min(name.size(), kShareOf.size()));
        name.starts_with(kShareOf))
      for (const Measurements* launch : launches)
        if (has_table(*launch, link) &&
            std::none_of(launch->values.begin(), launch->values.end(),
                         [&name = name](const Value& value) { return value.name == name; }))
          values.push_back({name, 1, 0, 1});
  const auto numbers = [&](const std::string& name) {
    std::vector<double> out;
    for (const Value& value : by_name[name]) out.push_back(value.value);
    return out;
  };
  std::map<std::string, std::pair<double, double>> squares;  // by kind: sum of squares and degrees of freedom
  for (const std::string& name : order) {
    const double freedom = static_cast<double>(by_name[name].size()) - 1;
    auto& [sum, free] = squares[kind_of(name)];
    sum += freedom * std::pow(relative_deviation(numbers(name)), 2), free += freedom;
  }
  std::vector<Value> out;
  for (const std::string& name : order) {
    std::vector<Value>& all = by_name[name];
    Value one = all.front();
    if (all.size() > 1) {
      const double count = static_cast<double>(all.size());
      const auto& [sum, free] = squares[kind_of(name)];
      std::vector<double> errors;
      one.samples = 0;
      for (const Value& value : all) errors.push_back(value.standard_error), one.samples += value.samples;
      one.value = statistics::median(numbers(name));
      one.standard_error =
          std::max(within(errors), one.value * std::sqrt(sum / free / count) * small_sample_factor(free));
      if (name.starts_with(kEagerLimit)) largest(all, one);
    }
    out.push_back(one);
  }
  add_drift(by_name, out);
  return out;
}

std::string without_digits(std::string text) {
  std::erase_if(text, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  return text;
}

Measurements joined(const std::vector<const Measurements*>& launches) {
  Measurements out = *launches.front();
  out.points = joined_points(launches);
  out.left_out = joined_left_out(launches, out.points);
  out.values = joined_values(launches);
  out.sweep.clear(), out.notes.clear(), out.rough.clear();
  std::set<std::string> said;  // sentences without their numbers, to add equal ones once
  std::int32_t pass = 0;
  const auto lacks_one_sided = [](const Measurements* launch) {
    return std::ranges::any_of(launch->notes,
                               [](const std::string& note) { return note.starts_with(kWithoutOneSided); });
  };
  const bool some_has = !std::ranges::all_of(launches, lacks_one_sided);
  for (const Measurements* launch : launches) {
    for (SweepPoint point : launch->sweep) point.pass = pass, out.sweep.push_back(point);
    for (const std::string& note : launch->notes)
      if (!(some_has && note.starts_with(kWithoutOneSided)) && said.insert(without_digits(note)).second)
        out.notes.push_back(note);
    for (const std::string& table : launch->rough)
      if (std::find(out.rough.begin(), out.rough.end(), table) == out.rough.end()) out.rough.push_back(table);
    ++pass;
  }
  return out;
}

}  // namespace

std::vector<double> moderated(const std::vector<double>& deviations, const std::vector<double>& freedom) {
  double sum = 0, free = 0;
  for (std::size_t i = 0; i < deviations.size(); ++i)
    sum += freedom[i] * std::pow(deviations[i], 2), free += freedom[i];
  std::vector<double> out(deviations.size(), 0);
  if (free == 0) return out;
  for (std::size_t i = 0; i < deviations.size(); ++i)
    if (freedom[i] > 0)
      out[i] = std::sqrt((freedom[i] * std::pow(deviations[i], 2) + kShared * sum / free) /
                         (freedom[i] + kShared));
  return out;
}

double small_sample_factor(double freedom) {
  constexpr double kNormal = 1.959963984540054;
  return freedom > 0 ? statistics::student_t_quantile(0.975, freedom) / kNormal : 1;
}

std::vector<Measurements> combined(const std::vector<Measurements>& launches) {
  std::vector<std::vector<const Measurements*>> groups;
  for (const Measurements& launch : launches) {
    const auto at = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      return group.front()->processes == launch.processes;
    });
    if (at == groups.end())
      groups.push_back({&launch});
    else
      at->push_back(&launch);
  }
  std::vector<Measurements> out;
  for (const auto& group : groups) out.push_back(joined(group));
  return out;
}

}  // namespace parcast::calibrate
