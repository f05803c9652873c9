// SPDX-License-Identifier: Apache-2.0
#pragma once
// Symbols of a written program's computing that get their values from a machine: seconds of one operation, of one operation of
// a class, of one byte of an array that is gone through. predict/machine_prices.h puts them in.

#include <string>
#include <string_view>
#include <vector>

#include "symbolic/expression.h"

namespace parcast::program {

/// Classes of docs/models/operations.md that a machine prices.
const std::vector<std::string>& operation_classes();

/// "price.double_add"; "price.operation" is an operation of the calibration kernel, whose rate is the machine's core_speed,
/// "price.byte" a byte beyond what the first cache takes.
symbolic::Expression price_symbol(std::string_view of);
const std::vector<std::string>& price_names();
/// What a symbol prices ("double_add"); empty: it is no price.
std::string_view priced_by(const symbolic::Expression& symbol);
bool has_prices(const symbolic::Expression& seconds);

}  // namespace parcast::program
