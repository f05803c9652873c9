// SPDX-License-Identifier: Apache-2.0
#include "interchange/simgrid_units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/text.h"

namespace parcast::interchange {
namespace {

struct Prefix {
  std::string_view name;
  double factor;
};
constexpr std::array kDecimal{Prefix{"", 1},     Prefix{"k", 1e3},  Prefix{"M", 1e6},
                              Prefix{"G", 1e9},  Prefix{"T", 1e12}, Prefix{"P", 1e15},
                              Prefix{"E", 1e18}, Prefix{"Z", 1e21}, Prefix{"Y", 1e24}};
constexpr std::array kBinary{Prefix{"Ki", 0x1p10}, Prefix{"Mi", 0x1p20}, Prefix{"Gi", 0x1p30},
                             Prefix{"Ti", 0x1p40}, Prefix{"Pi", 0x1p50}, Prefix{"Ei", 0x1p60}};
constexpr std::array kLong{Prefix{"", 1},       Prefix{"kilo", 1e3},  Prefix{"mega", 1e6},
                           Prefix{"giga", 1e9}, Prefix{"tera", 1e12}, Prefix{"peta", 1e15},
                           Prefix{"exa", 1e18}, Prefix{"zeta", 1e21}, Prefix{"yotta", 1e24}};
constexpr std::array kTimes{Prefix{"w", 604800}, Prefix{"d", 86400}, Prefix{"h", 3600},
                            Prefix{"m", 60},     Prefix{"s", 1},     Prefix{"ms", 1e-3},
                            Prefix{"us", 1e-6},  Prefix{"ns", 1e-9}, Prefix{"ps", 1e-12}};

std::optional<double> with_prefix(std::string_view unit, std::string_view base, const auto& prefixes) {
  if (!unit.ends_with(base)) return std::nullopt;
  unit.remove_suffix(base.size());
  for (const Prefix& prefix : prefixes)
    if (unit == prefix.name) return prefix.factor;
  return std::nullopt;
}

std::optional<double> bandwidth_unit(std::string_view unit) {
  struct Base {
    std::string_view name;
    double bytes;
  };
  for (const Base& base : {Base{"Bps", 1}, Base{"bps", 0.125}}) {
    if (const auto factor = with_prefix(unit, base.name, kDecimal)) return *factor * base.bytes;
    if (const auto factor = with_prefix(unit, base.name, kBinary)) return *factor * base.bytes;
  }
  return std::nullopt;
}

std::optional<double> unit_of(std::string_view unit, SimgridDimension dimension) {
  if (unit.empty()) return 1;
  if (dimension == SimgridDimension::bandwidth) return bandwidth_unit(unit);
  if (dimension == SimgridDimension::latency) return with_prefix(unit, "", kTimes);
  if (const auto factor = with_prefix(unit, "f", kDecimal)) return factor;
  return with_prefix(unit, "flops", kLong);
}

std::string_view example_of(SimgridDimension dimension) {
  switch (dimension) {
    case SimgridDimension::speed:
      return "1Gf";
    case SimgridDimension::bandwidth:
      return "125MBps";
    case SimgridDimension::latency:
      return "50us";
  }
  return "";
}

}  // namespace

Result<double> simgrid_value(std::string_view text, SimgridDimension dimension) {
  const std::string_view all = trim(text);
  double number = 0;
  const auto [end, problem] = std::from_chars(all.data(), all.data() + all.size(), number);
  const auto unit = problem == std::errc()
                        ? unit_of(trim(all.substr(static_cast<std::size_t>(end - all.data()))), dimension)
                        : std::nullopt;
  if (!unit || !std::isfinite(number * *unit) || number < 0)
    return Error{"\"" + std::string(text) + "\" is not a value that is understood here", "",
                 "write for example " + std::string(example_of(dimension))};
  return number * *unit;
}

}  // namespace parcast::interchange
