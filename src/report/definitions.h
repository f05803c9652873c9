// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes named expressions, one after the other, in another language, with comments:
// docs/models/expressions.md.

#include <set>
#include <string>
#include <utility>

#include "symbolic/languages.h"

namespace parcast::report {

class Definitions {
 public:
  explicit Definitions(symbolic::Language language);

  void comment(const std::string& text);
  /// Adds a definition, after comments that list renamed symbols, each once. Returns the symbols that the
  /// definition takes, in the order of its arguments, with their names in the expression.
  std::vector<std::string> add(const std::string& name, const symbolic::Expression& value);
  const std::string& text() const { return text_; }

 private:
  symbolic::Language language_;
  std::set<std::pair<std::string, std::string>> renamed_;
  std::string text_;
};

}  // namespace parcast::report
