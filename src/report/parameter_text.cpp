// SPDX-License-Identifier: Apache-2.0
#include "report/parameter_text.h"

#include <cmath>

#include "machine/measured.h"

namespace parcast::report {
namespace {

using machine::Parameter;

/// Returns the text of the value, "-" if it is unknown, "not measured" if its error exceeds it.
std::string unless_missing(const Parameter& parameter, const std::string& value) {
  if (parameter.origin == Origin::unknown) return "-";
  return machine::error_exceeds_value(parameter) ? kNotMeasured : value;
}

}  // namespace

std::string value_text(double value, Dimension dimension) {
  switch (dimension) {
    case Dimension::time:
      return format_seconds(value);
    case Dimension::data:
      return format_bytes(value);
    case Dimension::rate:
      return format_bytes(value) + "/s";
    case Dimension::time_per_byte:
      return value == 0 ? "0 ns/B" : format_seconds(value) + "/B";
    case Dimension::none:
      break;
  }
  return format_significant(value, 4);
}

std::string parameter_text(const Parameter& parameter, Dimension dimension) {
  std::string out = value_text(parameter.value, dimension);
  if (parameter.standard_error > 0 && parameter.value != 0)
    out += " ± " + format_significant(100 * parameter.standard_error / std::fabs(parameter.value), 2) + "%";
  return unless_missing(parameter, out);
}

std::string speed_text(const Parameter& parameter) {
  std::string out = format_significant(parameter.value / 1e9, 3) + " G operations/s";
  if (parameter.standard_error > 0 && parameter.value != 0)
    out += " ± " + format_significant(100 * parameter.standard_error / std::fabs(parameter.value), 2) + "%";
  return unless_missing(parameter, out);
}

std::string percent_text(const Parameter& parameter) {
  return unless_missing(parameter, format_significant(100 * parameter.value, 2) + " %");
}

std::string overlap_text(const Parameter& parameter) {
  if (parameter.origin == Origin::unknown) return "-";
  if (parameter.standard_error > 1) return kNotMeasured;
  const auto percent = [](double part) { return format_significant(100 * part, 2) + " %"; };
  const std::string error = parameter.standard_error > 0 ? " ± " + percent(parameter.standard_error) : "";
  const double share = machine::overlap_share(parameter);
  return share == parameter.value ? percent(share) + error
                                  : percent(share) + " (measured " + percent(parameter.value) + error + ")";
}

}  // namespace parcast::report
