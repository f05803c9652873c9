// SPDX-License-Identifier: Apache-2.0
// Converts formulas to expressions, including the program's results below zero and in narrow types
// (docs/models/source_counts.md).

#include <algorithm>
#include <map>
#include <set>

#include "source/facts/bounds.h"
#include "source/facts/formula.h"

namespace parcast::facts {
namespace {

using symbolic::Expression;

std::optional<int> power_of_two(std::int64_t value) {
  if (value <= 0 || (value & (value - 1)) != 0) return std::nullopt;
  int exponent = 0;
  while ((std::int64_t{1} << exponent) != value) ++exponent;
  return exponent;
}

constexpr std::int64_t kWrap32 = std::int64_t{1} << 32;
// Sizes at which a program's numbers do not overflow unintentionally, and sizes up to which the last digits
// of a number are preserved.
constexpr double kUsualSize = 1e3, kLargeSize = 1e5;
constexpr double kExact = 0x1p53, kLongest = 0x1p63, kLargestTree = 1000;
constexpr std::int64_t kLargestMask = std::int64_t{1} << 61;

bool has_wrapped(const Expression& value, std::set<const symbolic::Node*>& seen) {
  if (!seen.insert(value.node()).second) return false;
  if (value.operation() == symbolic::Operation::modulo && value.operands()[1] == Expression(kWrap32))
    return true;
  return std::ranges::any_of(value.operands(),
                             [&](const Expression& operand) { return has_wrapped(operand, seen); });
}
bool has_wrapped(const Expression& value) {
  std::set<const symbolic::Node*> seen;
  return has_wrapped(value, seen);
}

// Returns an expression that is equal in the lowest 32 bits.
Expression without_wrapping(const Expression& value) {
  const auto operands = value.operands();
  switch (value.operation()) {
    case symbolic::Operation::modulo:
      return operands[1] == Expression(kWrap32) ? operands[0] : value;
    case symbolic::Operation::sum: {
      Expression sum;
      for (const Expression& term : operands) sum = sum + without_wrapping(term);
      return sum;
    }
    case symbolic::Operation::product:
      if (operands.size() == 2 && operands[0].is_constant() && operands[0].constant().is_integer())
        return operands[0] * without_wrapping(operands[1]);
      return value;
    default:
      return value;
  }
}

// Collects the conditionals in a value that have this condition, with the operand that is left of each. Those
// in a series may depend on its index, and stay.
void collect_known(const Expression& value, const Expression& condition, std::size_t operand,
                   std::set<const symbolic::Node*>& seen, std::map<Expression, Expression>& known) {
  if (value.is_number() || value.operation() == symbolic::Operation::series) return;
  if (!seen.insert(value.node()).second) return;
  const auto operands = value.operands();
  if (value.operation() == symbolic::Operation::conditional && operands[0] == condition)
    known.emplace(value, operands[operand]);
  for (const Expression& each : operands) collect_known(each, condition, operand, seen, known);
}

// Returns a value that is asked for only where the condition holds, or only where it does not, without what
// the condition already decided.
Expression where(const Expression& condition, bool holds, const Expression& value) {
  std::set<const symbolic::Node*> seen;
  std::map<Expression, Expression> known;
  collect_known(value, condition, holds ? 1 : 2, seen, known);
  return known.empty() ? value : symbolic::replace_parts(value, known);
}

std::optional<Expression> chosen_by(const std::string& how, const Expression& a, const Expression& b,
                                    const Expression& then, const Expression& otherwise) {
  const auto at_least = [](const Expression& x, const Expression& y, const Expression& yes,
                           const Expression& no) {
    const Expression out = symbolic::conditional(x - y, yes, no);
    if (out.operation() != symbolic::Operation::conditional) return out;
    const Expression condition = out.operands()[0];
    return symbolic::conditional(condition, where(condition, true, out.operands()[1]),
                                 where(condition, false, out.operands()[2]));
  };
  if (how == "eq") return at_least(a, b, at_least(b, a, then, otherwise), otherwise);
  if (how == "ne") return at_least(a, b, at_least(b, a, otherwise, then), then);
  if (how == "sge" || how == "uge") return at_least(a, b, then, otherwise);
  if (how == "sle" || how == "ule") return at_least(b, a, then, otherwise);
  if (how == "slt" || how == "ult") return at_least(a, b, otherwise, then);
  if (how == "sgt" || how == "ugt") return at_least(b, a, otherwise, then);
  return std::nullopt;
}

// Converts each term to an integer whose lowest bits are the program's. It may exceed the range of its type
// until an operation needs the other bits.
class FormulaConversion {
 public:
  explicit FormulaConversion(const Names& names) : names_(names) {}

  std::optional<Converted> whole(const Formula& formula) {
    const auto value = of(formula);
    if (!value) return std::nullopt;
    const bool is_narrow = formula->bits > 0 && formula->bits < 32 &&
                           formula->operation != Operation::compare &&
                           formula->operation != Operation::integer;
    return Converted{is_narrow ? modulo_bits(*formula, *value) : as_signed(*formula, *value), everywhere_};
  }

 private:
  std::optional<Expression> of(const Formula& formula) {
    const auto known = known_.find(formula.get());  // terms are shared
    return known != known_.end() ? known->second
                                 : known_.try_emplace(formula.get(), converted(*formula)).first->second;
  }

  std::optional<Expression> converted(const Term& term) {
    switch (term.operation) {
      case Operation::integer:
        return Expression(term.number);
      case Operation::real: {
        const auto exact = symbolic::nearest_rational(term.value, 1'000'000'000);
        return exact && exact->to_double() == term.value ? Expression(*exact) : symbolic::real(term.value);
      }
      case Operation::load:
        return named(term);
      case Operation::recurrence:
        return recurrence(term);
      case Operation::select: {
        const auto then = of(term.operands[1]), otherwise = of(term.operands[2]);
        return then && otherwise ? chosen(*term.operands[0], *then, *otherwise) : std::nullopt;
      }
      case Operation::compare:
        return chosen(term, 1, 0);
      case Operation::sext:
      case Operation::sitofp:
        if (term.operands[0]->operation == Operation::compare) return chosen(*term.operands[0], -1, 0);
        break;
      default:
        break;
    }
    std::vector<Expression> v;
    for (const Formula& operand : term.operands) {
      const auto value = of(operand);
      if (!value) return std::nullopt;
      v.push_back(*value);
    }
    return of_operands(term, v);
  }

  std::optional<Expression> of_operands(const Term& term, const std::vector<Expression>& v) {
    const auto fold_of = [](const std::vector<Expression>& operands, auto combine) {
      Expression value = operands[0];
      for (std::size_t i = 1; i < operands.size(); ++i) value = combine(value, operands[i]);
      return value;
    };
    const auto fold = [&](auto combine) { return fold_of(v, combine); };
    const auto s = [&](std::size_t i) { return as_signed(*term.operands[i], v[i]); };
    const auto u = [&](std::size_t i) { return as_unsigned(*term.operands[i], v[i]); };
    const auto all = [&](auto each) {
      std::vector<Expression> values;
      for (std::size_t i = 0; i < v.size(); ++i) values.push_back(each(i));
      return values;
    };
    const auto max = [](const Expression& a, const Expression& b) { return symbolic::max(a, b); };
    const auto min = [](const Expression& a, const Expression& b) { return symbolic::min(a, b); };
    const auto constant = [&](std::size_t i) -> std::optional<std::int64_t> {
      if (!v[i].is_constant() || !v[i].constant().is_integer()) return std::nullopt;
      return v[i].constant().numerator();
    };
    switch (term.operation) {
      case Operation::add:
        if (const auto quotient = rounded_up(term, v)) return quotient;
        [[fallthrough]];
      case Operation::fadd:
        return fold([](const Expression& a, const Expression& b) { return a + b; });
      case Operation::sub:
      case Operation::fsub:
        return v[0] - v[1];
      case Operation::mul:
      case Operation::fmul:
        return fold([](const Expression& a, const Expression& b) { return a * b; });
      case Operation::fdiv:
        return v[0] / v[1];
      case Operation::fneg:
        return -v[0];
      case Operation::fmuladd:
        return v[0] * v[1] + v[2];
      case Operation::udiv:
        return symbolic::floor(u(0) / u(1));
      case Operation::sdiv:
        return towards_zero(s(0) / s(1), never_negative(s(0)) && never_negative(s(1)));
      case Operation::urem:
        return modulo(u(0), u(1));
      case Operation::srem:
        return rest(s(0), never_negative(s(1)) ? s(1) : symbolic::max(s(1), -s(1)));
      case Operation::smax:
        return fold_of(all(s), max);
      case Operation::umax:
        return fold_of(all(u), max);
      case Operation::fmax:
        return fold(max);
      case Operation::smin:
        return fold_of(all(s), min);
      case Operation::umin:
        return fold_of(all(u), min);
      case Operation::fmin:
        return fold(min);
      case Operation::abs:
        return symbolic::max(s(0), -s(0));
      case Operation::fabs:
        return symbolic::max(v[0], -v[0]);
      case Operation::shl:
        if (const auto by = constant(1); by && *by >= 0 && *by < 62)
          return v[0] * Expression(std::int64_t{1} << *by);
        return std::nullopt;
      case Operation::lshr:
      case Operation::ashr:
        if (const auto by = constant(1); by && *by >= 0 && *by < 62)
          return symbolic::floor((term.operation == Operation::lshr ? u(0) : s(0)) /
                                 Expression(std::int64_t{1} << *by));
        return std::nullopt;
      case Operation::bit_and:  // the lowest bits, or all others
        if (const auto with = constant(1); with && *with < kLargestMask && power_of_two(*with + 1))
          return modulo(v[0], Expression(*with + 1));
        if (const auto with = constant(1); with && *with > -kLargestMask && power_of_two(-*with))
          return v[0] - modulo(v[0], Expression(-*with));
        return std::nullopt;
      case Operation::bit_xor:  // all bits, or one of them
        if (const auto with = constant(1); with == -1)
          return Expression(-1) - v[0];
        else if (with && power_of_two(*with) && *with < (std::int64_t{1} << 61))
          return v[0] + Expression(*with) -
                 Expression(2 * *with) * modulo(symbolic::floor(v[0] / Expression(*with)), 2);
        return std::nullopt;
      case Operation::trunc:
        return term.bits < 32    ? modulo_bits(term.bits, without_wrapping(v[0]))
               : term.bits == 32 ? without_wrapping(v[0])
                                 : v[0];
      case Operation::zext:
        return term.operands[0]->operation == Operation::compare ? v[0] : u(0);
      case Operation::sext:
      case Operation::sitofp:
        return s(0);
      case Operation::uitofp:
        return u(0);
      case Operation::freeze:
      case Operation::fpext:
      case Operation::fptrunc:
        return v[0];
      case Operation::fptosi:
      case Operation::fptoui:
      case Operation::ftrunc:
        return towards_zero(v[0], never_negative(v[0]));
      case Operation::floor:
        return symbolic::floor(v[0]);
      case Operation::ceil:
        return symbolic::ceil(v[0]);
      case Operation::rint:
        return symbolic::floor(v[0] + half());
      case Operation::round:  // halves are rounded away from zero
        if (never_negative(v[0])) return symbolic::floor(v[0] + half());
        return symbolic::conditional(v[0], symbolic::floor(v[0] + half()), symbolic::ceil(v[0] - half()));
      case Operation::sqrt:
        return symbolic::power(v[0], symbolic::Rational::of(1, 2));
      case Operation::log2:
        return symbolic::log2(v[0]);
      case Operation::pow:
        if (v[1].is_constant()) return symbolic::power(v[0], v[1].constant());
        return std::nullopt;
      default:
        return std::nullopt;
    }
  }

  // A compiler counts the rounds of a loop by steps of b as min(1, a) + (a - min(1, a)) / b, which is a / b
  // rounded up.
  std::optional<Expression> rounded_up(const Term& sum, const std::vector<Expression>& v) {
    if (v.size() != 2) return std::nullopt;
    for (const std::size_t q : {0, 1}) {
      const Term& quotient = *sum.operands[q];
      const Expression& least = v[1 - q];
      if (quotient.operation != Operation::udiv || least.operation() != symbolic::Operation::minimum)
        continue;
      const auto operands = least.operands();
      const auto divisor = of(quotient.operands[1]);
      if (operands.size() != 2 || !divisor || !never_negative(*divisor - Expression(1))) continue;
      for (const std::size_t one : {0, 1}) {
        const Expression& a = operands[1 - one];
        if (operands[one] == Expression(1) && never_negative(a) &&
            symbolic::floor((a - least) / *divisor) == v[q])
          return symbolic::ceil(a / *divisor);
      }
    }
    return std::nullopt;
  }

  static Expression half() { return Expression(symbolic::Rational::of(1, 2)); }

  // Each quotient of a possibly negative value contains the value three times, so nested quotients grow
  // exponentially. Large ones are therefore taken as nonnegative.
  Expression towards_zero(const Expression& value, bool never_negative) {
    if (!never_negative && tree(value) > kLargestTree) everywhere_ = false, never_negative = true;
    return never_negative ? symbolic::floor(value)
                          : symbolic::conditional(value, symbolic::floor(value), symbolic::ceil(value));
  }

  double tree(const Expression& value) {
    if (const auto known = trees_.find(value.node()); known != trees_.end()) return known->second;
    double sum = 1;
    for (const Expression& operand : value.operands()) sum += tree(operand);
    return trees_[value.node()] = sum;
  }

  // Returns the remainder, which has the sign of the dividend.
  Expression rest(const Expression& value, const Expression& divisor) {
    if (never_negative(value)) return modulo(value, divisor);
    if (tree(value) > kLargestTree) everywhere_ = false;
    return symbolic::conditional(value, modulo(value, divisor), -modulo(-value, divisor));
  }

  std::optional<Expression> chosen(const Term& condition, const Expression& then,
                                   const Expression& otherwise) {
    if (condition.operation != Operation::compare) return std::nullopt;
    const auto left = of(condition.operands[0]), right = of(condition.operands[1]);
    if (!left || !right) return std::nullopt;
    const std::string& how = condition.name;
    const Term &of_left = *condition.operands[0], &of_right = *condition.operands[1];
    if (how.starts_with('s'))
      return chosen_by(how, as_signed(of_left, *left), as_signed(of_right, *right), then, otherwise);
    const bool is_equality = how == "eq" || how == "ne";
    const bool by_sign_alone = is_never_negative(*left, possible_) && is_never_negative(*right, possible_);
    const auto wraps = [&](const Expression& value) {
      return has_wrapped(value) || exceeds(value, by_sign_alone ? kWrap32 : kWrap32 / 2, kUsualSize);
    };
    if (of_left.bits > 32 && (exceeds(*left, kLongest, kUsualSize) || exceeds(*right, kLongest, kUsualSize)))
      everywhere_ = false;
    if (of_left.bits < 32 || (of_left.bits == 32 && (wraps(*left) || wraps(*right))))
      return chosen_by(how, modulo_bits(of_left, *left), modulo_bits(of_right, *right), then, otherwise);
    const auto same_sign = chosen_by(how, *left, *right, then, otherwise);
    if (!same_sign || is_equality) return same_sign;
    // A negative number has its top bits set, so as an unsigned number it is the greater one.
    const bool is_less = how.starts_with("ul");
    const auto by_sign = [&](const Expression& of, const Expression& where_not,
                             const Expression& where_negative) {
      return is_never_negative(of, possible_) ? where_not
                                              : symbolic::conditional(of, where_not, where_negative);
    };
    const Expression &left_is_greater = is_less ? otherwise : then,
                     &right_is_greater = is_less ? then : otherwise;
    return by_sign(*left, by_sign(*right, *same_sign, right_is_greater),
                   by_sign(*right, left_is_greater, *same_sign));
  }

  bool never_negative(const Expression& value) const { return is_never_negative(value, likely_); }

  // Returns the value modulo 2^bits. An input has as many bits as it was read with.
  Expression modulo_bits(const Term& term, const Expression& value) {
    return term.operation == Operation::load ? value : modulo_bits(term.bits, value);
  }
  Expression modulo_bits(unsigned bits, const Expression& value) {
    if (bits == 0 || bits > 32) return value;
    const Expression all(std::int64_t{1} << bits);
    return value.operation() == symbolic::Operation::modulo && value.operands()[1] == all
               ? value
               : modulo(value, all);
  }
  // The last digits of the value matter here. Beyond 2^53 they are lost.
  Expression modulo(const Expression& value, const Expression& divisor) {
    if (exceeds(value, kExact, kLargeSize)) everywhere_ = false;
    return symbolic::modulo(value, divisor);
  }

  // Signed numbers do not overflow in a correct program, but truncated numbers and hashes may.
  Expression as_signed(const Term& term, const Expression& value) {
    if (term.bits > 32 && exceeds(value, kLongest, kUsualSize)) everywhere_ = false;
    if (term.bits == 0 || term.bits > 32 || term.operation == Operation::load ||
        term.operation == Operation::compare || term.operation == Operation::integer)
      return value;
    const Expression from(std::int64_t{1} << (term.bits - 1));
    if (term.bits == 32 && !has_wrapped(value) && !exceeds(value, from.number(), kUsualSize)) return value;
    return modulo_bits(term.bits, value + from) - from;
  }

  Expression as_unsigned(const Term& term, const Expression& value) {
    if (term.operation == Operation::load) return value;
    if (term.bits <= 32)
      return term.bits == 32 && !has_wrapped(value) && !exceeds(value, kWrap32, kUsualSize) &&
                     never_negative(value)
                 ? value
                 : modulo_bits(term, value);
    if (exceeds(value, kLongest, kUsualSize) || !never_negative(value)) everywhere_ = false;
    return value;
  }

  bool exceeds(const Expression& value, auto limit, double size) const {
    return magnitude(value, likely_, size) > static_cast<double>(limit);
  }

  std::optional<Expression> named(const Term& term) {
    const Input& input = term.input;
    const auto name = [&](const Input& of) { return names_.input ? names_.input(of) : std::nullopt; };
    const auto value = name(input);
    if (!value || value->operation() != symbolic::Operation::symbol) return value;
    Bounds bounds;
    switch (input.kind) {
      case InputKind::rank:
        bounds.highest = name({InputKind::processes});
        break;
      case InputKind::grid_coordinate: {
        Input extent = input;
        extent.kind = InputKind::grid_extent;
        bounds.highest = name(extent);
        break;
      }
      case InputKind::processes:
      case InputKind::grid_extent:
      case InputKind::words:
        bounds.lowest = 1;
        break;
      default:
        break;
    }
    if (bounds.highest) bounds.highest = *bounds.highest - Expression(1);
    if (input.kind == InputKind::word && term.rounding != Rounding::exact) bounds.whole = false;
    possible_.insert_or_assign(value->name(), bounds);
    if (input.kind == InputKind::word && term.rounding == Rounding::exact)
      bounds.lowest = names_.smallest ? names_.smallest(input) : kSmallSize;
    bounds.size = input.kind == InputKind::word;
    bounds.whole = term.rounding == Rounding::exact && input.kind != InputKind::recognised;
    if (const auto other = likely_.find(value->name()); other != likely_.end() && !other->second.whole)
      bounds.whole = false, bounds.lowest = 0;
    likely_.insert_or_assign(value->name(), bounds);
    return value;
  }

  std::optional<Expression> recurrence(const Term& term) {
    const auto number = static_cast<int>(term.number);
    const auto round = names_.round ? names_.round(number) : std::nullopt;
    if (!round) return std::nullopt;
    if (round->operation() == symbolic::Operation::symbol) {
      const Bounds bounds{0, names_.last_round ? names_.last_round(number) : std::nullopt};
      possible_.insert_or_assign(round->name(), bounds);
      likely_.insert_or_assign(round->name(), bounds);
    }
    Expression sum, binomial(1);
    for (std::size_t k = 0; k < term.operands.size(); ++k) {
      const auto operand = of(term.operands[k]);
      if (!operand) return std::nullopt;
      if (k > 0)
        binomial = binomial * (*round - Expression(static_cast<std::int64_t>(k) - 1)) /
                   Expression(static_cast<std::int64_t>(k));
      sum = sum + *operand * binomial;
    }
    return sum;
  }

  const Names& names_;
  std::map<const Term*, std::optional<Expression>> known_;
  std::map<const symbolic::Node*, double> trees_;
  BoundsOf possible_, likely_;
  bool everywhere_ = true;
};

}  // namespace

std::optional<Converted> to_expression(const Formula& formula, const Names& names) {
  return FormulaConversion(names).whole(formula);
}

}  // namespace parcast::facts
