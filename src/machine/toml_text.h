// SPDX-License-Identifier: Apache-2.0
#pragma once
// Texts of values in machine files: every number reads back as the same double.

#include <string>
#include <string_view>

#include "machine/fields.h"
#include "machine/system.h"

namespace parcast::machine {

std::string in_quotes(std::string_view text);
/// Returns a number of a row. Integers beyond 64 bits get a decimal point, without which they would not read
/// back.
std::string row_text(double value);
std::string value_text(double value, Dimension dimension);
/// Returns only the value if it is assumed without an error, else a table.
std::string parameter_text(const Parameter& parameter, Dimension dimension);
/// Writes KEY = "TEXT" unless the text is empty.
void write_text(std::string& out, std::string_view key, const std::string& value);

template <class Unit>
void write_fields(std::string& out, const Unit& unit, const auto& fields) {
  for (const Field<Unit>& field : fields) {
    const Parameter& parameter = unit.*field.member;
    if (parameter.origin == Origin::unknown && parameter.value == 0) continue;
    out += std::string(field.name) + " = " + parameter_text(parameter, field.dimension) + "\n";
  }
}

/// Writes [system] and its units.
void write_system(std::string& out, const System& system);

}  // namespace parcast::machine
