// SPDX-License-Identifier: Apache-2.0
#pragma once
// Symbols in the computing of written programs that get their values from a machine: seconds of one
// operation, of one operation of a class, or of one byte of an array that the program goes through.
// predict/machine_prices.h substitutes the values.

#include <string>
#include <string_view>
#include <vector>

#include "symbolic/expression.h"

namespace parcast::program {

/// Returns the classes of docs/models/operations.md that a machine has a price for.
const std::vector<std::string>& operation_classes();

/// Returns the symbol of a price, "price.double_add". "price.operation" is an operation of the calibration
/// kernel, whose rate is the machine's core_speed. "price.byte" is a byte of data larger than the first
/// cache.
symbolic::Expression price_symbol(std::string_view of);
const std::vector<std::string>& price_names();
/// Returns what a symbol prices ("double_add"); empty: it is not a price.
std::string_view priced_by(const symbolic::Expression& symbol);
bool has_prices(const symbolic::Expression& seconds);

}  // namespace parcast::program
