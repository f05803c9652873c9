// SPDX-License-Identifier: Apache-2.0
// Extra-P's JSON lines (docs/formats/extrap.md), one object per line:
//
//   {"params":{"p":2,"n":10},"callpath":"main->solve","metric":"time","value":1.25}
#include <map>

#include "base/number_range.h"
#include "base/text.h"
#include "interchange/measurement_collector.h"
#include "interchange/measurement_units.h"
#include "interchange/positioned_json.h"

namespace parcast::interchange {
namespace {

class LinesReader {
 public:
  LinesReader(std::string_view text, const std::string& where) : place_{text, &where}, where_(where) {}

  Result<fit::Measurements> read(const std::string& unit) {
    const std::string_view text = place_.text;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      if (!trim(text.substr(begin, end - begin)).empty()) PARCAST_TRY(line(begin, end));
      begin = end + 1;
    }
    kinds_.tell(collector_);
    return collector_.finish(parameters_, unit, where_);
  }

  Result<void> begin(bool array) {
    ++depth_;
    if (depth_ == 1 && array) return place_.error("a line is an object");
    if (depth_ == 2) part_ = key_;
    if (depth_ == 2 && part_ == "params" && array) return place_.error("\"params\" is an object");
    if (depth_ == 2 && part_ == "value" && !array)
      return place_.error("\"value\" is a number or a list of numbers");
    if (depth_ == 2 && (part_ == "callpath" || part_ == "metric" || part_ == "unit"))
      return place_.error("\"" + part_ + "\" is a text");
    if (depth_ == 2 && part_ != "params" && part_ != "value") return pass_over();
    if (depth_ > 2 && (part_ == "params" || part_ == "value"))
      return place_.error("a number is expected here");
    has_value_ |= part_ == "value";
    return {};
  }
  Result<void> end() {
    if (--depth_ == 1) part_.clear();
    return {};
  }
  Result<void> key(const std::string& name) { return key_ = name, Result<void>(); }

  Result<void> scalar(const JsonScalar& value) {
    if (depth_ == 0) return place_.error("a line is an object");
    if (depth_ == 2 && part_ == "params") return parameter(value);
    if (part_ == "value" || (depth_ == 1 && key_ == "value")) return add(value);
    if (depth_ > 1) return {};
    if (key_ == "params") return place_.error("\"params\" is an object");
    std::string* text = key_ == "callpath" ? &callpath_
                        : key_ == "metric" ? &metric_
                        : key_ == "unit"   ? &unit_
                                           : nullptr;
    if (!text) return pass_over();
    if (!value.text) return place_.error("\"" + key_ + "\" is a text");
    *text = *value.text;
    return {};
  }

 private:
  Result<void> line(std::size_t begin, std::size_t end) {
    callpath_.clear(), metric_.clear(), unit_.clear(), params_.clear(), values_.clear();
    has_value_ = false;
    PARCAST_TRY(read_json(*this, place_, begin, end));
    place_.token = begin;
    if (params_.empty()) return place_.error("the line has no \"params\"");
    if (!has_value_) return place_.error("the line has no \"value\"");
    PARCAST_ASSIGN(const std::size_t point, this->point());
    const std::size_t kernel = collector_.kernel(callpath_, metric_);
    for (const double value : values_) collector_.add(kernel, point, value);
    if (unit_.empty()) return {};
    const auto given = collector_.set_unit(metric_.empty() ? std::string(kUnknownMetric) : metric_, unit_);
    if (!given) return place_.error(given.error().what, given.error().hint);
    return {};
  }

  Result<void> pass_over() {
    kinds_.add([&] { return place_.given(); }, "\"" + key_ + "\" is not understood, and passed over");
    return {};
  }

  Result<void> parameter(const JsonScalar& value) {
    if (!value.number) return place_.error("parameter " + key_ + " is not a number");
    if (!is_in_range(*value.number))
      return place_.error("parameter " + key_ + " is " + std::string(fault_of(*value.number)), kRangeHint);
    for (const auto& [name, before] : params_)
      if (name == key_) return place_.error("parameter " + key_ + " occurs twice");
    params_.emplace_back(key_, *value.number);
    return {};
  }

  Result<void> add(const JsonScalar& value) {
    has_value_ = true;
    if (value.text) return place_.error("\"" + value.text->substr(0, 40) + "\" is not a number");
    if (value.number && is_in_range(*value.number))
      values_.push_back(*value.number);
    else
      kinds_.add([&] { return place_.given(); },
                 "a value is " + std::string(value.number ? fault_of(*value.number) : "not a number") +
                     ", which is left out");
    return {};
  }

  /// The first line determines the parameters and their order.
  Result<std::size_t> point() {
    if (parameters_.empty())
      for (const auto& [name, value] : params_) parameters_.push_back(name);
    std::vector<double> coordinates;
    for (const std::string& name : parameters_) {
      const auto at = std::ranges::find(params_, name, &std::pair<std::string, double>::first);
      if (at == params_.end())
        return place_.error("the line has no value of parameter " + name,
                            "every line has the same parameters");
      coordinates.push_back(at->second);
    }
    if (params_.size() != parameters_.size())
      return place_.error("the line has a parameter that the first has not",
                          "every line has the same parameters");
    return collector_.point(coordinates);
  }

  JsonPlace place_;
  const std::string& where_;
  int depth_ = 0;
  std::string key_, part_;  // the last key, and the key of the open member of the line's object
  std::string callpath_, metric_, unit_;
  std::vector<std::pair<std::string, double>> params_;
  std::vector<double> values_;
  bool has_value_ = false;
  std::vector<std::string> parameters_;
  MeasurementCollector collector_;
  FirstOfKind kinds_;
};

}  // namespace

Result<fit::Measurements> measurements_from_extrap_json_lines(std::string_view text, const std::string& where,
                                                              const std::string& unit) {
  return LinesReader(text, where).read(unit);
}

Result<std::string> measurements_to_extrap_json_lines(const fit::Measurements& measurements) {
  std::string out;
  for (const fit::Kernel& kernel : measurements.kernels) {
    std::string tail = "}";
    if (!kernel.callpath.empty()) tail += ",\"callpath\":" + json_text(kernel.callpath);
    tail += ",\"metric\":" + json_text(kernel.metric);
    if (!kernel.unit.empty() && kernel.unit != unit_of_metric(kernel.metric))
      tail += ",\"unit\":" + json_text(kernel.unit);
    for (std::size_t p = 0; p < kernel.points.size(); ++p) {
      out += "{\"params\":{";
      for (std::size_t i = 0; i < kernel.points[p].size(); ++i)
        out += (i > 0 ? "," : "") + json_text(measurements.parameters[i]) + ":" +
               format_exact(kernel.points[p][i]);
      out += tail + ",\"value\":[";
      for (std::size_t r = 0; r < kernel.values[p].size(); ++r)
        out += (r > 0 ? "," : "") + format_exact(kernel.values[p][r]);
      out += "]}\n";
    }
  }
  return out;
}

}  // namespace parcast::interchange
