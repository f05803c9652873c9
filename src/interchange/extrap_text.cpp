// SPDX-License-Identifier: Apache-2.0
// Extra-P's text form (docs/formats/extrap.md), line by line:
//
//   PARAMETER p n
//   POINTS (2 10) (4 10)
//   REGION main->solve
//   METRIC time
//   DATA 1.25 1.5
//   DATA 2.5
#include <algorithm>
#include <array>
#include <map>

#include "base/number_range.h"
#include "base/text.h"
#include "interchange/measurement_collector.h"
#include "interchange/measurement_columns.h"
#include "interchange/measurement_forms.h"
#include "interchange/measurement_units.h"

namespace parcast::interchange {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";
constexpr std::string_view kUnitComment = "unit of ";

class TextReader {
 public:
  TextReader(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  Result<fit::Measurements> read(const std::string& unit) {
    while (next_line()) PARCAST_TRY(line());
    PARCAST_TRY(end_of_data("the file ends", place_in(text_, where_, text_.size())));
    if (parameters_.empty()) return Error{"no PARAMETER line names a parameter", where_, ""};
    if (points_.empty())
      return Error{"the file ends without a POINTS line", place_in(text_, where_, text_.size()), ""};
    kinds_.tell(collector_);
    return collector_.finish(parameters_, unit, where_);
  }

 private:
  bool next_line() {
    begin_ = at_ = next_;
    if (begin_ >= text_.size()) return false;
    end_ = std::min(text_.find('\n', begin_), text_.size());
    next_ = end_ + 1;
    ++line_;
    return true;
  }

  /// Returns the next word of the line, and an empty one at its end. In points each parenthesis is a word.
  std::string_view word() {
    const std::string_view line = text_.substr(0, end_);
    at_ = std::min(line.find_first_not_of(kBlanks, at_), end_);
    word_ = at_;
    if (parentheses_ && at_ < end_ && (text_[at_] == '(' || text_[at_] == ')')) return text_.substr(at_++, 1);
    at_ = std::min(line.find_first_of(parentheses_ ? " \t\r\v\f()" : kBlanks, at_), end_);
    return text_.substr(word_, at_ - word_);
  }
  /// Returns the rest of the line as a name: outer blanks are removed, and several blanks become one.
  std::string rest() {
    std::string name;
    for (std::string_view next = word(); !next.empty(); next = word())
      name += (name.empty() ? "" : " ") + std::string(next);
    return name;
  }
  std::string here() const {
    return where_ + ":" + std::to_string(line_) + ":" + std::to_string(word_ - begin_ + 1);
  }
  Error error(const std::string& what, const std::string& hint = "") const { return {what, here(), hint}; }

  Result<void> line() {
    parentheses_ = false;
    const std::string_view first = word();
    if (first.empty()) return {};
    if (first.front() == '#') return comment();
    if (first == "PARAMETER") return parameters();
    if (first == "POINTS") return points();
    if (first == "REGION") return begin_data(callpath_);
    if (first == "METRIC") return begin_data(metric_);
    if (first == "DATA") return data();
    static const std::array<std::string, 5> kWords{"PARAMETER", "POINTS", "REGION", "METRIC", "DATA"};
    return error("\"" + std::string(first.substr(0, 40)) + "\" is none of Extra-P's words",
                 did_you_mean(first.substr(0, 40), kWords));
  }

  /// Takes the unit from a comment "# unit of time: us", which Extra-P skips.
  Result<void> comment() {
    at_ = word_ + 1;
    const std::string text = rest();
    const std::size_t colon = text.rfind(": ");
    if (!text.starts_with(kUnitComment) || colon == std::string::npos || colon <= kUnitComment.size())
      return {};
    const auto given = collector_.set_unit(text.substr(kUnitComment.size(), colon - kUnitComment.size()),
                                           text.substr(colon + 2));
    if (!given) return error(given.error().what, given.error().hint);
    return {};
  }

  Result<void> parameters() {
    if (!points_.empty()) return error("a PARAMETER line follows the points", "parameters come first");
    for (std::string_view name = word(); !name.empty(); name = word()) {
      if (std::ranges::find(parameters_, name) != parameters_.end())
        return error("parameter " + std::string(name) + " occurs twice");
      parameters_.emplace_back(name);
    }
    return {};
  }

  Result<double> number(std::string_view text) const {
    const CellValue value = value_of(text);
    if (value.kind == Cell::number) return value.number;
    if (value.kind == Cell::extreme)
      return error(std::string(text.substr(0, 40)) + " is " + std::string(value.fault), kRangeHint);
    return error("\"" + std::string(text.substr(0, 40)) + "\" is not a number",
                 has_decimal_comma(text) ? "write numbers with a point: 1.5" : "");
  }

  /// Reads "(2 10) (4 10)" or "((2) (10)) ((4) (10))"; with one parameter also "2 4".
  Result<void> points() {
    if (parameters_.empty()) return error("a POINTS line precedes PARAMETER", "parameters come first");
    if (started_data_) return error("a POINTS line follows DATA", "points come before");
    parentheses_ = true;
    int depth = 0;
    std::vector<double> point;
    for (std::string_view next = word(); !next.empty(); next = word()) {
      if (next == "(") {
        ++depth;
      } else if (next == ")") {
        if (--depth < 0) return error("a ) closes nothing");
        if (depth == 0) PARCAST_TRY(add_point(point));
      } else {
        PARCAST_ASSIGN(const double x, number(next));
        if (depth == 0 && parameters_.size() > 1)
          return error("coordinates of " + std::to_string(parameters_.size()) + " parameters are outside ( )",
                       "write ( ) round each point");
        point.push_back(x);
        if (depth == 0) PARCAST_TRY(add_point(point));
      }
    }
    if (depth > 0) return error("a ( is not closed");
    return {};
  }

  Result<void> add_point(std::vector<double>& point) {
    if (point.size() != parameters_.size())
      return error("a point has " + std::to_string(point.size()) +
                   (point.size() == 1 ? " coordinate" : " coordinates") + ", and there " +
                   (parameters_.size() == 1 ? "is 1 parameter"
                                            : "are " + std::to_string(parameters_.size()) + " parameters"));
    points_.push_back(collector_.point(point));
    point.clear();
    return {};
  }

  Result<void> begin_data(std::string& name) {
    PARCAST_TRY(
        end_of_data(&name == &callpath_ ? "the next region begins" : "the next metric begins", here()));
    name = rest();
    if (metric_.empty()) return error("METRIC names none");
    next_point_ = 0;
    return {};
  }

  Result<void> end_of_data(const std::string& event, const std::string& place) const {
    if (next_point_ == 0 || next_point_ == points_.size()) return {};
    return Error{event + " after " + std::to_string(next_point_) + " of " + std::to_string(points_.size()) +
                     " DATA lines of " + metric_ + (callpath_.empty() ? "" : " of " + callpath_),
                 place, "every point needs a DATA line"};
  }

  Result<void> data() {
    started_data_ = true;
    if (next_point_ == points_.size())
      return error("there are more DATA lines than points, which are " + std::to_string(points_.size()),
                   "each region has a REGION line");
    const std::size_t kernel = collector_.kernel(callpath_, metric_), point = points_[next_point_++];
    std::string_view next = word();
    if (next.empty()) return error("a DATA line has no value");
    for (; !next.empty(); next = word()) {
      const CellValue read = value_of(next);
      if (read.kind == Cell::missing || read.kind == Cell::extreme) {
        kinds_.add([&] { return here(); }, "a value of " + metric_ + " is " +
                                               std::string(read.kind == Cell::missing ? next : read.fault) +
                                               ", which is left out");
        continue;
      }
      PARCAST_ASSIGN(const double value, number(next));
      collector_.add(kernel, point, value);
    }
    return {};
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t begin_ = 0, end_ = 0, next_ = 0;  // begin and end of the line; begin of the next line
  std::size_t at_ = 0, word_ = 0;               // position after the current word; begin of the current word
  std::size_t line_ = 0;
  bool started_data_ = false, parentheses_ = false;
  std::vector<std::string> parameters_;
  std::vector<std::size_t> points_;
  std::size_t next_point_ = 0;
  std::string callpath_, metric_{kUnknownMetric};
  MeasurementCollector collector_;
  FirstOfKind kinds_;
};

/// Returns whether reading gives the same name: blanks are not folded, and it is one word if `one_word` is
/// set.
bool is_plain(std::string_view name, bool one_word) {
  if (trim(name) != name || name.find_first_of("\n\t\r\v\f") != std::string_view::npos) return false;
  return name.find(one_word ? " " : "  ") == std::string_view::npos;
}

Result<void> check_name(const std::string& name, bool one_word) {
  if (is_plain(name, one_word)) return {};
  return Error{"Extra-P's text form cannot hold the name \"" + name + "\"", "",
               "blanks would be read otherwise; write .json"};
}

/// Returns the points of the first kernel in ascending order. Fails if another kernel has other points.
Result<std::map<std::vector<double>, std::size_t>> common_points(const fit::Measurements& measurements) {
  std::map<std::vector<double>, std::size_t> points;
  for (const auto& point : measurements.kernels.front().points) points.emplace(point, 0);
  for (const fit::Kernel& kernel : measurements.kernels) {
    const bool same =
        kernel.points.size() == points.size() &&
        std::ranges::all_of(kernel.points, [&](const auto& point) { return points.contains(point); });
    if (!same)
      return Error{"Extra-P's text form needs every kernel at the same points, and " + kernel.metric +
                       (kernel.callpath.empty() ? "" : " of " + kernel.callpath) +
                       " is not at those of the first",
                   "", "write .json"};
  }
  return points;
}

void append_points(const std::map<std::vector<double>, std::size_t>& points, std::string& out) {
  for (const auto& [point, unused] : points) {
    out += "POINTS (";
    for (std::size_t i = 0; i < point.size(); ++i) out += (i > 0 ? " " : "") + format_exact(point[i]);
    out += ")\n";
  }
}

}  // namespace

Result<fit::Measurements> measurements_from_extrap_text(std::string_view text, const std::string& where,
                                                        const std::string& unit) {
  return TextReader(text, where).read(unit);
}

Result<std::string> measurements_to_extrap_text(const fit::Measurements& measurements) {
  constexpr std::size_t kMostParameters = 4;
  if (measurements.parameters.size() > kMostParameters)
    return Error{"Extra-P's text form holds at most 4 parameters", "", "write .json"};
  for (const std::string& name : measurements.parameters) PARCAST_TRY(check_name(name, true));
  PARCAST_ASSIGN(auto points, common_points(measurements));
  std::map<std::string, std::string> units;
  std::string body;
  const fit::Kernel* before = nullptr;
  for (const fit::Kernel& kernel : measurements.kernels) {
    PARCAST_TRY(check_name(kernel.callpath, false));
    PARCAST_TRY(check_name(kernel.metric, false));
    PARCAST_TRY(check_name(kernel.unit, false));
    if (!kernel.unit.empty() && kernel.unit != unit_of_metric(kernel.metric))
      units[kernel.metric] = kernel.unit;
    if (!before || before->callpath != kernel.callpath) body += "\nREGION " + kernel.callpath + "\n";
    body += "METRIC " + kernel.metric + "\n";
    before = &kernel;
    for (std::size_t i = 0; i < kernel.points.size(); ++i) points[kernel.points[i]] = i;
    for (const auto& [point, row] : points) {
      body += "DATA";
      for (const double value : kernel.values[row]) body += " " + format_exact(value);
      body += "\n";
    }
  }
  std::string out;
  for (const auto& [metric, unit] : units)
    out += "# " + std::string(kUnitComment) + metric + ": " + unit + "\n";
  for (const std::string& name : measurements.parameters) out += "PARAMETER " + name + "\n";
  append_points(points, out);
  return out + body;
}

}  // namespace parcast::interchange
