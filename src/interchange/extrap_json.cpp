// SPDX-License-Identifier: Apache-2.0
// Extra-P's JSON (docs/formats/extrap.md). Its shape is call paths that hold metrics that hold points. In the
// older shape, measurements refer to all of these by numbers.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/number_range.h"
#include "base/text.h"
#include "interchange/extrap_ids.h"
#include "interchange/measurement_collector.h"
#include "interchange/measurement_units.h"
#include "interchange/positioned_json.h"

namespace parcast::interchange {
namespace {

/// What the current object or array holds.
enum class Holds {
  all,         // the file's object
  parameters,  // names, or entries
  units,       // units of metrics, an extension of Parcast
  callpaths,   // by name: metrics
  metrics,     // by name: lists of points
  points,
  point,
  coordinates,  // coordinates of a point
  values,
  entries,  // older shape: numbers and names
  entry,
  id_coordinates,
  id_coordinate,
  pairs,
  pair,
  id_measurements,
  id_measurement,
  nothing,  // unknown content, which is skipped
};

class JsonReader {
 public:
  JsonReader(std::string_view text, const std::string& where) : place_{text, &where}, where_(where) {}

  Result<fit::Measurements> read(const std::string& unit) {
    PARCAST_TRY(read_json(*this, place_, 0, place_.text.size()));
    if (!ids_.empty()) {
      if (width_ > 0 || !parameters_.empty())
        return Error{"the file mixes both of Extra-P's JSON shapes", where_, ""};
      PARCAST_ASSIGN(parameters_, ids_.resolve(collector_, where_));
    }
    if (parameters_.empty())
      return Error{"the file names no parameters", where_, "\"parameters\" lists them"};
    if (width_ > 0 && width_ != parameters_.size())
      return Error{"points have " + std::to_string(width_) + " coordinates, and the file names " +
                       std::to_string(parameters_.size()) + " parameters",
                   where_, ""};
    kinds_.tell(collector_);
    return collector_.finish(parameters_, unit, where_);
  }

  Result<void> begin(bool array) {
    if (open_.empty()) {
      if (array) return place_.error("a JSON file of Extra-P is an object, not an array");
      open_.push_back(Holds::all);
      return {};
    }
    PARCAST_ASSIGN(const Holds inner, inside(array));
    if (inner == Holds::point) has_point_ = has_values_ = false, coordinates_.clear(), values_.clear();
    if (inner == Holds::entry || inner == Holds::id_coordinate || inner == Holds::id_measurement)
      id_.reset(), fields_.clear(), name_.reset(), pairs_.clear();
    if (inner == Holds::pair) fields_.clear();
    open_.push_back(inner);
    return {};
  }

  Result<void> end() {
    const Holds closed = open_.back();
    open_.pop_back();
    switch (closed) {
      case Holds::point:
        return end_point();
      case Holds::entry:
        return end_entry();
      case Holds::pair:
        return end_pair();
      case Holds::id_coordinate:
        return end_coordinate();
      case Holds::id_measurement:
        return end_measurement();
      default:
        return {};
    }
  }

  Result<void> key(const std::string& name) {
    key_ = name;
    switch (open_.back()) {
      case Holds::all:
        top_ = name;
        if (name == "Extra-P")
          return place_.error("this is an experiment of Extra-P (.extra-p), which is not read",
                              "take the file that the experiment was made of: an experiment keeps models and "
                              "means, and measured values only with --keep-values");
        return {};
      case Holds::callpaths:
        return callpath_ = name, Result<void>();
      case Holds::metrics:
        return kernel_ = collector_.kernel(callpath_, name), metric_ = name, Result<void>();
      default:
        return {};
    }
  }

  Result<void> scalar(const JsonScalar& value) {
    if (open_.empty()) return place_.error("a JSON file of Extra-P is an object");
    switch (open_.back()) {
      case Holds::parameters:
        return add_parameter(value);
      case Holds::coordinates:
        return add_coordinate(value);
      case Holds::values:
        return add_value(value);
      case Holds::units:
        if (!value.text) return place_.error("the unit of " + key_ + " is not a text");
        return unit(*value.text);
      case Holds::point:
        if (key_ == "point") return has_point_ = true, add_coordinate(value);
        if (key_ == "values") return has_values_ = true, add_value(value);
        return pass_over();
      case Holds::entry:
      case Holds::id_coordinate:
      case Holds::pair:
      case Holds::id_measurement:
        return field(value);
      case Holds::all:
        return known_at_top(key_) ? place_.error("\"" + key_ + "\" is neither object nor array")
                                  : pass_over();
      case Holds::nothing:
        return {};
      default:
        return unexpected();
    }
  }

 private:
  Result<void> unexpected() const {
    return place_.error("this is not expected here in Extra-P's JSON",
                        "docs/formats/extrap.md describes the format");
  }

  static bool known_at_top(const std::string& key) {
    static constexpr auto kKeys = std::to_array<std::string_view>(
        {"parameters", "measurements", "callpaths", "metrics", "coordinates", "units"});
    return std::ranges::find(kKeys, key) != kKeys.end();
  }

  Result<void> pass_over() {
    kinds_.add([&] { return place_.given(); }, "\"" + key_ + "\" is not understood, and passed over");
    return {};
  }
  Result<Holds> passed_over() {
    PARCAST_TRY(pass_over());
    return Holds::nothing;
  }

  Result<Holds> inside(bool array) {
    switch (open_.back()) {
      case Holds::all:
        return inside_all(array);
      case Holds::parameters:
      case Holds::entries:
        if (!array) return Holds::entry;
        break;
      case Holds::callpaths:
        if (!array) return Holds::metrics;
        break;
      case Holds::metrics:
        if (array) return Holds::points;
        break;
      case Holds::points:
        if (!array) return Holds::point;
        break;
      case Holds::point:
        if (key_ == "point" && array) return has_point_ = true, Holds::coordinates;
        if (key_ == "values" && array) return has_values_ = true, Holds::values;
        return passed_over();
      case Holds::id_coordinates:
        if (!array) return Holds::id_coordinate;
        break;
      case Holds::id_coordinate:
        if (key_ == "parameter_value_pairs" && array) return Holds::pairs;
        return passed_over();
      case Holds::pairs:
        if (!array) return Holds::pair;
        break;
      case Holds::id_measurements:
        if (!array) return Holds::id_measurement;
        break;
      case Holds::entry:
      case Holds::pair:
      case Holds::id_measurement:
        return passed_over();
      case Holds::nothing:
        return Holds::nothing;
      default:
        break;
    }
    return unexpected().error();
  }

  Result<Holds> inside_all(bool array) {
    if (key_ == "parameters" && array) return Holds::parameters;
    if (key_ == "measurements") return array ? Holds::id_measurements : Holds::callpaths;
    if ((key_ == "callpaths" || key_ == "metrics") && array) return Holds::entries;
    if (key_ == "coordinates" && array) return Holds::id_coordinates;
    if (key_ == "units" && !array) return Holds::units;
    if (known_at_top(key_)) return unexpected().error();
    return passed_over();
  }

  Result<void> unit(const std::string& text) {
    const auto given = collector_.set_unit(key_, text);
    if (!given) return place_.error(given.error().what, given.error().hint);
    return {};
  }

  Result<void> add_parameter(const JsonScalar& value) {
    if (!value.text) return place_.error("the name of a parameter is a text");
    parameters_.push_back(*value.text);
    return {};
  }

  Result<void> add_coordinate(const JsonScalar& value) {
    if (!value.number) return place_.error("a coordinate is a number");
    PARCAST_TRY(check_coordinate(*value.number));
    coordinates_.push_back(*value.number);
    return {};
  }

  Result<void> add_value(const JsonScalar& value) {
    if (value.number && is_in_range(*value.number)) {
      values_.push_back(*value.number);
      return {};
    }
    if (value.number) {
      kinds_.add(
          [&] { return place_.given(); },
          "a value of " + metric_ + " is " + std::string(fault_of(*value.number)) + ", which is left out");
      return {};
    }
    if (value.text) return place_.error("\"" + value.text->substr(0, 40) + "\" is not a number");
    kinds_.add([&] { return place_.given(); },
               "a value of " + metric_ + " is not a number, which is left out");
    return {};
  }

  Result<void> end_point() {
    if (!has_point_ || !has_values_)
      return place_.error(std::string("a point of ") + metric_ + " has no \"" +
                          (has_point_ ? "values" : "point") + "\"");
    const std::size_t width = width_ > 0            ? width_
                              : parameters_.empty() ? coordinates_.size()
                                                    : parameters_.size();
    if (coordinates_.empty() || coordinates_.size() != width)
      return place_.error("a point has " + std::to_string(coordinates_.size()) +
                          (coordinates_.size() == 1 ? " coordinate" : " coordinates") +
                          ", others have, or parameters are, " + std::to_string(width));
    width_ = width;
    if (values_.empty())
      kinds_.add([&] { return place_.given(); }, "a point of " + metric_ + " has no value, and is left out");
    const std::size_t point = collector_.point(coordinates_);
    for (const double value : values_) collector_.add(kernel_, point, value);
    return {};
  }

  /// Takes a field of the older shape, where numbers may be written as text.
  Result<void> field(const JsonScalar& value) {
    if (key_ == "name" && value.text && open_.back() == Holds::entry)
      return name_ = value.text, Result<void>();
    const double number =
        value.number.value_or(value.text ? parse_double(trim(*value.text)).value_or(NAN) : NAN);
    static constexpr auto kFields = std::to_array<std::string_view>(
        {"id", "callpath_id", "metric_id", "coordinate_id", "parameter_id", "parameter_value", "value"});
    if (std::ranges::find(kFields, key_) == kFields.end() || (key_ == "id" && open_.back() == Holds::pair))
      return pass_over();
    if (key_ == "value" && !is_in_range(number)) {
      kinds_.add([&] { return place_.given(); },
                 "a value is " + std::string(std::isnan(number) ? "not a number" : fault_of(number)) +
                     ", which is left out");
      left_out_ = true;
      return {};
    }
    const bool whole = number == std::floor(number) && std::fabs(number) < 9e15;
    if (std::isnan(number) || (key_.ends_with("id") && !whole))
      return place_.error("\"" + key_ + "\" is not " +
                          (key_.ends_with("id") ? "a whole number" : "a number"));
    if (!key_.ends_with("id")) PARCAST_TRY(check_coordinate(number));
    if (key_ == "id")
      id_ = static_cast<std::int64_t>(number);
    else
      fields_[key_] = number;
    return {};
  }

  Result<void> check_coordinate(double number) const {
    if (is_in_range(number)) return {};
    return place_.error("a coordinate is " + std::string(fault_of(number)), kRangeHint);
  }

  Result<double> field_of(const std::string& key) const {
    const auto at = fields_.find(key);
    if (at == fields_.end()) return place_.error("\"" + key + "\" is missing");
    return at->second;
  }
  Result<std::int64_t> id_of(const std::string& key) const {
    PARCAST_ASSIGN(const double id, field_of(key));
    return static_cast<std::int64_t>(id);
  }

  Result<void> end_entry() {
    if (!id_ || !name_) return place_.error(std::string("\"") + (id_ ? "name" : "id") + "\" is missing");
    auto& names = top_ == "parameters" ? ids_.parameters : top_ == "metrics" ? ids_.metrics : ids_.callpaths;
    if (!names.emplace(*id_, *name_).second)
      return place_.error("number " + std::to_string(*id_) + " occurs twice in \"" + top_ + "\"");
    return {};
  }

  Result<void> end_pair() {
    PARCAST_ASSIGN(const std::int64_t parameter, id_of("parameter_id"));
    PARCAST_ASSIGN(const double value, field_of("parameter_value"));
    if (!pairs_.emplace(parameter, value).second)
      return place_.error("parameter " + std::to_string(parameter) + " occurs twice in a coordinate");
    return {};
  }

  Result<void> end_coordinate() {
    if (!id_) return place_.error("\"id\" is missing");
    if (!ids_.coordinates.emplace(*id_, pairs_).second)
      return place_.error("number " + std::to_string(*id_) + " occurs twice in \"coordinates\"");
    return {};
  }

  Result<void> end_measurement() {
    if (std::exchange(left_out_, false)) return {};
    ExtrapIds::Measurement out;
    PARCAST_ASSIGN(out.callpath, id_of("callpath_id"));
    PARCAST_ASSIGN(out.metric, id_of("metric_id"));
    PARCAST_ASSIGN(out.coordinate, id_of("coordinate_id"));
    PARCAST_ASSIGN(out.value, field_of("value"));
    ids_.measurements.push_back(out);
    return {};
  }

  JsonPlace place_;
  const std::string& where_;
  std::vector<Holds> open_;
  std::string key_, top_;  // the last key, and the last key of the top-level object
  std::vector<std::string> parameters_;
  std::string callpath_, metric_;
  std::size_t kernel_ = 0, width_ = 0;  // number of coordinates of each point; 0 before the first point
  bool has_point_ = false, has_values_ = false, left_out_ = false;
  std::vector<double> coordinates_, values_;
  std::optional<std::int64_t> id_;
  std::optional<std::string> name_;
  std::map<std::string, double> fields_;
  std::map<std::int64_t, double> pairs_;
  ExtrapIds ids_;
  MeasurementCollector collector_;
  FirstOfKind kinds_;
};

void append_numbers(const std::vector<double>& numbers, std::string& out) {
  for (std::size_t i = 0; i < numbers.size(); ++i) out += (i > 0 ? "," : "") + format_exact(numbers[i]);
}

void append_points(const fit::Kernel& kernel, std::string& out) {
  for (std::size_t p = 0; p < kernel.points.size(); ++p) {
    out += p > 0 ? ",\n      {\"point\":[" : "\n      {\"point\":[";
    append_numbers(kernel.points[p], out);
    out += "],\"values\":[";
    append_numbers(kernel.values[p], out);
    out += "]}";
  }
}

}  // namespace

Result<fit::Measurements> measurements_from_extrap_json(std::string_view text, const std::string& where,
                                                        const std::string& unit) {
  return JsonReader(text, where).read(unit);
}

Result<std::string> measurements_to_extrap_json(const fit::Measurements& measurements) {
  std::string out = "{\"parameters\":[";
  for (std::size_t i = 0; i < measurements.parameters.size(); ++i)
    out += (i > 0 ? "," : "") + json_text(measurements.parameters[i]);
  std::map<std::string, std::string> units;
  std::vector<std::string> callpaths;
  std::map<std::string, std::vector<const fit::Kernel*>> kernels;
  for (const fit::Kernel& kernel : measurements.kernels) {
    auto& of = kernels[kernel.callpath];
    if (of.empty()) callpaths.push_back(kernel.callpath);
    of.push_back(&kernel);
    if (!kernel.unit.empty() && kernel.unit != unit_of_metric(kernel.metric))
      units[kernel.metric] = kernel.unit;
  }
  out += "],\n";
  std::string given;
  for (const auto& [metric, unit] : units)
    given += (given.empty() ? "" : ",") + json_text(metric) + ":" + json_text(unit);
  if (!units.empty()) out += "\"units\":{" + given + "},\n";
  out += "\"measurements\":{";
  for (std::size_t c = 0; c < callpaths.size(); ++c) {
    out += (c > 0 ? ",\n  " : "\n  ") + json_text(callpaths[c]) + ":{";
    const auto& of = kernels[callpaths[c]];
    for (std::size_t k = 0; k < of.size(); ++k) {
      out += (k > 0 ? ",\n    " : "\n    ") + json_text(of[k]->metric) + ":[";
      append_points(*of[k], out);
      out += "]";
    }
    out += "}";
  }
  return out + "}}\n";
}

}  // namespace parcast::interchange
