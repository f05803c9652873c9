// SPDX-License-Identifier: Apache-2.0
#include "cli/vary.h"

#include <cmath>
#include <optional>

#include "base/text.h"

namespace parcast::cli {
namespace {

constexpr std::size_t kMostValues = 1'000'000;

Error bad_list(const std::string& text, const std::string& why) {
  return Error{"\"" + text + "\" is not a list of values: " + why, "",
               "write 1,2,4,8 or 1,2,...,64 or 1..16 (steps of 1) or 64..4096*2 (factor 2) or 0..1/11 (11 values)"};
}

/// a, b, ..., c: goes on by the same factor when a, b, and the value before them are geometric and not arithmetic.
Result<std::vector<double>> continued(const std::vector<double>& head, double last, const std::string& text) {
  if (head.size() < 2) return bad_list(text, "two values are needed before \"...\"");
  const double a = head[head.size() - 2], b = head.back();
  const bool arithmetic = head.size() > 2 ? b - a == a - head[head.size() - 3] : !(a > 0 && b / a == std::floor(b / a) && b / a >= 2 && last / b == std::floor(last / b));
  const bool upwards = b > a && last > b;
  if (!upwards) return bad_list(text, "values must ascend");
  std::vector<double> out = head;
  const double factor = b / a, step = b - a;
  if (!arithmetic && !(factor > 1)) return bad_list(text, "the first two values give no step");
  for (double next = b; out.size() <= kMostValues;) {
    next = arithmetic ? next + step : next * factor;
    if (next > last * (1 + 1e-12)) break;
    out.push_back(next);
  }
  if (std::fabs(out.back() - last) > 1e-9 * std::fabs(last)) return bad_list(text, "the steps do not end at " + format_exact(last));
  return out;
}

Result<std::vector<double>> from_to(const std::string& text, std::size_t dots) {
  const auto first = parse_double(text.substr(0, dots));
  std::string rest = text.substr(dots + 2);
  const auto sign = rest.find_first_of("*/");
  const auto last = parse_double(rest.substr(0, sign));
  const auto amount = sign == std::string::npos ? std::optional(1.0) : parse_double(rest.substr(sign + 1));
  if (!first || !last || !amount || *last < *first) return bad_list(text, "a range reads a..b with a <= b");
  std::vector<double> out;
  if (sign != std::string::npos && rest[sign] == '*') {
    if (*amount <= 1 || *first <= 0) return bad_list(text, "a factor is above 1 and starts above 0");
    for (double v = *first; v <= *last * (1 + 1e-12) && out.size() <= kMostValues; v *= *amount) out.push_back(v);
  } else if (sign != std::string::npos) {
    if (*amount < 2 || *amount != std::floor(*amount) || *amount > kMostValues) return bad_list(text, "the count is a whole number of at least 2");
    for (double i = 0; i < *amount; ++i) out.push_back(*first + (*last - *first) * i / (*amount - 1));
  } else {
    for (double v = *first; v <= *last && out.size() <= kMostValues; v += 1) out.push_back(v);
  }
  return out;
}

Result<std::vector<double>> values_of(const std::string& text) {
  if (text.find("...") == std::string::npos)
    if (const auto dots = text.find(".."); dots != std::string::npos) return from_to(text, dots);
  std::vector<double> out;
  const auto words = split(text, ',');
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "...") {
      const auto last = i + 2 == words.size() ? parse_double(words[i + 1]) : std::nullopt;
      if (!last) return bad_list(text, "\"...\" stands before the last value");
      return continued(out, *last, text);
    }
    const auto value = parse_double(trim(words[i]));
    if (!value) return bad_list(text, "\"" + words[i] + "\" is not a number");
    out.push_back(*value);
  }
  return out;
}

}  // namespace

Result<Variation> parse_variation(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    return Error{"\"" + text + "\" does not say what varies", "", "write for example p=1,2,4,...,64"};
  PARCAST_ASSIGN(std::vector<double> values, values_of(text.substr(equals + 1)));
  if (values.size() > kMostValues) return bad_list(text, "it has more than a million values");
  return Variation{text.substr(0, equals), std::move(values)};
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

}  // namespace parcast::cli
