// SPDX-License-Identifier: Apache-2.0
#include "symbolic/random_expression.h"

#include <algorithm>
#include <ostream>

namespace parcast::symbolic {

void PrintTo(const Expression& a, std::ostream* out) {
  *out << to_text(a);
}

std::ostream& operator<<(std::ostream& out, const Recipe& recipe) {
  switch (recipe.operation) {
    case Operation::constant:
      return out << to_string(recipe.number);
    case Operation::real:
      return out << "real " << recipe.real_number;
    case Operation::symbol:
      return out << recipe.name;
    default:
      break;
  }
  static const std::map<Operation, std::string> kNames{
      {Operation::sum, "sum"},        {Operation::product, "product"}, {Operation::power, "power"},
      {Operation::floor, "floor"},    {Operation::ceil, "ceil"},       {Operation::modulo, "mod"},
      {Operation::minimum, "min"},    {Operation::maximum, "max"},     {Operation::log2, "log2"},
      {Operation::conditional, "if"}, {Operation::series, "series"}};
  out << kNames.at(recipe.operation) << "(";
  for (const Recipe& operand : recipe.operands)
    out << operand << (&operand == &recipe.operands.back() ? "" : ", ");
  if (recipe.operation == Operation::power) out << ", " << to_string(recipe.number);
  if (recipe.operation == Operation::series) out << " by " << recipe.name;
  return out << ")";
}

namespace {

constexpr int kDepth = 5;

class Decoder {
 public:
  Decoder(const std::vector<std::uint16_t>& choices, Family family) : choices_(choices), family_(family) {}

  Recipe recipe(int depth) {
    if (depth == 0 || at_ >= choices_.size()) return leaf();
    const std::size_t largest = family_ == Family::polynomial || family_ == Family::rational ? 8
                                : family_ == Family::exact                                   ? 15
                                                                                             : 17;
    const std::size_t choice = depth == kDepth ? 2 + next(largest - 1) : next(largest + 1);
    if (choice < 2) return leaf();
    if (choice < 5) return several(Operation::sum, 2 + next(2), depth);
    if (choice < 7) return several(Operation::product, 2, depth);
    if (choice < 9) return power(depth);
    static constexpr std::pair<Operation, std::size_t> kFunctions[] = {
        {Operation::floor, 1},   {Operation::ceil, 1},    {Operation::modulo, 2},
        {Operation::minimum, 2}, {Operation::maximum, 2}, {Operation::conditional, 3},
        {Operation::series, 3},  {Operation::log2, 1},    {Operation::power, 1}};
    const auto [operation, operands] = kFunctions[choice - 9];
    if (operation == Operation::series) return series(depth);
    Recipe out = several(operation, operands, depth);
    if (operation == Operation::power)
      out.number =
          Rational::of(static_cast<std::int64_t>(next(7)) - 3, 2 + static_cast<std::int64_t>(next(2)));
    return out;
  }

 private:
  std::size_t next(std::size_t below) { return at_ < choices_.size() ? choices_[at_++] % below : 0; }

  Recipe constant(std::int64_t numerator, std::int64_t denominator) {
    Recipe out;
    out.number = Rational::of(numerator, denominator);
    return out;
  }

  Recipe named(const std::string& name) {
    Recipe out;
    out.operation = Operation::symbol;
    out.name = name;
    return out;
  }

  Recipe leaf() {
    const std::size_t choice = next(family_ == Family::full ? 10 : 9);
    if (choice == 9) {
      Recipe out;
      out.operation = Operation::real;
      out.real_number = (static_cast<double>(next(2000)) - 1000) / 7;
      return out;
    }
    if (choice < 3)
      return constant(static_cast<std::int64_t>(next(9)) - 4,
                      choice == 0 ? 1 + static_cast<std::int64_t>(next(4)) : 1);
    if (!indices_.empty() && choice < 6) return named(indices_[next(indices_.size())]);
    return named(symbol_names()[next(symbol_names().size())]);
  }

  Recipe several(Operation operation, std::size_t count, int depth) {
    Recipe out;
    out.operation = operation;
    for (std::size_t i = 0; i < count; ++i) out.operands.push_back(recipe(depth - 1));
    return out;
  }

  Recipe power(int depth) {
    Recipe out = several(Operation::power, 1, depth);
    const auto exponent = 2 + static_cast<std::int64_t>(next(2));
    const bool inverted = family_ != Family::polynomial && next(2) == 1;
    out.number = inverted ? Rational(1 - exponent) : Rational(exponent);
    return out;
  }

  // An integer for integer p and r.
  Recipe series_bound() {
    const std::size_t choice = next(5);
    if (choice < 2) return constant(static_cast<std::int64_t>(next(9)) - 4, 1);
    Recipe out;
    out.operation = Operation::sum;
    out.operands = {named(choice == 2                        ? "p"
                          : choice == 3 && !indices_.empty() ? indices_.back()
                                                             : "r"),
                    constant(static_cast<std::int64_t>(next(3)) - 1, 1)};
    return out;
  }

  Recipe series(int depth) {
    Recipe out;
    out.operation = Operation::series;
    out.operands = {series_bound(), series_bound()};
    out.name = "i" + std::to_string(indices_.size());
    indices_.push_back(out.name);
    out.operands.push_back(recipe(depth - 1));
    indices_.pop_back();
    return out;
  }

  const std::vector<std::uint16_t>& choices_;
  Family family_;
  std::size_t at_ = 0;
  std::vector<std::string> indices_;
};

}  // namespace

Recipe decode(const std::vector<std::uint16_t>& choices, Family family) {
  return Decoder(choices, family).recipe(kDepth);
}

const std::map<std::string, SymbolKind, std::less<>>& symbol_kinds() {
  static const std::map<std::string, SymbolKind, std::less<>> kKinds{{"n", SymbolKind::parameter},
                                                                     {"m", SymbolKind::parameter},
                                                                     {"x", SymbolKind::parameter},
                                                                     {"p", SymbolKind::processes},
                                                                     {"r", SymbolKind::rank}};
  return kKinds;
}

const std::vector<std::string>& symbol_names() {
  static const std::vector<std::string> kNames{"n", "m", "x", "p", "r"};
  return kNames;
}

Expression symbol_of(const std::string& name) {
  const auto known = symbol_kinds().find(name);
  return symbol(name, known == symbol_kinds().end() ? SymbolKind::loop_index : known->second);
}

ExactBinding decode_point(const std::vector<std::uint16_t>& choices) {
  ExactBinding out;
  std::size_t at = 0;
  const auto next = [&] { return at < choices.size() ? static_cast<std::int64_t>(choices[at++] % 1000) : 0; };
  for (const char* const name : {"n", "m", "x"}) out[name] = Rational::of(next() % 41 - 20, 1 + next() % 4);
  out["p"] = 1 + next() % 9;
  out["r"] = next() % 9;
  return out;
}

namespace {

// Builds the operation with the public functions, two operands at a time.
template <class Combine>
Expression folded(const std::vector<Recipe>& operands, Combine combine) {
  Expression out = build(operands[0]);
  for (std::size_t i = 1; i < operands.size(); ++i) out = combine(out, build(operands[i]));
  return out;
}

}  // namespace

Expression build(const Recipe& recipe) {
  const std::vector<Recipe>& o = recipe.operands;
  switch (recipe.operation) {
    case Operation::constant:
      return Expression(recipe.number);
    case Operation::real:
      return real(recipe.real_number);
    case Operation::symbol:
      return symbol_of(recipe.name);
    case Operation::sum:
      return folded(o, [](const Expression& a, const Expression& b) { return a + b; });
    case Operation::product:
      return folded(o, [](const Expression& a, const Expression& b) { return a * b; });
    case Operation::minimum:
      return folded(o, [](const Expression& a, const Expression& b) { return min(a, b); });
    case Operation::maximum:
      return folded(o, [](const Expression& a, const Expression& b) { return max(a, b); });
    case Operation::modulo:
      return modulo(build(o[0]), build(o[1]));
    case Operation::power:
      return power(build(o[0]), recipe.number);
    case Operation::floor:
      return floor(build(o[0]));
    case Operation::ceil:
      return ceil(build(o[0]));
    case Operation::log2:
      return log2(build(o[0]));
    case Operation::conditional:
      return conditional(build(o[0]), build(o[1]), build(o[2]));
    case Operation::series:
      return series(symbol_of(recipe.name), build(o[0]), build(o[1]), build(o[2]));
  }
  return {};
}

Recipe reversed(const Recipe& recipe) {
  Recipe out = recipe;
  for (Recipe& operand : out.operands) operand = reversed(operand);
  const Operation o = recipe.operation;
  const bool commutative =
      o == Operation::sum || o == Operation::product || o == Operation::minimum || o == Operation::maximum;
  if (commutative) std::ranges::reverse(out.operands);
  return out;
}

GiNaC::ex build_oracle(const Recipe& recipe, const std::map<std::string, GiNaC::symbol>& symbols) {
  GiNaC::ex out = recipe.operation == Operation::product ? 1 : 0;
  switch (recipe.operation) {
    case Operation::symbol:
      return symbols.at(recipe.name);
    case Operation::sum:
      for (const Recipe& operand : recipe.operands) out += build_oracle(operand, symbols);
      return out;
    case Operation::product:
      for (const Recipe& operand : recipe.operands) out *= build_oracle(operand, symbols);
      return out;
    case Operation::power:
      return GiNaC::pow(build_oracle(recipe.operands[0], symbols), to_numeric(recipe.number));
    default:
      return to_numeric(recipe.number);
  }
}

GiNaC::numeric to_numeric(const Rational& a) {
  return GiNaC::numeric(std::to_string(a.numerator()).c_str()) /
         GiNaC::numeric(std::to_string(a.denominator()).c_str());
}

OracleBinding to_numeric(const ExactBinding& at) {
  OracleBinding out;
  for (const auto& [name, value] : at) out.emplace(name, to_numeric(value));
  return out;
}

Binding to_double(const ExactBinding& at) {
  Binding out;
  for (const auto& [name, value] : at) out.emplace(name, value.to_double());
  return out;
}

namespace {

using GiNaC::numeric;

// Returns the largest integer not above a fraction.
numeric whole_part(const numeric& a) {
  const numeric quotient = GiNaC::iquo(a.numer(), a.denom());  // rounds towards zero
  return quotient > a ? quotient - 1 : quotient;
}

std::optional<numeric> series_value(const Recipe& recipe, const OracleBinding& at) {
  const auto first = oracle_value(recipe.operands[0], at), last = oracle_value(recipe.operands[1], at);
  if (!first || !last) return std::nullopt;
  numeric total = 0;
  OracleBinding inside = at;
  for (numeric k = *first; k <= *last; k = k + 1) {
    inside[recipe.name] = k;
    const auto term = oracle_value(recipe.operands[2], inside);
    if (!term) return std::nullopt;
    total = total + *term;
  }
  return total;
}

std::optional<numeric> strict_value(Operation operation, const Rational& number,
                                    const std::vector<numeric>& o) {
  numeric out = o[0];
  switch (operation) {
    case Operation::sum:
      for (std::size_t i = 1; i < o.size(); ++i) out = out + o[i];
      return out;
    case Operation::product:
      for (std::size_t i = 1; i < o.size(); ++i) out = out * o[i];
      return out;
    case Operation::minimum:
      return std::ranges::min(o, [](const numeric& a, const numeric& b) { return a < b; });
    case Operation::maximum:
      return std::ranges::max(o, [](const numeric& a, const numeric& b) { return a < b; });
    case Operation::power:
      if (!number.is_integer() || (number.sign() < 0 && out.is_zero())) return std::nullopt;
      return out.power(to_numeric(number));
    case Operation::floor:
      return whole_part(out);
    case Operation::ceil:
      return -whole_part(-out);
    case Operation::modulo:
      if (o[1].is_zero()) return std::nullopt;
      return o[0] - o[1] * whole_part(o[0] / o[1]);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<numeric> oracle_value(const Recipe& recipe, const OracleBinding& at) {
  switch (recipe.operation) {
    case Operation::constant:
      return to_numeric(recipe.number);
    case Operation::symbol:
      return at.at(recipe.name);
    case Operation::series:
      return series_value(recipe, at);
    case Operation::conditional: {
      const auto condition = oracle_value(recipe.operands[0], at);
      if (!condition) return std::nullopt;
      return oracle_value(recipe.operands[*condition >= 0 ? 1 : 2], at);
    }
    default:
      break;
  }
  std::vector<numeric> operands;
  for (const Recipe& operand : recipe.operands) {
    const auto value = oracle_value(operand, at);
    if (!value) return std::nullopt;
    operands.push_back(*value);
  }
  return operands.empty() ? std::nullopt : strict_value(recipe.operation, recipe.number, operands);
}

}  // namespace parcast::symbolic
