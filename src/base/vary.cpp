// SPDX-License-Identifier: Apache-2.0
#include "base/vary.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>

#include "base/number_range.h"
#include "base/text.h"

namespace parcast {
namespace {

Error bad_list(const std::string& text, const std::string& why) {
  return Error{
      "\"" + text + "\" is not a list of values: " + why, "",
      "write 1,2,4,8 or 1,2,...,64 or 1..16 (steps of 1) or 64..4096*2 (factor 2) or 0..1/11 (11 values)"};
}

bool near(double a, double b) {
  return std::fabs(a - b) <= 1e-9 * std::max(std::fabs(a), std::fabs(b));
}

/// Removes rounding errors of sums and products in the last digits: 4us, not 4.000000000000001us.
double tidy(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.15g", value);
  return parse_double(digits).value_or(value);
}

/// Returns one unit of a value: a microsecond for "4us", 1 for "4".
std::optional<double> one_unit(const std::string& value, const ReadValue& read) {
  double number = 0;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
  const auto one = read("1" + std::string(end, value.data() + value.size()));
  return problem == std::errc() && one ? std::optional(*one) : std::nullopt;
}

/// Returns the bound up to which a step counts as having reached `last`.
double beyond(double last) {
  return last + 1e-12 * std::fabs(last);
}

/// Expands a, b, ..., c. Continues by a factor if a, b, and the value before them are geometric and not
/// arithmetic.
Result<std::vector<double>> continued(const std::vector<double>& head, double last, const std::string& text) {
  if (head.size() < 2) return bad_list(text, "two values are needed before \"...\"");
  const double a = head[head.size() - 2], b = head.back();
  const auto whole = [](double ratio) { return near(ratio, std::round(ratio)); };
  const bool arithmetic = head.size() > 2 ? near(b - a, a - head[head.size() - 3])
                                          : !(a > 0 && whole(b / a) && b / a > 1.5 && whole(last / b));
  const bool upwards = b > a && last > b;
  if (!upwards) return bad_list(text, "values must ascend");
  std::vector<double> out = head;
  const double factor = b / a, step = b - a;
  if (!arithmetic && !(factor > 1)) return bad_list(text, "the first two values give no step");
  for (double next = b; out.size() <= kMostValues;) {
    next = arithmetic ? next + step : next * factor;
    if (next > beyond(last)) break;
    out.push_back(tidy(next));
  }
  if (std::fabs(out.back() - last) > 1e-9 * std::fabs(last))
    return bad_list(text, "the steps do not end at the last value");
  return out;
}

/// Returns where the "*2" or "/11" after a range begins. After the "/" of a unit ("ns/B") there is no number.
std::size_t amount_in(const std::string& text) {
  const auto sign = text.find_last_of("*/");
  return sign != std::string::npos && (text[sign] == '*' || parse_double(text.substr(sign + 1)))
             ? sign
             : std::string::npos;
}

Result<std::vector<double>> from_to(const std::string& text, std::size_t dots, const ReadValue& read) {
  const std::string begin = text.substr(0, dots), rest = text.substr(dots + 2);
  const auto sign = amount_in(rest);
  const auto first = read(begin), last = read(rest.substr(0, sign));
  const auto amount = sign == std::string::npos ? one_unit(begin, read) : parse_double(rest.substr(sign + 1));
  for (const auto* end : {&first, &last})
    if (!*end) return bad_list(text, end->error().what);
  if (!amount || *last < *first) return bad_list(text, "a range reads a..b with a <= b");
  std::vector<double> out;
  if (sign != std::string::npos && rest[sign] == '*') {
    if (*amount <= 1 || *first <= 0) return bad_list(text, "a factor is above 1 and starts above 0");
    for (double v = *first; v <= beyond(*last) && out.size() <= kMostValues; v *= *amount)
      out.push_back(tidy(v));
  } else if (sign != std::string::npos) {
    if (*amount < 2 || *amount != std::floor(*amount) || *amount > kMostValues)
      return bad_list(text, "the count is a whole number of at least 2");
    for (double i = 0; i < *amount; ++i) out.push_back(*first + (*last - *first) * i / (*amount - 1));
  } else {
    for (double v = *first; v <= beyond(*last) && out.size() <= kMostValues; v += *amount)
      out.push_back(tidy(v));
  }
  return out;
}

Result<std::vector<double>> values_of(const std::string& text, const ReadValue& read) {
  if (text.find("...") == std::string::npos)
    if (const auto dots = text.find(".."); dots != std::string::npos) return from_to(text, dots, read);
  std::vector<double> out;
  const auto words = split(text, ',');
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "...") {
      if (i + 2 != words.size()) return bad_list(text, "\"...\" must precede the last value");
      const auto last = read(std::string(trim(words[i + 1])));
      return last ? continued(out, *last, text) : bad_list(text, last.error().what);
    }
    const auto value = read(std::string(trim(words[i])));
    if (!value) return bad_list(text, value.error().what);
    out.push_back(*value);
  }
  return out;
}

}  // namespace

Result<double> plain_number(const std::string& text) {
  if (const auto value = parse_in_range(text)) return *value;
  return Error{"\"" + text + "\" is " + std::string(fault_of(text)), "", ""};
}

Result<Variation> parse_variation(const std::string& text, const ReadValue& read) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    return Error{"\"" + text + "\" names no parameter that varies", "", "write for example p=1,2,4,...,64"};
  PARCAST_ASSIGN(std::vector<double> values, values_of(text.substr(equals + 1), read));
  if (values.size() > kMostValues) return bad_list(text, "it has more than a million values");
  return Variation{text.substr(0, equals), std::move(values)};
}

std::size_t combinations(const std::vector<Variation>& variations) {
  std::size_t count = 1;
  for (const Variation& variation : variations) {
    const std::size_t values = variation.values.size();
    count =
        values > 0 && count > kMostValues * kMostValues / values ? kMostValues * kMostValues : count * values;
  }
  return count;
}

std::vector<std::map<std::string, double>> cross(const std::vector<Variation>& variations) {
  std::vector<std::map<std::string, double>> points{{}};
  for (const Variation& variation : variations) {
    std::vector<std::map<std::string, double>> next;
    for (const auto& point : points)
      for (const double value : variation.values) {
        next.push_back(point);
        next.back()[variation.name] = value;
      }
    points = std::move(next);
  }
  return points;
}

}  // namespace parcast
