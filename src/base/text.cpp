// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <numeric>

#include "base/number_range.h"

namespace parcast {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

struct Unit {
  std::string_view name;
  double factor;
  Dimension dimension;
};

constexpr auto kUnits = std::to_array<Unit>({
    {"", 1, Dimension::none},
    {"ns", 1e-9, Dimension::time},
    {"us", 1e-6, Dimension::time},
    {"ms", 1e-3, Dimension::time},
    {"s", 1, Dimension::time},
    {"min", 60, Dimension::time},
    {"h", 3600, Dimension::time},
    {"d", 86400, Dimension::time},
    {"B", 1, Dimension::data},
    {"KB", 1e3, Dimension::data},
    {"kB", 1e3, Dimension::data},
    {"MB", 1e6, Dimension::data},
    {"GB", 1e9, Dimension::data},
    {"TB", 1e12, Dimension::data},
    {"KiB", 1024., Dimension::data},
    {"MiB", 1048576., Dimension::data},
    {"GiB", 1073741824., Dimension::data},
    {"TiB", 1099511627776., Dimension::data},
});

const Unit* find_unit(std::string_view name) {
  const auto at = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& u) { return u.name == name; });
  return at == kUnits.end() ? nullptr : &*at;
}

/// Returns the unit; "GB/s" and "ns/B" are read as quotients of units in the table above.
std::optional<Measure> unit_of(std::string_view name) {
  if (const Unit* unit = find_unit(name)) return Measure{unit->factor, unit->dimension};
  const auto slash = name.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const Unit* above = find_unit(trim(name.substr(0, slash)));
  const Unit* below = find_unit(trim(name.substr(slash + 1)));
  if (!above || !below) return std::nullopt;
  if (above->dimension == Dimension::data && below->dimension == Dimension::time)
    return Measure{above->factor / below->factor, Dimension::rate};
  if (above->dimension == Dimension::time && below->dimension == Dimension::data)
    return Measure{above->factor / below->factor, Dimension::time_per_byte};
  return std::nullopt;
}

std::string_view example_unit(Dimension dimension) {
  switch (dimension) {
    case Dimension::time:
      return "us";
    case Dimension::data:
      return "B";
    case Dimension::rate:
      return "GB/s";
    case Dimension::time_per_byte:
      return "ns/B";
    case Dimension::none:
      break;
  }
  return "";
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(separator, begin)) != std::string_view::npos; begin = end + 1)
    parts.emplace_back(text.substr(begin, end - begin));
  parts.emplace_back(text.substr(begin));
  return parts;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i) out += separator;
    out += parts[i];
  }
  return out;
}

std::string demangled(const std::string& linked) {
  if (!linked.starts_with("_Z")) return linked;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(linked.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : linked;
}

std::optional<double> parse_double(std::string_view text) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::optional<long long> parse_integer(std::string_view text) {
  long long value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> candidates) {
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    const std::size_t distance = lower(name) == lower(candidate) ? 0 : edit_distance(name, candidate);
    if (distance < best_distance) best = candidate, best_distance = distance;
  }
  return best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const auto near = nearest_name(name, candidates);
  return near ? "did you mean " + *near + "?" : "";
}

std::string_view to_string(Dimension dimension) {
  switch (dimension) {
    case Dimension::none:
      return "a plain number";
    case Dimension::time:
      return "a time";
    case Dimension::data:
      return "a size in bytes";
    case Dimension::rate:
      return "a rate in bytes per second";
    case Dimension::time_per_byte:
      return "a time per byte";
  }
  return "";
}

Result<Measure> parse_measure(std::string_view text) {
  const std::string_view all = trim(text);
  double number = 0;
  const auto [end, problem] = std::from_chars(all.data(), all.data() + all.size(), number);
  if (problem == std::errc::result_out_of_range)
    return Error{"\"" + std::string(text) + "\" is " +
                     std::string(fault_of(all.substr(0, static_cast<std::size_t>(end - all.data())))),
                 "", kRangeHint};
  if (problem != std::errc() || !std::isfinite(number))
    return Error{"\"" + std::string(text) + "\" is not a number with a unit", "",
                 "write for example 2us, 64KiB or 10GB/s"};
  const std::string_view name = trim(all.substr(static_cast<std::size_t>(end - all.data())));
  const auto unit = unit_of(name);
  if (!unit) {
    std::vector<std::string> names;
    for (const Unit& u : kUnits) names.emplace_back(u.name);
    return Error{
        "\"" + std::string(name) + "\" is not a unit", "",
        "known are ns us ms s min h d, B KB MB GB TB KiB MiB GiB TiB, and quotients such as GB/s or ns/B"};
  }
  const double value = number * unit->value;
  if (!std::isfinite(value))
    return Error{"\"" + std::string(text) + "\" is " + std::string(kTooLarge), "", kRangeHint};
  return Measure{value, unit->dimension};
}

Result<double> parse_measure(std::string_view text, Dimension wanted) {
  PARCAST_ASSIGN(const Measure measure, parse_measure(text));
  // zero is the same in every unit
  const bool is_bare_zero = measure.dimension == Dimension::none && measure.value == 0;
  if (measure.dimension == wanted || is_bare_zero) return measure.value;
  const std::string example = std::string(trim(text)) + std::string(example_unit(wanted));
  if (measure.dimension == Dimension::none)
    return Error{
        "\"" + std::string(text) + "\" needs a unit: " + std::string(to_string(wanted)) + " is expected", "",
        "did you mean \"" + example + "\"?"};
  return Error{"\"" + std::string(text) + "\" is " + std::string(to_string(measure.dimension)) + ", but " +
                   std::string(to_string(wanted)) + " is expected",
               "",
               wanted == Dimension::none ? "leave the unit out"
                                         : "use a unit such as " + std::string(example_unit(wanted))};
}

std::string format_significant(double value, int digits) {
  if (value == 0 || !std::isfinite(value))
    return value == 0 ? "0" : (std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
  const int magnitude = static_cast<int>(std::floor(std::log10(std::fabs(value))));
  // Same result as printf, several times as fast.
  const bool plain = magnitude >= -3 && magnitude < 6;
  char buffer[64];
  const auto end =
      plain ? std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed,
                            std::max(0, digits - 1 - magnitude))
                  .ptr
            : std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits).ptr;
  return {buffer, end};
}

std::string format_seconds(double seconds) {
  const double size = std::fabs(seconds);
  if (size >= 7200) return format_significant(seconds / 3600, 3) + " h";
  if (size >= 600) return format_significant(seconds / 60, 3) + " min";
  if (size >= 1 || size == 0) return format_significant(seconds, 3) + " s";
  if (size >= 1e-3) return format_significant(seconds * 1e3, 3) + " ms";
  if (size >= 1e-6) return format_significant(seconds * 1e6, 3) + " us";
  return format_significant(seconds * 1e9, 3) + " ns";
}

std::string format_bytes(double bytes) {
  const double size = std::fabs(bytes);
  if (size >= 1e12) return format_significant(bytes / 1e12, 3) + " TB";
  if (size >= 1e9) return format_significant(bytes / 1e9, 3) + " GB";
  if (size >= 1e6) return format_significant(bytes / 1e6, 3) + " MB";
  if (size >= 1e3) return format_significant(bytes / 1e3, 3) + " kB";
  return format_significant(bytes, 3) + " B";
}

std::string format_integer(long long value) {
  std::string digits = std::to_string(value);
  for (int at = static_cast<int>(digits.size()) - 3; at > (value < 0 ? 1 : 0); at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string format_exact(double value) {
  char buffer[64];
  const auto [end, problem] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return problem == std::errc() ? std::string(buffer, end) : "nan";
}

}  // namespace parcast
