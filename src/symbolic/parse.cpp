// SPDX-License-Identifier: Apache-2.0
// Reads the text form of expressions by recursive descent (grammar.h).

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>

#include "base/text.h"
#include "symbolic/build.h"
#include "symbolic/grammar.h"

namespace parcast::symbolic {

namespace {

constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();
constexpr int kDeepest = 200;
constexpr std::size_t kMostNestedSums = 16;

using Kinds = std::map<std::string, SymbolKind, std::less<>>;

class Parser {
 public:
  Parser(std::string_view text, const Kinds& kinds) : text_(text), kinds_(kinds) {}

  Result<Expression> whole() {
    PARCAST_ASSIGN(Expression result, expression());
    skip_space();
    if (at_ != text_.size())
      return error_here("expected an operator or the end, not '" + std::string(1, text_[at_]) + "'");
    return result;
  }

 private:
  Error error_at(std::size_t place, std::string what, std::string hint = "") const {
    return {std::move(what), "column " + std::to_string(place + 1), std::move(hint)};
  }
  Error error_here(std::string what, std::string hint = "") const {
    return error_at(at_, std::move(what), std::move(hint));
  }

  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }

  bool accept(std::string_view token) {
    skip_space();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  Result<void> expect(std::string_view token) {
    if (accept(token)) return {};
    const std::string found = at_ < text_.size() ? "'" + std::string(1, text_[at_]) + "'" : "the end";
    return error_here("expected '" + std::string(token) + "', not " + found);
  }

  Result<Expression> expression() {
    if (++depth_ > kDeepest) return error_here("the expression is nested too deeply", "at most 200 levels");
    std::vector<Expression> terms;
    bool negative = false;
    do {
      PARCAST_ASSIGN(const Expression next, term(negative));
      terms.push_back(next);
      negative = accept("-");
    } while (negative || accept("+"));
    --depth_;
    return make_sum(terms);
  }

  Result<Expression> term(bool negative) {
    std::vector<Expression> factors;
    bool below = false;
    while (accept("-")) negative = !negative;
    const bool smallest = negative && accept_smallest_magnitude();
    factors.emplace_back(smallest ? Expression(kSmallest) : Expression(negative ? -1 : 1));
    if (smallest) {
      below = accept("/");
      if (!below && !accept("*")) return factors[0];
    }
    do {
      while (accept("-")) factors.emplace_back(-1);
      PARCAST_ASSIGN(const Expression next, factor());
      factors.push_back(below ? power(next, -1) : next);
      below = accept("/");
    } while (below || accept("*"));
    return make_product(factors);
  }

  // The magnitude of the smallest integer does not fit without its sign.
  bool accept_smallest_magnitude() {
    const std::size_t before = at_;
    const bool found =
        accept("9223372036854775808") &&
        (at_ == text_.size() || !(is_digit(text_[at_]) || is_letter(text_[at_]) || text_[at_] == '.'));
    const std::size_t after = at_;
    if (found && !accept("^")) return at_ = after, true;
    return at_ = before, false;
  }

  Result<Expression> factor() {
    PARCAST_ASSIGN(Expression base, primary());
    if (!accept("^")) return base;
    PARCAST_ASSIGN(const Rational exponent_value, exponent());
    return power(base, exponent_value);
  }

  Result<Rational> exponent() {
    skip_space();
    const std::size_t place = at_;
    const bool enclosed = at_ < text_.size() && text_[at_] == '(';
    const bool negative = !enclosed && accept("-");
    if (negative && accept_smallest_magnitude()) return Rational(kSmallest);
    PARCAST_ASSIGN(const Expression value, primary());
    const Expression with_sign = negative ? -value : value;
    if (!with_sign.is_constant()) {
      return error_at(place, "an exponent must be an exact number",
                      "write 1/2 in parentheses for a square root");
    }
    return with_sign.constant();
  }

  Result<Expression> primary() {
    skip_space();
    if (at_ == text_.size()) return error_here("expected a number, a name or '(', not the end");
    const char c = text_[at_];
    if (is_digit(c) || c == '.') return number();
    if (c == '\'') return quoted_symbol();
    if (is_letter(c)) return named();
    if (!accept("(")) return error_here("expected a number, a name or '(', not '" + std::string(1, c) + "'");
    PARCAST_ASSIGN(Expression inner, expression());
    PARCAST_TRY(expect(")"));
    return inner;
  }

  std::size_t number_length() const {
    const std::string_view rest = text_.substr(at_);
    std::size_t i = 0;
    const auto digits = [&] {
      while (i < rest.size() && is_digit(rest[i])) ++i;
    };
    digits();
    if (i < rest.size() && rest[i] == '.') ++i, digits();
    if (i < rest.size() && (rest[i] == 'e' || rest[i] == 'E')) {
      std::size_t j = i + 1;
      if (j < rest.size() && (rest[j] == '+' || rest[j] == '-')) ++j;
      if (j < rest.size() && is_digit(rest[j])) i = j, digits();
    }
    return i;
  }

  Result<Expression> number() {
    const std::string_view token = text_.substr(at_, number_length());
    if (token == ".") return error_here("'.' is no number");
    const std::size_t place = at_;
    at_ += token.size();
    if (at_ < text_.size() && is_letter(text_[at_])) {
      return error_here("a number must be followed by an operator", "write * between factors");
    }
    if (token.find_first_not_of("0123456789") == std::string_view::npos) return whole_number(token, place);
    double value = 0;
    const auto [end, problem] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (problem == std::errc::result_out_of_range) return real(out_of_range_value(token));
    if (problem != std::errc() || end != token.data() + token.size())
      return error_at(place, "'" + std::string(token) + "' is no number");
    return real(value);
  }

  // from_chars does not report whether the value was too large or too small.
  static double out_of_range_value(std::string_view token) {
    return std::strtod(std::string(token).c_str(), nullptr);
  }

  Result<Expression> whole_number(std::string_view token, std::size_t place) {
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (problem == std::errc()) return Expression(value);
    return error_at(place, "the whole number " + std::string(token) + " does not fit 64 bits",
                    "write it with a decimal point to have it as a real constant");
  }

  Result<std::string> quoted_name() {
    const std::size_t place = at_++;
    std::string name;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\'') {
        ++at_;
        if (at_ == text_.size() || text_[at_] != '\'') return name;
      }
      name += text_[at_];
    }
    return error_at(place, "this quoted name does not end", "close it with '");
  }

  Result<Expression> quoted_symbol() {
    const std::size_t place = at_;
    PARCAST_ASSIGN(const std::string name, quoted_name());
    return symbol_named(name, place);
  }

  Result<Expression> named() {
    const std::size_t place = at_;
    const std::string_view name = text_.substr(at_, plain_name_length(text_.substr(at_)));
    at_ += name.size();
    if (!accept("(")) return symbol_named(name, place);
    if (name == kConditionalName) return conditional_arguments();
    if (name == kSeriesName) return series_arguments();
    const auto* const function = std::ranges::find(kFunctionNames, name, &FunctionName::name);
    if (function == kFunctionNames.end() && name != kRootName) return unknown_function(name, place);
    PARCAST_ASSIGN(const std::vector<Expression> arguments, function_arguments());
    const auto count = static_cast<int>(arguments.size());
    const int least = name == kRootName ? 1 : function->least_arguments,
              most = name == kRootName ? 1 : function->most_arguments;
    if (count < least || (most != 0 && count > most))
      return error_at(place, std::string(name) + " takes " + std::to_string(least) +
                                 (least == 1 ? " argument" : " arguments") + ", not " +
                                 std::to_string(count));
    return name == kRootName ? power(arguments.front(), Rational::of(1, 2))
                             : apply(function->operation, arguments);
  }

  Error unknown_function(std::string_view name, std::size_t place) const {
    std::vector<std::string> known{std::string(kConditionalName), std::string(kSeriesName),
                                   std::string(kRootName)};
    for (const FunctionName& function : kFunctionNames) known.emplace_back(function.name);
    return error_at(place, "there is no function '" + std::string(name) + "'", did_you_mean(name, known));
  }

  static Expression apply(Operation operation, const std::vector<Expression>& arguments) {
    switch (operation) {
      case Operation::floor:
        return floor(arguments[0]);
      case Operation::ceil:
        return ceil(arguments[0]);
      case Operation::modulo:
        return modulo(arguments[0], arguments[1]);
      case Operation::minimum:
        return minimum_of(arguments);
      case Operation::maximum:
        return maximum_of(arguments);
      default:
        return log2(arguments[0]);
    }
  }

  Result<std::vector<Expression>> function_arguments() {
    std::vector<Expression> out;
    do {
      PARCAST_ASSIGN(const Expression next, expression());
      out.push_back(next);
    } while (accept(","));
    PARCAST_TRY(expect(")"));
    return out;
  }

  Result<Expression> symbol_named(std::string_view name, std::size_t place) const {
    const auto bound = std::ranges::find(indices_.rbegin(), indices_.rend(), name, &Index::name);
    if (bound != indices_.rend()) return bound->symbol;
    if (const auto kind = kinds_.find(name); kind != kinds_.end()) return symbol(name, kind->second);
    std::vector<std::string> known;
    for (const auto& [other, kind] : kinds_) known.push_back(other);
    return error_at(place, "there is no symbol '" + std::string(name) + "'", did_you_mean(name, known));
  }

  Result<Expression> conditional_arguments() {
    PARCAST_ASSIGN(const Expression left, expression());
    const bool equal = accept("=="), at_most = !equal && accept("<=");
    if (!equal && !at_most && !accept(">=")) return error_here("expected '>=', '<=' or '=='");
    PARCAST_ASSIGN(const Expression right, expression());
    PARCAST_TRY(expect(","));
    PARCAST_ASSIGN(const Expression then, expression());
    PARCAST_TRY(expect(","));
    PARCAST_ASSIGN(const Expression otherwise, expression());
    PARCAST_TRY(expect(")"));
    const Expression difference = at_most ? right - left : left - right;
    return conditional(difference, equal ? conditional(-difference, then, otherwise) : then, otherwise);
  }

  Result<std::string> index_name() {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '\'') return quoted_name();
    const std::size_t length = plain_name_length(text_.substr(at_));
    if (length == 0) return error_here("expected the name of the index of the sum");
    at_ += length;
    return std::string(text_.substr(at_ - length, length));
  }

  Result<Expression> series_arguments() {
    if (indices_.size() == kMostNestedSums)
      return error_here("sums are nested too deeply", "at most 16 levels");
    PARCAST_ASSIGN(std::string name, index_name());
    PARCAST_TRY(expect(","));
    PARCAST_ASSIGN(const Expression first, expression());
    PARCAST_TRY(expect(","));
    PARCAST_ASSIGN(const Expression last, expression());
    PARCAST_TRY(expect(","));
    // The index is open while the body is parsed, so no symbol of the text can be mistaken for it, not even
    // an outer one of the same name.
    const Expression index =
        Factory::bound_symbol(kTemporary + 1 + static_cast<std::uint32_t>(indices_.size()));
    indices_.push_back({std::move(name), index});
    PARCAST_ASSIGN(const Expression body, expression());
    indices_.pop_back();
    PARCAST_TRY(expect(")"));
    return series(index, first, last, body);
  }

  struct Index {
    std::string name;
    Expression symbol;
  };

  std::string_view text_;
  const Kinds& kinds_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::vector<Index> indices_;
};

}  // namespace

Result<Expression> parse(std::string_view text, const Kinds& kinds) {
  return Parser(text, kinds).whole();
}

}  // namespace parcast::symbolic
