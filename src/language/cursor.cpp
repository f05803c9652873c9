// SPDX-License-Identifier: Apache-2.0
#include "language/cursor.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace parcast::program::written {
namespace {

using symbolic::SymbolKind;

const std::vector<std::string>& functions() {
  static const std::vector<std::string> known{"floor", "ceil", "mod", "min", "max", "log2", "sqrt", "if"};
  return known;
}

const std::vector<std::string>& units(Dimension dimension) {
  static const std::vector<std::string> time{"ns", "us", "ms", "s", "min", "h"},
      data{"B", "kB", "KB", "MB", "GB", "KiB", "MiB", "GiB"}, none;
  return dimension == Dimension::time ? time : dimension == Dimension::data ? data : none;
}

bool is_operator(const Token& token) {
  return token.kind == Token::Kind::sign && (token.text == "+" || token.text == "-" || token.text == "*" ||
                                             token.text == "/" || token.text == "^");
}

std::string shown(const Token& token) {
  return token.kind == Token::Kind::end ? "the line ends" : "\"" + token.text + "\" is there";
}

}  // namespace

const Names::Named* Names::find(const std::string& name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? nullptr : &found->second;
}

std::vector<std::string> Names::all() const {
  std::vector<std::string> out;
  for (const auto& [name, named] : names_) out.push_back(name);
  return out;
}

bool Cursor::skip(std::string_view word) {
  if (!peek().is(word)) return false;
  take();
  return true;
}

Result<void> Cursor::expect(std::string_view word, const std::string& what) {
  if (skip(word)) return {};
  return error(
      shown(peek()) + " where " + (what.empty() ? "\"" + std::string(word) + "\" should" : what + " should"),
      "");
}

Result<void> Cursor::expect_end() const {
  if (at_end()) return {};
  return error("\"" + peek().text + "\" is too much here", "the statement ends before it");
}

Result<std::string> Cursor::name(const std::string& what) {
  if (peek().kind != Token::Kind::name)
    return error(shown(peek()) + " where the name of " + what + " should", "");
  return take().text;
}

std::string Cursor::label() {
  return peek().kind == Token::Kind::text ? take().text : "";
}

/// Returns the token after the bracket that opens at `at`.
Result<std::size_t> Cursor::bracket(std::size_t at) const {
  int depth = 0;
  for (std::size_t i = at; i + 1 < line_.tokens.size(); ++i) {
    if (line_.tokens[i].is("(")) ++depth;
    if (line_.tokens[i].is(")") && --depth == 0) return i + 1;
  }
  return error_at({line_.number, line_.tokens[at].column}, "this bracket is not closed");
}

/// Returns the token after an operand, including the signs before it.
Result<std::size_t> Cursor::operand(std::size_t at) const {
  while (line_.tokens[at].is("-")) ++at;
  const Token& token = line_.tokens[at];
  if (token.is("(")) return bracket(at);
  if (token.kind == Token::Kind::number) return at + 1;
  if (token.kind != Token::Kind::name)
    return error_at({line_.number, token.column}, shown(token) + " where a number or a name should", "");
  return line_.tokens[at + 1].is("(") && line_.tokens[at + 1].column == token.after ? bracket(at + 1)
                                                                                    : at + 1;
}

/// Checks that every name is known. Replaces 2^k for an index k by its value.
Result<void> Cursor::check_names(std::size_t from, std::size_t to, Value& value,
                                 symbolic::Substitution& values,
                                 std::map<std::string, SymbolKind, std::less<>>& kinds,
                                 std::string& text) const {
  for (std::size_t i = from; i < to; ++i) {
    const Token& token = line_.tokens[i];
    if (token.kind == Token::Kind::number && token.text == "2" && i + 2 < to && line_.tokens[i + 1].is("^") &&
        line_.tokens[i + 2].kind == Token::Kind::name) {
      const Names::Named* index = names_.find(line_.tokens[i + 2].text);
      if (index && index->power) {
        const std::string name = "power_of_" + line_.tokens[i + 2].text;
        kinds.emplace(name, SymbolKind::parameter);
        values.emplace(name, *index->power);
        text += " " + name;
        i += 2;
        continue;
      }
    }
    text += " " + token.text;
    if (token.kind == Token::Kind::text)
      return error_at({line_.number, token.column}, "there is a text where a number or a name is expected");
    if (token.kind != Token::Kind::name) continue;
    const Position at{line_.number, token.column};
    if (line_.tokens[i + 1].is("(")) {
      if (std::ranges::find(functions(), token.text) == functions().end())
        return error_at(at, "there is no function " + token.text, did_you_mean(token.text, functions()));
      continue;
    }
    const Names::Named* named = names_.find(token.text);
    if (!named)
      return error_at(at, "nothing is called " + token.text + " here",
                      did_you_mean(token.text, names_.all()));
    value.bytes = value.bytes || named->bytes;
    kinds.emplace(token.text, SymbolKind::parameter);
    values.emplace(token.text, named->value);
  }
  return {};
}

Result<Cursor::Value> Cursor::expression() {
  const std::size_t from = at_;
  PARCAST_ASSIGN(std::size_t to, operand(from));
  while (is_operator(line_.tokens[to])) {
    PARCAST_ASSIGN(to, operand(to + 1));
  }
  Value value{0, false, here()};
  symbolic::Substitution values;
  std::map<std::string, SymbolKind, std::less<>> kinds;
  std::string text;
  PARCAST_TRY(check_names(from, to, value, values, kinds, text));
  auto parsed = symbolic::parse(text, kinds);
  if (!parsed) return error("this is no expression: " + parsed.error().what, parsed.error().hint);
  value.value = symbolic::substitute(*parsed, values);
  at_ = to;
  return value;
}

Result<std::int64_t> Cursor::whole(const std::string& what) {
  const Position at = here();
  PARCAST_ASSIGN(const Value value, expression());
  if (value.value.is_constant() && value.value.constant().is_integer() &&
      std::abs(value.value.number()) < 1e9)
    return static_cast<std::int64_t>(value.value.number());
  return error_at(at, what + " is not a whole number");
}

std::optional<double> Cursor::unit(Dimension dimension) {
  if (peek().kind != Token::Kind::name ||
      std::ranges::find(units(dimension), peek().text) == units(dimension).end())
    return std::nullopt;
  const auto measure = parse_measure("1 " + (peek().text), dimension);
  if (!measure) return std::nullopt;
  take();
  return *measure;
}

Result<Expression> Cursor::bytes() {
  PARCAST_ASSIGN(const Value value, expression());
  const Position behind = here();
  const auto size = unit(Dimension::data);
  if (size && value.bytes) return error_at(behind, "the size is in bytes already", "leave out the unit");
  if (size) return value.value * Expression(static_cast<std::int64_t>(std::llround(*size)));
  if (value.bytes) return value.value;
  if (peek().kind == Token::Kind::name) {
    const std::string near = did_you_mean(peek().text, units(Dimension::data));
    if (!near.empty() && !peek().is("to") && !peek().is("by"))
      return error_at(behind, peek().text + " is no unit of data", near);
  }
  return error_at(value.at, "a size needs a unit",
                  "write for example 8*n B, 4 KiB, or a size of declared data such as A.row");
}

}  // namespace parcast::program::written
