// SPDX-License-Identifier: Apache-2.0
#include "report/words.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "base/plain_number.h"
#include "base/text.h"
#include "report/table.h"

namespace parcast::report {
namespace {

std::string fixed(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

constexpr double kYear = 365.25 * 86400;
constexpr long long kMostYears = 100'000;
constexpr double kMostShown = 1e9;  // larger numbers in a column are written with an exponent

struct ScaleUnit {
  std::string_view name;
  double seconds;
};

/// Returns the unit in which duration() writes a time.
ScaleUnit unit_of(double seconds) {
  const double size = std::fabs(seconds);
  if (size >= 2 * kYear) return {"years", kYear};
  if (size >= 7200) return {"h", 3600};
  if (size >= 600) return {"min", 60};
  if (size >= 1 || size == 0) return {"s", 1};
  if (size >= 1e-3) return {"ms", 1e-3};
  return size >= 1e-6 ? ScaleUnit{"us", 1e-6} : ScaleUnit{"ns", 1e-9};
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
  const double shown = seconds * factor_;
  return std::fabs(shown) < kMostShown ? fixed(shown, decimals_) : format_significant(shown, 3);
}

std::string TimeScale::whole_text(double seconds) const {
  const double shown = seconds * factor_;
  const bool is_cut = shown > 0 && shown < 100 * std::pow(10, -decimals_);
  return is_cut ? format_significant(shown, 3) : text(seconds);
}

std::string duration(double seconds) {
  if (seconds > kMostYears * kYear) return "more than " + format_integer(kMostYears) + " years";
  return seconds >= 2 * kYear ? format_significant(seconds / kYear, 3) + " years" : format_seconds(seconds);
}

std::string interval_text(double value, double low, double high) {
  const ScaleUnit unit = unit_of(value);
  const auto suits = [&](double bound) {
    return bound == 0 || (bound >= 0.01 * unit.seconds && bound < 1e4 * unit.seconds);
  };
  const bool both = suits(low) && suits(high);
  const auto shown = [&](double bound) {
    return suits(bound)
               ? format_significant(bound / unit.seconds, 3) + (both ? "" : " " + std::string(unit.name))
               : duration(bound);
  };
  return shown(low) + " .. " + shown(high);
}

std::string parameters_text(const std::map<std::string, double>& parameters) {
  std::string out;
  for (const auto& [name, value] : parameters)
    out += (out.empty() ? "" : ", ") + visible(name) + " = " + format_plain(value);
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

std::string origins_text(const std::map<Origin, double>& shares,
                         const std::map<Origin, std::string>& largest_rows) {
  std::vector<double> values(1, 0.0);
  std::vector<Origin> origins{Origin::exact};
  for (const Origin origin : kOrigins) {
    const auto at = shares.find(origin);
    if (at == shares.end() || at->second <= 0) continue;
    if (origin <= Origin::exact) {
      values[0] += at->second;
    } else {
      values.push_back(at->second);
      origins.push_back(origin);
    }
  }
  const std::vector<int> whole = percents(values);
  const bool is_one = std::ranges::count_if(values, [](double each) { return each > 0; }) == 1;
  const auto amount = [&](std::size_t i) -> std::string {
    if (whole[i] == 0) return "less than 1 %";
    if (whole[i] == 100 && !is_one) return "more than 99 %";
    return std::to_string(whole[i]) + " %";
  };
  std::string out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] <= 0) continue;
    const bool is_first = out.empty();
    out += (is_first ? "counts (executions, bytes) are " : ", ") + std::string(to_string(origins[i])) +
           " for " + amount(i) + (is_first ? " of the time" : "");
    if (const auto row = largest_rows.find(origins[i]); i > 0 && row != largest_rows.end())
      out += " (" + row->second + ")";
  }
  return out;
}

std::string tiers_text(const std::map<program::CountTier, double>& shares) {
  std::vector<std::string> parts;
  for (const auto& [tier, share] : shares)
    if (share >= 0.005) parts.push_back(in_percent(share) + " " + std::string(to_string(tier)));
  return parts.empty() ? "" : "of the computing, counts of blocks are " + join(parts, ", ");
}

std::string beyond(const std::map<std::string, double>& extrapolation) {
  std::string out;
  const auto add = [&](const std::string& name, double factor) {
    if (factor == 1) return;
    // Two digits suffice; 4 stays 4, not 4.0.
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

}  // namespace parcast::report
