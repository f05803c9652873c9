// SPDX-License-Identifier: Apache-2.0
#include "model/prices.h"

#include <algorithm>

namespace parcast::program {

using symbolic::Expression;

constexpr std::string_view kPrefix = "price.";

const std::vector<std::string>& operation_classes() {
  static const std::vector<std::string> classes{"double_add",
                                                "double_multiply",
                                                "double_multiply_add",
                                                "double_divide",
                                                "double_square_root",
                                                "integer_add",
                                                "integer_multiply",
                                                "load",
                                                "store",
                                                "branch"};
  return classes;
}

Expression price_symbol(std::string_view of) {
  return symbolic::symbol(std::string(kPrefix) + std::string(of), symbolic::SymbolKind::machine_cost);
}

const std::vector<std::string>& price_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all{std::string(kPrefix) + "operation", std::string(kPrefix) + "byte"};
    for (const std::string& name : operation_classes()) all.push_back(std::string(kPrefix) + name);
    return all;
  }();
  return names;
}

std::string_view priced_by(const Expression& symbol) {
  const std::string_view name = symbol.name();
  return symbol.kind() == symbolic::SymbolKind::machine_cost && name.starts_with(kPrefix)
             ? name.substr(kPrefix.size())
             : std::string_view{};
}

bool has_prices(const Expression& seconds) {
  return std::ranges::any_of(symbolic::free_symbols(seconds),
                             [](const Expression& symbol) { return !priced_by(symbol).empty(); });
}

}  // namespace parcast::program
