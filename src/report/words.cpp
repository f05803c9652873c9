// SPDX-License-Identifier: Apache-2.0
#include "report/words.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "base/text.h"
#include "report/table.h"

namespace parcast::report {
namespace {

std::string fixed(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

}  // namespace

std::string percent(double share) {
  const long whole = std::lround(100 * share);
  return whole == 0 && share > 0 ? "<1%" : std::to_string(whole) + "%";
}

std::string in_percent(double share) {
  const std::string text = percent(share);
  return text.substr(0, text.size() - 1) + " %";
}

std::string size_percent(double fraction) {
  return fixed(100 * std::fabs(fraction), 1) + " %";
}

std::string signed_percent(double fraction) {
  const std::string text = fixed(100 * fraction, 1);
  return (text.front() == '-' ? "" : "+") + text + " %";
}

std::vector<int> percents(std::span<const double> shares) {
  std::vector<int> whole;
  std::vector<std::size_t> order(shares.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  double sum = 0;
  for (const double share : shares) {
    whole.push_back(static_cast<int>(std::floor(100 * share)));
    sum += share;
  }
  const auto rest = [&](std::size_t i) { return 100 * shares[i] - whole[i]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rest(a) > rest(b); });
  const int missing =
      static_cast<int>(std::lround(100 * sum)) - std::accumulate(whole.begin(), whole.end(), 0);
  for (int i = 0; i < missing && i < static_cast<int>(order.size()); ++i)
    ++whole[order[static_cast<std::size_t>(i)]];
  return whole;
}

TimeScale::TimeScale(double largest) {
  if (largest > 0 && largest < 1e-3) {
    factor_ = 1e6, unit_ = "us";
  } else if (largest > 0 && largest < 1) {
    factor_ = 1e3, unit_ = "ms";
  }
  if (largest > 0)
    decimals_ = std::clamp(3 - static_cast<int>(std::floor(std::log10(largest * factor_))), 0, 3);
}

std::string TimeScale::text(double seconds) const {
  return fixed(seconds * factor_, decimals_);
}

std::string parameters_text(const std::map<std::string, double>& parameters) {
  std::string out;
  for (const auto& [name, value] : parameters)
    out += (out.empty() ? "" : ", ") + visible(name) + " = " + format_exact(value);
  return out;
}

std::string counted(std::int64_t count, const std::string& noun) {
  return format_integer(count) + " " + noun + (count == 1 ? "" : noun.ends_with("s") ? "es" : "s");
}

std::string node_time(double node_hours) {
  if (node_hours >= 2) return format_significant(node_hours, 3) + " node-h";
  if (node_hours >= 1.0 / 30) return format_significant(60 * node_hours, 3) + " node-min";
  return format_significant(3600 * node_hours, 3) + " node-s";
}

std::string rests_on(const std::map<Origin, double>& shares) {
  std::vector<double> values(1, 0.0);
  std::vector<std::string> names{"exact counts"};
  for (const Origin origin : kOrigins) {
    const auto at = shares.find(origin);
    if (at == shares.end() || at->second <= 0) continue;
    if (origin <= Origin::exact) {
      values[0] += at->second;
    } else {
      values.push_back(at->second);
      names.emplace_back(to_string(origin));
    }
  }
  const auto whole = percents(values);
  std::string out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] <= 0) continue;
    const std::string amount = whole[i] == 0 ? "less than 1 %" : std::to_string(whole[i]) + " %";
    const std::string rests = i == 0 ? " of the time rests on " : out.empty() ? " of the time is " : " ";
    out += (out.empty() ? "" : ", ") + amount + rests + names[i];
  }
  return out;
}

std::string beyond(const std::map<std::string, double>& extrapolation) {
  std::string out;
  const auto add = [&](const std::string& name, double factor) {
    if (factor == 1) return;
    // Two digits say enough; 4 stays 4 and not 4.0.
    const double rounded = parse_double(format_significant(factor, factor >= 10 ? 3 : 2)).value_or(factor);
    out += (out.empty() ? "" : ", ") + visible(name) + " x" + format_exact(rounded);
  };
  if (const auto p = extrapolation.find("p"); p != extrapolation.end()) add("p", p->second);
  for (const auto& [name, factor] : extrapolation)
    if (name != "p") add(name, factor);
  return out.empty() ? out : out + " beyond the recordings";
}

std::string bar(double share, int full) {
  const double length = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) * full : 0;
  return std::string(static_cast<std::size_t>(std::lround(length)), '#');
}

std::string xml(std::string_view text) {
  std::string out;
  for (const char c : visible(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string csv_field(std::string_view text) {
  std::string field(text);
  if (!field.empty() && std::string_view("=+-@\t\r").find(field.front()) != std::string_view::npos &&
      !parse_double(field))
    field.insert(0, "'");
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string out = "\"";
  for (const char c : field) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

}  // namespace parcast::report
