// SPDX-License-Identifier: Apache-2.0
#pragma once
// Parameters as JSON with their 90 % intervals, for machines and systems.

#include <nlohmann/json.hpp>

#include "machine/fields.h"

namespace parcast::machine {

using Json = nlohmann::ordered_json;

inline constexpr double kLevel = 0.9;
inline constexpr double kQuantile = 1.6448536269514722;  // of the standard normal at 0.95

inline std::string_view unit_name(Dimension dimension) {
  switch (dimension) {
    case Dimension::time:
      return "s";
    case Dimension::data:
      return "B";
    case Dimension::rate:
      return "B/s";
    case Dimension::time_per_byte:
      return "s/B";
    case Dimension::none:
      break;
  }
  return "1";
}

inline Json parameter_json(const Parameter& parameter, Dimension dimension, std::string_view name) {
  const double half = kQuantile * parameter.standard_error;
  const bool speed = name.ends_with("core_speed");
  return {{"value", parameter.value},
          {"low", parameter.value < 0 ? parameter.value - half : std::max(0.0, parameter.value - half)},
          {"high", parameter.value + half},
          {"level", kLevel},
          {"unit", speed ? "operations/s" : unit_name(dimension)},
          {"origin", to_string(parameter.origin)},
          {"standard_error", parameter.standard_error},
          {"samples", parameter.samples}};
}

template <class Unit>
Json unit_json(const Unit& unit, const auto& fields) {
  Json out = Json::object();
  for (const Field<Unit>& field : fields)
    if (const Parameter& parameter = unit.*field.member; parameter.origin != Origin::unknown)
      out[std::string(field.name)] = parameter_json(parameter, field.dimension, field.name);
  return out;
}

}  // namespace parcast::machine
