// SPDX-License-Identifier: Apache-2.0
#pragma once
// Grammar that the printer and the parser of expressions share:
//
//   expression = term { ("+" | "-") term }
//   term       = ["-"] factor { ("*" | "/") ["-"] factor }
//   factor     = primary [ "^" exponent ]
//   exponent   = ["-"] number | "(" constant expression ")"
//   primary    = number | name | "(" expression ")" | function "(" expression { "," expression } ")"
//              | "if" "(" expression (">=" | "<=" | "==") expression "," expression "," expression ")"
//              | "sum" "(" name "," first "," last "," body ")"
//   number     = digits | digits with a point or exponent (a real constant)
//   name       = (letter | "_") { letter | digit | "_" } { "." (letter | digit | "_") { ... } }
//              | "'" any characters, ' doubled "'"

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "symbolic/expression.h"

namespace parcast::symbolic {

struct FunctionName {
  std::string_view name;
  Operation operation;
  int least_arguments, most_arguments;  // most_arguments 0: any number
};

constexpr std::array kFunctionNames{
    FunctionName{"floor", Operation::floor, 1, 1}, FunctionName{"ceil", Operation::ceil, 1, 1},
    FunctionName{"mod", Operation::modulo, 2, 2},  FunctionName{"min", Operation::minimum, 1, 0},
    FunctionName{"max", Operation::maximum, 1, 0}, FunctionName{"log2", Operation::log2, 1, 1},
};

constexpr std::string_view kConditionalName = "if";
constexpr std::string_view kRootName = "sqrt";  // read as ^(1/2), and printed for it
constexpr std::string_view kSeriesName = "sum";

constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Returns the length of the plain name at the start of `text`, 0 if there is none.
constexpr std::size_t plain_name_length(std::string_view text) {
  if (text.empty() || !is_letter(text[0])) return 0;
  std::size_t i = 1;
  for (; i < text.size(); ++i) {
    const bool dot_inside =
        text[i] == '.' && i + 1 < text.size() && (is_letter(text[i + 1]) || is_digit(text[i + 1]));
    if (!is_letter(text[i]) && !is_digit(text[i]) && !dot_inside) break;
  }
  return i;
}

}  // namespace parcast::symbolic
