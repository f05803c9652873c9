// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads the tokens of one line: expressions, amounts with units, words. An expression ends if an operand is
// followed by something other than an operator, so "8*n B to r + 1" needs no brackets.

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "language/source.h"
#include "symbolic/expression.h"

namespace parcast::program::written {

using symbolic::Expression;

/// The values of names.
class Names {
 public:
  struct Named {
    Expression value;
    bool bytes = false;               // a size, which needs no unit
    std::optional<Expression> power;  // for an index: the value of 2^index
    Position declared;                // line 0: predefined
  };
  const Named* find(const std::string& name) const;
  void declare(const std::string& name, Named named) { names_[name] = std::move(named); }
  void forget(const std::string& name) { names_.erase(name); }
  std::vector<std::string> all() const;

 private:
  std::map<std::string, Named> names_;
};

class Cursor {
 public:
  Cursor(const Source& source, const Names& names, const Line& line)
      : source_(source), names_(names), line_(line) {}

  const Token& peek(std::size_t ahead = 0) const {
    return line_.tokens[std::min(at_ + ahead, line_.tokens.size() - 1)];
  }
  Position here() const { return {line_.number, peek().column}; }
  Token take() { return line_.tokens[at_ < line_.tokens.size() - 1 ? at_++ : at_]; }
  /// Skips the next token if it is `word`; returns whether it did.
  bool skip(std::string_view word);
  bool at_end() const { return peek().kind == Token::Kind::end; }
  Result<void> expect(std::string_view word, const std::string& what);
  Result<void> expect_end() const;
  Error error(const std::string& what, const std::string& hint = "") const {
    return source_.error(here(), what, hint);
  }
  Error error_at(Position at, const std::string& what, const std::string& hint = "") const {
    return source_.error(at, what, hint);
  }
  /// Reads a name. `what`: what it names, such as "a region".
  Result<std::string> name(const std::string& what);

  struct Value {
    Expression value;
    bool bytes = false;  // the names of sizes occur in it
    Position at;
  };
  Result<Value> expression();
  Result<std::int64_t> whole(const std::string& what);
  /// Reads a size: with a unit, or computed from sizes of data.
  Result<Expression> bytes();
  /// Reads the next word if it is a unit of that dimension; returns the unit in base units.
  std::optional<double> unit(Dimension dimension);
  /// Reads a text at the end of the line.
  std::string label();

 private:
  Result<std::size_t> operand(std::size_t at) const;
  Result<std::size_t> bracket(std::size_t at) const;
  Result<void> check_names(std::size_t from, std::size_t to, Value& value, symbolic::Substitution& values,
                           std::map<std::string, symbolic::SymbolKind, std::less<>>& kinds,
                           std::string& text) const;

  const Source& source_;
  const Names& names_;
  const Line& line_;
  std::size_t at_ = 0;
};

}  // namespace parcast::program::written
