// SPDX-License-Identifier: Apache-2.0
// Prints expressions as text that parse() reads back.

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/text.h"
#include "base/visible.h"
#include "symbolic/build.h"
#include "symbolic/factor.h"
#include "symbolic/grammar.h"

namespace parcast::symbolic {

namespace {

std::string name_text(const std::string& name) {
  if (plain_name_length(name) == name.size()) return name;
  std::string quoted = "'";
  for (const char c : name) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

// A real constant always has a point or an exponent, so it is never read as an exact number.
std::string real_text(double value) {
  if (std::isinf(value)) return value > 0 ? "1e999" : "-1e999";
  const std::string text = format_exact(value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

// Returns whether a fraction has too many digits to be readable. Such a fraction represents a real number.
bool unwieldy(const Rational& value) {
  constexpr std::int64_t kMostDigits = 1'000'000;
  return !value.is_integer() &&
         (value.denominator() >= kMostDigits || std::abs(value.numerator()) >= kMostDigits);
}

/// Returns whether an expression of ranks and process counts has integer values only.
bool is_integral(const Expression& a) {
  switch (a.operation()) {
    case Operation::constant:
      return a.constant().is_integer();
    case Operation::symbol:
      return a.kind() == SymbolKind::rank || a.kind() == SymbolKind::processes;
    case Operation::sum:
    case Operation::product:
      return std::ranges::all_of(a.operands(), is_integral);
    default:
      return false;
  }
}

/// For if(c >= 0, 1, 0) - 1, which is -1 where c is negative, returns the expression that is at least 0
/// there.
std::optional<Expression> negative_condition(const Expression& factor) {
  const std::span<const Expression> terms = factor.operands();
  if (factor.operation() != Operation::sum || terms.size() != 2) return std::nullopt;
  const bool first = terms[0].operation() == Operation::conditional;
  const Expression &condition = terms[first ? 0 : 1], &number = terms[first ? 1 : 0];
  if (condition.operation() != Operation::conditional || number != Expression(-1)) return std::nullopt;
  const std::span<const Expression> o = condition.operands();
  if (o[1] != Expression(1) || !o[2].is_zero() || !is_integral(o[0])) return std::nullopt;
  return -o[0] - Expression(1);
}

/// Returns `a` where the condition holds: the first branch of each choice by it.
Expression where_holds(const Expression& condition, const Expression& a) {
  if (a.operation() == Operation::conditional && a.operands()[0] == condition)
    return where_holds(condition, a.operands()[1]);
  if (a.operation() == Operation::series || a.operands().empty()) return a;
  std::vector<Expression> changed;
  for (const Expression& operand : a.operands()) changed.push_back(where_holds(condition, operand));
  return rebuild(a, changed);
}

class Printer {
 public:
  /// `digits`: for real numbers and unwieldy fractions; 0 prints everything exactly.
  explicit Printer(const Expression& whole, int digits = 0) : digits_(digits) {
    for (const Expression& symbol : free_symbols(whole)) taken_.insert(symbol.name());
  }

  /// Prints in the form that people use: "steps where r >= 1" for steps*if(r >= 1, 1, 0), and also for
  /// -steps*(if(r <= 0, 1, 0) - 1).
  std::string text_with_conditions(const Expression& a) {
    std::vector<std::string> conditions;
    Expression rest = a;
    for (bool found = true; found;) {
      found = false;
      for (const Expression& factor : symbolic_factors(rest)) {
        if (const auto negative = negative_condition(factor)) {
          conditions.push_back(comparison(*negative, false));
          rest = rest * power(factor, -1) * Expression(-1);
          found = true;
          break;
        }
        const std::span<const Expression> o = factor.operands();
        if (factor.operation() != Operation::conditional || !o[2].is_zero()) continue;
        const bool equal = is_equality(o);
        conditions.push_back(comparison(o[0], equal));
        rest = where_holds(o[0], rest * power(factor, -1)) * (equal ? o[1].operands()[1] : o[1]);
        found = true;
        break;
      }
    }
    return text(rest) + (conditions.empty() ? "" : " where " + join(conditions, " and "));
  }

  std::string text(const Expression& a) {
    const std::span<const Expression> o = a.operands();
    switch (a.operation()) {
      case Operation::constant:
      case Operation::real:
        return number_text(number_of(a));
      case Operation::symbol:
        return symbol_text(a);
      case Operation::sum:
        return sum_text(o);
      case Operation::product:
      case Operation::power:
        return product_text(a);
      case Operation::conditional:
        return conditional_text(o);
      case Operation::series:
        return series_text(o);
      default:
        return function_text(a);
    }
  }

 private:
  std::string number_text(const Number& value) const {
    if (digits_ > 0 && (value.is_real() || unwieldy(value.exact())))
      return format_significant(value.to_double(), digits_);
    return value.is_real() ? real_text(value.to_double()) : to_string(value.exact());
  }

  std::string exponent_text(const Rational& exponent) const {
    constexpr std::int64_t kPlainDenominator = 10;
    if (exponent.is_integer()) return to_string(exponent);
    if (digits_ > 0 && exponent.denominator() > kPlainDenominator)
      return format_significant(exponent.to_double(), digits_);
    return "(" + to_string(exponent) + ")";
  }

  std::string symbol_text(const Expression& a) {
    const std::uint32_t level = node_of(a).level;
    if (level == 0) return name_text(a.name());
    const auto found = indices_.find(level);
    return found == indices_.end() ? name_text(a.name()) : found->second;
  }

  /// Prints an added term first, if there is one: steps - floor(steps/k).
  std::string sum_text(std::span<const Expression> terms) {
    std::vector<std::string> texts;
    for (const Expression& term : terms) texts.push_back(text(term));
    const auto first = std::ranges::find_if(texts, [](const std::string& each) { return each[0] != '-'; });
    if (first != texts.end()) std::rotate(texts.begin(), first, first + 1);
    std::string out = texts[0];
    for (std::size_t i = 1; i < texts.size(); ++i)
      out += texts[i][0] == '-' ? " - " + texts[i].substr(1) : " + " + texts[i];
    return out;
  }

  // Prints a >= 0 with subtracted terms moved to the other side: r >= 1, n <= 4*p.
  std::string comparison(const Expression& a, bool equal) {
    std::string more, less;
    bool changes = false;  // the left side is more than a number
    const auto add = [&](const Expression& term) {
      const std::string next = text(term);
      const bool negative = next[0] == '-';
      std::string& side = negative ? less : more;
      side += (side.empty() ? "" : " + ") + (negative ? next.substr(1) : next);
      changes = changes || (!negative && !term.is_number());
    };
    if (a.operation() == Operation::sum)
      std::ranges::for_each(a.operands(), add);
    else
      add(a);
    if (more.empty()) more = "0";
    if (less.empty()) less = "0";
    // read back in this order, which determines the outer one of the two conditions
    if (equal) return more + " == " + less;
    return changes ? more + " >= " + less : less + " <= " + more;
  }

  static bool is_equality(std::span<const Expression> o) {
    return o[1].operation() == Operation::conditional && o[1].operands()[0] == -o[0] &&
           o[1].operands()[2] == o[2];
  }

  std::string conditional_text(std::span<const Expression> o) {
    const bool equal = is_equality(o);
    return std::string(kConditionalName) + "(" + comparison(o[0], equal) + ", " +
           text(equal ? o[1].operands()[1] : o[1]) + ", " + text(o[2]) + ")";
  }

  // Returns a factor next to * or /, or under ^, in parentheses if needed.
  std::string enclosed(const Expression& a, bool under_power) {
    const Operation operation = a.operation();
    const bool compound = operation == Operation::sum ||
                          (under_power && (operation == Operation::product || operation == Operation::power));
    const bool number =
        a.is_number() && (number_of(a).sign() < 0 || (a.is_constant() && !a.constant().is_integer()));
    return compound || number ? "(" + text(a) + ")" : text(a);
  }

  std::string power_text(const Expression& base, const Rational& exponent) {
    if (exponent == Rational(1)) return enclosed(base, false);
    return enclosed(base, true) + "^" + exponent_text(exponent);
  }

  static std::string joined(const std::vector<std::string>& factors) { return join(factors, "*"); }

  // A rounded number is not factored out of a sum: 2.5*n + 0.1, not 1e-12*(2500000000000*n + 100000000000).
  std::optional<Expression> rounded_sum(const Expression& a) const {
    const Number& c = coefficient_of(a);
    if (digits_ == 0 || !(c.is_real() || unwieldy(c.exact()))) return std::nullopt;
    const std::span<const Expression> factors = symbolic_factors(a);
    const auto sum = std::ranges::find(factors, Operation::sum, &Expression::operation);
    if (sum == factors.end()) return std::nullopt;
    constexpr double kLarge = 1e6;  // 4e-9*(n + 1) is read as it is
    const auto is_large = [](const Expression& term) {
      return std::abs(coefficient_of(term).to_double()) >= kLarge;
    };
    if (std::ranges::none_of(sum->operands(), is_large)) return std::nullopt;
    std::vector<Expression> terms;
    for (const Expression& term : sum->operands())
      terms.push_back(real(c.to_double() * coefficient_of(term).to_double()) * without_coefficient(term));
    std::vector<Expression> rest(factors.begin(), factors.end());
    rest.erase(rest.begin() + (sum - factors.begin()));
    rest.push_back(make_sum(terms));
    return make_product(rest);
  }

  // Factors with negative exponents, and the coefficient's denominator, are printed below.
  std::string product_text(const Expression& a) {
    if (const auto rounded = rounded_sum(a); rounded && coefficient_of(*rounded).to_double() == 1)
      return text(*rounded);
    std::vector<std::string> above, below;
    std::string sign = number_factors(coefficient_of(a), above, below), undefined;
    for (const Expression& factor : symbolic_factors(a)) {
      const auto [base, exponent] = base_and_exponent(factor);
      const std::optional<Rational> opposite = negate(exponent);
      if (base.is_zero()) {
        undefined = "/0";  // separate, since (p*0) would be read as 0
      } else if (exponent.sign() < 0 && opposite) {
        below.push_back(power_text(base, *opposite));
      } else {
        above.push_back(power_text(base, exponent));
      }
    }
    if (above.empty()) above.emplace_back("1");
    const std::string numerator = sign + joined(above);
    if (below.empty()) return numerator + undefined;
    return numerator + "/" + (below.size() == 1 ? below[0] : "(" + joined(below) + ")") + undefined;
  }

  std::string number_factors(const Number& c, std::vector<std::string>& above,
                             std::vector<std::string>& below) const {
    const bool whole = c.is_real() || (digits_ > 0 && unwieldy(c.exact()));
    std::string first = whole ? number_text(c) : std::to_string(c.exact().numerator());
    std::string sign;
    if (c.sign() < 0) {
      sign = "-";
      first.erase(0, 1);
    }
    const bool is_one = first == "1" || (digits_ > 0 && std::abs(c.to_double()) == 1);
    if (!is_one) above.push_back(first);
    if (!whole && !c.exact().is_integer()) below.push_back(std::to_string(c.exact().denominator()));
    return sign;
  }

  std::string list(std::span<const Expression> operands) {
    std::string out;
    for (const Expression& operand : operands) out += (out.empty() ? "" : ", ") + text(operand);
    return out;
  }

  std::string function_text(const Expression& a) {
    const auto* const function = std::ranges::find(kFunctionNames, a.operation(), &FunctionName::operation);
    return std::string(function->name) + "(" + list(a.operands()) + ")";
  }

  // Indices are named k, k1, k2, ...: the first name not used by a symbol of the expression or by an outer
  // index.
  std::string fresh_index() {
    std::string name = "k";
    for (int i = 1; taken_.contains(name); ++i) name = "k" + std::to_string(i);
    return name;
  }

  std::string series_text(std::span<const Expression> o) {
    const std::string bounds = text(o[1]) + ", " + text(o[2]);
    const std::string index = fresh_index();
    const std::uint32_t level = node_of(o[0]).level;
    taken_.insert(index);
    indices_[level] = index;
    const std::string body = text(o[3]);
    indices_.erase(level);
    taken_.erase(index);
    return std::string(kSeriesName) + "(" + index + ", " + bounds + ", " + body + ")";
  }

  int digits_;
  std::set<std::string> taken_;
  std::map<std::uint32_t, std::string> indices_;
};

}  // namespace

std::string to_text(const Expression& a) {
  return Printer(a).text(a);
}

std::string readable_text(const Expression& a) {
  constexpr int kDigits = 4;
  const std::string text = Printer(a, kDigits).text_with_conditions(factored(a));
  return visible(text, text.size());
}

}  // namespace parcast::symbolic
