// SPDX-License-Identifier: Apache-2.0
// Evaluates at one point by walking the tree.

#include <cmath>
#include <limits>
#include <unordered_map>

#include "base/text.h"
#include "symbolic/kernel.h"
#include "symbolic/lowering.h"

namespace parcast::symbolic {

namespace {

constexpr double kWholeLimit = 0x1p53;  // integers are exact as doubles up to here

std::optional<std::int64_t> common_whole_denominator(const Expression& sum) {
  std::int64_t common = 1;
  for (const Expression& term : sum.operands()) {
    const Number& c = term.is_number() ? number_of(term) : coefficient_of(term);
    if (c.is_real()) return std::nullopt;
    const std::optional<std::int64_t> next =
        checked_multiply(common, c.exact().denominator() / std::gcd(common, c.exact().denominator()));
    if (!next) return std::nullopt;
    common = *next;
  }
  return common;
}

}  // namespace

ScaledCoefficients scaled_coefficients(const Expression& sum) {
  const std::int64_t common = common_whole_denominator(sum).value_or(1);
  ScaledCoefficients plain, whole;
  bool fits = static_cast<double>(common) < kWholeLimit;
  whole.divisor = static_cast<double>(common);
  for (const Expression& term : sum.operands()) {
    const Number& c = term.is_number() ? number_of(term) : coefficient_of(term);
    const double scaled = multiply(c, Rational(common)).to_double();
    fits = fits && std::fabs(scaled) < kWholeLimit;
    (term.is_number() ? plain.constant : plain.terms.emplace_back()) = c.to_double();
    (term.is_number() ? whole.constant : whole.terms.emplace_back()) = scaled;
  }
  return common > 1 && fits ? whole : plain;
}

namespace {

class Evaluator {
 public:
  using Value = double;
  explicit Evaluator(const Binding& at) : at_(at) {}

  double value(const Expression& a) {
    if (a.is_number()) return a.number();
    if (a.operation() == Operation::symbol) return value_of_symbol(a);
    if (failure_) return kernel::kNone;
    auto& known = node_of(a).loose == 0 ? known_ : known_in_body_;
    if (const auto found = known.find(a.node()); found != known.end()) return found->second.second;
    const double result = compute(a);
    (node_of(a).loose == 0 ? known_ : known_in_body_).emplace(a.node(), std::pair(a, result));
    return result;
  }

  const std::optional<Error>& failure() const { return failure_; }

  double constant(double a) { return a; }
  double add(double a, double b) { return a + b; }
  double multiply(double a, double b) { return a * b; }
  double offset(double a, double b) { return a + b; }
  double scale(double a, double b) { return a * b; }
  double divide_by(double a, double b) { return a / b; }
  double divide(double a, double b) {
    if (b != 0) return kernel::divide(a, b);
    return fail("division by zero", (current_ ? to_text(*current_) + ": " : "") +
                                        "give the parameters that divide values above 0");
  }
  double square_root(double a) { return checked_base(a, kernel::square_root(a)); }
  double cube_root(double a) { return checked_base(a, kernel::cube_root(a)); }
  double fractional_power(double a, double e) { return checked_base(a, kernel::fractional_power(a, e)); }

 private:
  double fail(std::string what, std::string hint = "") {
    if (!failure_)
      failure_ = Error{std::move(what), current_ ? "'" + to_text(*current_) + "'" : "", std::move(hint)};
    return kernel::kNone;
  }

  double checked_base(double base, double power) {
    return base < 0 ? fail("a fractional power of the negative value " + format_significant(base, 6)) : power;
  }

  double value_of_symbol(const Expression& a) {
    if (const std::uint32_t level = node_of(a).level; level != 0) return indices_[level];
    const auto found = at_.find(a.name());
    if (found != at_.end()) return found->second;
    if (!failure_) failure_ = Error{"symbol '" + a.name() + "' has no value", "", "bind it to a number"};
    return kernel::kNone;
  }

  double compute(const Expression& a) {
    const Expression* const outer = std::exchange(current_, &a);
    const double result = compute_here(a);
    current_ = outer;
    return result;
  }

  double compute_here(const Expression& a) {
    const std::span<const Expression> o = a.operands();
    switch (a.operation()) {
      case Operation::sum:
        return Lowering(*this).sum(a);
      case Operation::product:
      case Operation::power:
        return Lowering(*this).product(a);
      case Operation::floor:
        return std::floor(value(o[0]));
      case Operation::ceil:
        return std::ceil(value(o[0]));
      case Operation::modulo:
        return modulo(value(o[0]), value(o[1]));
      case Operation::minimum:
        return fold(o, kernel::minimum);
      case Operation::maximum:
        return fold(o, kernel::maximum);
      case Operation::log2:
        return logarithm(value(o[0]));
      case Operation::conditional: {
        const double condition = value(o[0]);
        return std::isnan(condition) ? condition : value(o[condition >= 0 ? 1 : 2]);
      }
      case Operation::series:
        return sum_series(o);
      default:
        return kernel::kNone;
    }
  }

  double modulo(double a, double b) { return b == 0 ? fail("division by zero") : kernel::modulo(a, b); }

  double logarithm(double a) {
    return a <= 0 ? fail("a logarithm of " + format_significant(a, 6) + ", which is not positive")
                  : kernel::log2(a);
  }

  double fold(std::span<const Expression> operands, double (*combine)(double, double)) {
    double result = value(operands[0]);
    for (const Expression& operand : operands.subspan(1)) result = combine(result, value(operand));
    return result;
  }

  double sum_series(std::span<const Expression> o) {
    const double first = value(o[1]), last = value(o[2]);
    const double count = kernel::term_count(first, last);
    if (std::isnan(count))
      return failure_ ? kernel::kNone : fail("a series of too many terms", "at most 10^8 can be summed");
    double total = 0;
    double& index = indices_[node_of(o[0]).level];
    index = std::ceil(first);
    for (double i = 0; i < count && !failure_; ++i, ++index) {
      known_in_body_.clear();
      total += value(o[3]);
    }
    known_in_body_.clear();
    return total;
  }

  const Binding& at_;
  std::optional<Error> failure_;
  const Expression* current_ = nullptr;
  using Known = std::unordered_map<const Node*, std::pair<Expression, double>>;
  Known known_;          // keeps its expressions alive, so that no address is reused
  Known known_in_body_;  // parts that depend on the current value of an index
  std::unordered_map<std::uint32_t, double> indices_;
};

}  // namespace

Result<double> evaluate(const Expression& a, const Binding& at) {
  PARCAST_TRY(check_nesting(a));
  Evaluator evaluator(at);
  const double value = evaluator.value(a);
  if (evaluator.failure()) return *evaluator.failure();
  if (!std::isfinite(value)) {
    return Error{"the value is beyond the range of a double", "'" + to_text(a) + "'",
                 "check the magnitude of the bound values"};
  }
  return value;
}

}  // namespace parcast::symbolic
