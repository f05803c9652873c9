// SPDX-License-Identifier: Apache-2.0
#pragma once
// Prints expressions in languages of other programs: for a paper, a computer algebra system, a simulator, a
// web page. docs/models/expressions.md lists the output of each. Values agree with evaluate() to 1e-12.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "symbolic/expression.h"

namespace parcast::symbolic {

enum class Language { text, latex, maple, cpp, javascript };

/// Accepts "text", "latex", "maple", "c++", "javascript"; returns nothing for another name.
std::optional<Language> language_named(std::string_view name);

/// A complete definition of a named value, which ends with a newline: `name = ...` (text, LaTeX), `name :=
/// (n, p) -> ...:` (Maple), or a function of doubles (C++, with <cmath>; JavaScript). Its arguments are the
/// free symbols sorted by name. Names that are invalid in the language are changed; `renamed` has the old and
/// new names.
struct Definition {
  std::string text;
  std::vector<std::string> symbols;    // of the expression, in the order of the arguments
  std::vector<std::string> arguments;  // names of the arguments in the definition
  std::vector<std::pair<std::string, std::string>> renamed;
};
Definition define(std::string_view name, const Expression& value, Language language);

/// Returns a JavaScript function of two arrays, `function (x, out) { ... }`. It reads the values of
/// `symbols`, in their order, from x and writes the values of `outputs` to out. A part that occurs several
/// times is computed once. Every free symbol must be one of `symbols`.
std::string javascript_of_many(std::span<const Expression> outputs, std::span<const std::string> symbols);

}  // namespace parcast::symbolic
