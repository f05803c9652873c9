// SPDX-License-Identifier: Apache-2.0
#pragma once
// Expressions in the languages of other programs: for a paper, a computer algebra system, a simulator, a page.
// docs/models/expressions.md says what each gives; values agree with evaluate() to 1e-12.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "symbolic/expression.h"

namespace parcast::symbolic {

enum class Language { text, latex, maple, cpp, javascript };

/// "text", "latex", "maple", "c++", "javascript"; nothing for another name.
std::optional<Language> language_named(std::string_view name);

/// A named value as a whole definition that ends with a line end: `name = ...` (text, LaTeX), `name := (n, p) -> ...:` (Maple),
/// a function of doubles (C++, with <cmath>; JavaScript). Its arguments are the free symbols in the order of their names. Names
/// that are none in the language are changed: `renamed` has the former and the new ones.
struct Definition {
  std::string text;
  std::vector<std::string> symbols;    // of the expression, in the order of the arguments
  std::vector<std::string> arguments;  // as they are called there
  std::vector<std::pair<std::string, std::string>> renamed;
};
Definition define(std::string_view name, const Expression& value, Language language);

}  // namespace parcast::symbolic
