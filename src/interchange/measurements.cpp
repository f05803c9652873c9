// SPDX-License-Identifier: Apache-2.0
#include "interchange/measurements.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "base/files.h"
#include "base/text.h"
#include "interchange/measurement_forms.h"
#include "interchange/measurement_ranks.h"

namespace parcast::interchange {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";
constexpr std::string_view kSpaces = " \t\r\n";

/// Returns the length in bytes of the UTF-8 character at the front, 0 if it is invalid.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) >= 0xA0) ||
      (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) >= 0x90))
    return 0;
  return length;
}

/// Returns the position of the first byte that is not valid UTF-8; the size if all bytes are valid.
std::size_t first_broken(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return text.size();
}

bool is_utf8(std::string_view text) {
  return first_broken(text) == text.size();
}

/// Calls `each` for the lines that are neither empty nor comments, without outer blanks, until it returns
/// false.
template <class Each>
void each_line(std::string_view text, const Each& each) {
  while (!text.empty()) {
    const std::string_view line = trim(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    if (!line.empty() && line.front() != '#' && !each(line)) return;
  }
}

/// Extra-P's text begins with PARAMETER. An incomplete text may begin with another of its words; then a
/// second such word is required.
bool is_extrap_text(std::string_view text) {
  constexpr auto kWords =
      std::to_array<std::string_view>({"PARAMETER", "POINTS", "METRIC", "REGION", "DATA"});
  int lines = 0, known = 0;
  bool parameters = false;
  each_line(text, [&](std::string_view line) {
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    known += std::ranges::find(kWords, word) != kWords.end();
    parameters |= word == "PARAMETER" && lines == 0;
    return ++lines < 2;
  });
  return parameters || (lines > 0 && known == lines);
}

/// Returns the next quoted text of an object, as written, and moves past it.
std::string_view next_key(std::string_view& text) {
  const std::size_t begin = text.find('"');
  const std::size_t end = begin == std::string_view::npos ? begin : text.find('"', begin + 1);
  if (end == std::string_view::npos) return {};
  const std::string_view key = text.substr(begin + 1, end - begin - 1);
  text.remove_prefix(end + 1);
  return key;
}

/// A line of JSON lines has `params` and `value`; the single object of JSON has `parameters` and
/// `measurements`.
MeasurementForm json_or_lines(std::string_view text) {
  for (std::string_view key = next_key(text); !key.empty(); key = next_key(text)) {
    if (key == "params" || key == "value" || key == "callpath" || key == "metric")
      return MeasurementForm::extrap_json_lines;
    if (key == "parameters" || key == "measurements" || key == "callpaths" || key == "coordinates" ||
        key == "metrics")
      break;
  }
  return MeasurementForm::extrap_json;
}

Error named(const Error& error, const std::string& where) {
  return {error.what, error.where.empty() ? where : error.where, error.hint};
}

Result<fit::Measurements> read_as(MeasurementForm form, std::string_view text, const std::string& where,
                                  const MeasurementOptions& options) {
  switch (form) {
    case MeasurementForm::csv:
      return measurements_from_csv(text, where, options);
    case MeasurementForm::extrap_text:
      return measurements_from_extrap_text(text, where, options.unit);
    case MeasurementForm::extrap_json:
      return measurements_from_extrap_json(text, where, options.unit);
    case MeasurementForm::extrap_json_lines:
      break;
  }
  return measurements_from_extrap_json_lines(text, where, options.unit);
}

Result<void> check_text(const std::string& text, const std::string& what) {
  if (!is_utf8(text)) return Error{what + " is not UTF-8", "", ""};
  if (text.find('\0') != std::string::npos) return Error{what + " holds a zero byte", "", ""};
  return {};
}

Result<void> check_kernel(const fit::Kernel& kernel, std::size_t parameters) {
  const std::string name =
      kernel.metric + " of " + (kernel.callpath.empty() ? "the whole program" : kernel.callpath);
  if (kernel.metric.empty())
    return Error{
        "a metric of " + (kernel.callpath.empty() ? "the whole program" : kernel.callpath) + " has no name",
        "", ""};
  for (const std::string* text : {&kernel.callpath, &kernel.metric, &kernel.unit})
    PARCAST_TRY(check_text(*text, "a text of " + name));
  if (kernel.points.empty()) return Error{name + " has no point", "", ""};
  if (kernel.points.size() != kernel.values.size())
    return Error{name + " has points and values of different number", "", ""};
  std::set<std::vector<double>> seen;
  for (std::size_t i = 0; i < kernel.points.size(); ++i) {
    if (kernel.points[i].size() != parameters)
      return Error{name + " has a point of another width than there are parameters", "", ""};
    if (kernel.values[i].empty()) return Error{name + " has a point without a value", "", ""};
    for (const auto* row : {&kernel.points[i], &kernel.values[i]})
      if (!std::ranges::all_of(*row, [](double x) { return std::isfinite(x); }))
        return Error{name + " has a number that is not finite", "", ""};
    if (!seen.insert(kernel.points[i]).second) return Error{name + " has one point twice", "", ""};
  }
  return {};
}

}  // namespace

std::string place_in(std::string_view text, const std::string& where, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return where + ":" + std::to_string(line) + ":" + std::to_string(offset - begin + 1);
}

std::optional<MeasurementForm> form_of_name(std::string_view path) {
  if (path.ends_with(".csv")) return MeasurementForm::csv;
  if (path.ends_with(".txt")) return MeasurementForm::extrap_text;
  if (path.ends_with(".json")) return MeasurementForm::extrap_json;
  if (path.ends_with(".jsonl")) return MeasurementForm::extrap_json_lines;
  return std::nullopt;
}

std::optional<MeasurementForm> form_of_text(std::string_view text) {
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos || text.find('\0') != std::string_view::npos) return std::nullopt;
  if (text[begin] == '{') return json_or_lines(text.substr(begin));
  if (text[begin] == '[') return std::nullopt;
  return is_extrap_text(text) ? MeasurementForm::extrap_text : MeasurementForm::csv;
}

Result<fit::Measurements> measurements_from(std::string_view text, const std::string& where,
                                            const MeasurementOptions& options) {
  if (text.starts_with("PK\x03\x04"))
    return Error{"this is a packed file, perhaps an experiment of Extra-P (.extra-p), which is not read",
                 where,
                 "take the file that the experiment was made of: an experiment keeps models and means, and "
                 "measured values only with --keep-values"};
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  if (text.find_first_not_of(kSpaces) == std::string_view::npos) return Error{"the file is empty", where, ""};
  const auto form = form_of_text(text);
  if (!form)
    return Error{"this is neither CSV nor one of Extra-P's forms", where,
                 "give CSV, or Extra-P's text, JSON or JSON lines"};
  if (const std::size_t broken = first_broken(text); broken < text.size())
    return Error{"this is not UTF-8", place_in(text, where, broken),
                 "convert the file: iconv -f latin1 -t utf8"};
  if (*form != MeasurementForm::csv && (!options.parameters.empty() || !options.metrics.empty()))
    return Error{
        "parameters and metrics are named for CSV, and this is a file of Extra-P, which names them itself",
        where, "leave --parameters and --metrics out"};
  PARCAST_ASSIGN(fit::Measurements read, read_as(*form, text, where, options));
  if (options.ranks) {
    PARCAST_ASSIGN(read, over_ranks(std::move(read), where));
  }
  if (const auto good = check(read); !good) return named(good.error(), where);
  return read;
}

Result<fit::Measurements> read_measurements(const std::string& path, const MeasurementOptions& options) {
  PARCAST_ASSIGN(const std::string text, read_file(path));
  return measurements_from(text, path, options);
}

Result<std::string> measurements_to(const fit::Measurements& measurements, MeasurementForm form) {
  PARCAST_TRY(check(measurements));
  switch (form) {
    case MeasurementForm::csv:
      return measurements_to_csv(measurements);
    case MeasurementForm::extrap_text:
      return measurements_to_extrap_text(measurements);
    case MeasurementForm::extrap_json:
      return measurements_to_extrap_json(measurements);
    case MeasurementForm::extrap_json_lines:
      break;
  }
  return measurements_to_extrap_json_lines(measurements);
}

Result<void> write_measurements(const fit::Measurements& measurements, const std::string& path,
                                MeasurementForm form) {
  const auto text = measurements_to(measurements, form);
  if (!text) return named(text.error(), path);
  return write_file(path, *text);
}

Result<void> check(const fit::Measurements& measurements) {
  if (measurements.parameters.empty()) return Error{"there is no parameter", "", ""};
  if (measurements.kernels.empty()) return Error{"there is no measured value", "", ""};
  std::set<std::string> parameters;
  for (const std::string& name : measurements.parameters) {
    if (name.empty()) return Error{"a parameter has no name", "", ""};
    PARCAST_TRY(check_text(name, "the name of a parameter"));
    if (!parameters.insert(name).second) return Error{"parameter " + name + " occurs twice", "", ""};
  }
  std::set<std::pair<std::string_view, std::string_view>> kernels;
  std::map<std::string_view, std::string_view> units;
  for (const fit::Kernel& kernel : measurements.kernels) {
    PARCAST_TRY(check_kernel(kernel, parameters.size()));
    if (!kernels.emplace(kernel.callpath, kernel.metric).second)
      return Error{kernel.metric + " of " + kernel.callpath + " occurs twice", "", ""};
    if (const auto unit = units.try_emplace(kernel.metric, kernel.unit).first->second; unit != kernel.unit)
      return Error{kernel.metric + " is in " + std::string(unit) + " and in " + kernel.unit, "",
                   "bring the values to one unit"};
  }
  return {};
}

}  // namespace parcast::interchange
