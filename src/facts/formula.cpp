// SPDX-License-Identifier: Apache-2.0
#include "facts/formula.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace parcast::facts {
namespace {

using symbolic::Expression;

// A formula as the nodes of a function, so that there is one arithmetic.
class Flattened {
 public:
  NodeNumber of(const Formula& formula) {
    const auto known = numbers_.find(formula.get());
    if (known != numbers_.end()) return known->second;
    Node node{formula->operation, formula->bits, {}, formula->number, formula->value, formula->name};
    for (const Formula& operand : formula->operands) node.operands.push_back(of(operand));
    const auto number = static_cast<NodeNumber>(function.nodes.size());
    function.nodes.push_back(std::move(node));
    if (formula->operation == Operation::load) inputs[number] = formula->input;
    return numbers_[formula.get()] = number;
  }

  Function function;
  std::map<NodeNumber, Input> inputs;

 private:
  std::map<const Term*, NodeNumber> numbers_;
};

std::optional<int> power_of_two(std::int64_t value) {
  if (value <= 0 || (value & (value - 1)) != 0) return std::nullopt;
  int exponent = 0;
  while ((std::int64_t{1} << exponent) != value) ++exponent;
  return exponent;
}

class Conversion {
 public:
  explicit Conversion(const Names& names) : names_(names) {}

  std::optional<Expression> of(const Formula& formula) {
    const auto known = known_.find(formula.get());  // terms are shared
    return known != known_.end() ? known->second : known_.try_emplace(formula.get(), converted(*formula)).first->second;
  }

 private:
  std::optional<Expression> converted(const Term& term) {
    switch (term.operation) {
      case Operation::integer:
        return Expression(term.number);
      case Operation::real: {
        const auto exact = symbolic::nearest_rational(term.value, 1'000'000'000);
        return exact && exact->to_double() == term.value ? Expression(*exact) : symbolic::real(term.value);
      }
      case Operation::load:
        return names_.input ? names_.input(term.input) : std::nullopt;
      case Operation::recurrence:
        return recurrence(term);
      case Operation::select: {
        const auto then = of(term.operands[1]), otherwise = of(term.operands[2]);
        return then && otherwise ? chosen(*term.operands[0], *then, *otherwise) : std::nullopt;
      }
      case Operation::compare:
        return chosen(term, 1, 0);
      case Operation::sext:
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
    const auto fold = [&](auto combine) {
      Expression value = v[0];
      for (std::size_t i = 1; i < v.size(); ++i) value = combine(value, v[i]);
      return value;
    };
    const auto constant = [&](std::size_t i) -> std::optional<std::int64_t> {
      if (!v[i].is_constant() || !v[i].constant().is_integer()) return std::nullopt;
      return v[i].constant().numerator();
    };
    switch (term.operation) {
      case Operation::add:
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
      case Operation::sdiv:
        return symbolic::floor(v[0] / v[1]);
      case Operation::urem:
      case Operation::srem:
        return symbolic::modulo(v[0], v[1]);
      case Operation::umax:
      case Operation::smax:
      case Operation::fmax:
        return fold([](const Expression& a, const Expression& b) { return symbolic::max(a, b); });
      case Operation::umin:
      case Operation::smin:
      case Operation::fmin:
        return fold([](const Expression& a, const Expression& b) { return symbolic::min(a, b); });
      case Operation::abs:
      case Operation::fabs:
        return symbolic::max(v[0], -v[0]);
      case Operation::shl:
        if (const auto by = constant(1); by && *by >= 0 && *by < 62)
          return v[0] * Expression(std::int64_t{1} << *by);
        return std::nullopt;
      case Operation::lshr:
      case Operation::ashr:
        if (const auto by = constant(1); by && *by >= 0 && *by < 62)
          return symbolic::floor(v[0] / Expression(std::int64_t{1} << *by));
        return std::nullopt;
      case Operation::bit_and:  // the lowest bits, or all but these
        if (const auto with = constant(1); with && power_of_two(*with + 1))
          return symbolic::modulo(v[0], Expression(*with + 1));
        if (const auto with = constant(1); with && power_of_two(-*with))
          return v[0] - symbolic::modulo(v[0], Expression(-*with));
        return std::nullopt;
      case Operation::bit_xor:  // all bits, or one of them
        if (const auto with = constant(1); with == -1)
          return Expression(-1) - v[0];
        else if (with && power_of_two(*with) && *with < (std::int64_t{1} << 61))
          return v[0] + Expression(*with) - Expression(2 * *with) * symbolic::modulo(symbolic::floor(v[0] / Expression(*with)), 2);
        return std::nullopt;
      case Operation::trunc:
        return wrapped(term.bits, v[0], false);
      case Operation::zext:
        return term.operands[0]->operation == Operation::compare ? v[0] : wrapped(term.operands[0]->bits, v[0], false);
      case Operation::sext:
        return wrapped(term.operands[0]->bits, v[0], true);
      case Operation::freeze:
      case Operation::sitofp:
      case Operation::uitofp:
      case Operation::fpext:
      case Operation::fptrunc:
        return v[0];
      case Operation::fptosi:
      case Operation::fptoui:
      case Operation::floor:
      case Operation::ftrunc:
        return symbolic::floor(v[0]);
      case Operation::ceil:
        return symbolic::ceil(v[0]);
      case Operation::rint:
      case Operation::round:
        return symbolic::floor(v[0] + Expression(symbolic::Rational::of(1, 2)));
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

  std::optional<Expression> chosen(const Term& condition, const Expression& then,
                                   const Expression& otherwise) {
    if (condition.operation != Operation::compare) return std::nullopt;
    const auto a = of(condition.operands[0]), b = of(condition.operands[1]);
    if (!a || !b) return std::nullopt;
    const unsigned bits = condition.operands[0]->bits;
    const bool is_signed = condition.name.starts_with('s');
    return chosen_by(condition.name, wrapped(bits, *a, is_signed), wrapped(bits, *b, is_signed), then, otherwise);
  }

  /// The value of so many bits. No type of the language has them where they are a mask, and what is computed in them wraps.
  static Expression wrapped(unsigned bits, const Expression& value, bool is_signed) {
    if (bits == 0 || bits >= 32 || bits == 8 || bits == 16 || value.is_number()) return value;
    const Expression all(std::int64_t{1} << bits), half(is_signed ? std::int64_t{1} << (bits - 1) : 0);
    if (half.is_zero() && value.operation() == symbolic::Operation::modulo && value.operands()[1] == all) return value;
    return symbolic::modulo(value + half, all) - half;
  }

  std::optional<Expression> recurrence(const Term& term) {
    const auto round = names_.round ? names_.round(static_cast<int>(term.number)) : std::nullopt;
    if (!round) return std::nullopt;
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
};

void gather(const Formula& formula, std::set<Input>& into, std::set<const Term*>& seen) {
  if (!seen.insert(formula.get()).second) return;
  if (formula->operation == Operation::load) into.insert(formula->input);
  for (const Formula& operand : formula->operands) gather(operand, into, seen);
}

using Compared = std::set<std::pair<const Term*, const Term*>>;  // known to be the same

bool same_terms(const Formula& a, const Formula& b, Compared& known) {
  if (a == b || known.contains({a.get(), b.get()})) return true;
  if (a->operation != b->operation || a->bits != b->bits || a->number != b->number || a->name != b->name || a->input != b->input || a->operands.size() != b->operands.size()) return false;
  if (a->operation == Operation::real && std::bit_cast<std::uint64_t>(a->value) != std::bit_cast<std::uint64_t>(b->value)) return false;
  for (std::size_t i = 0; i < a->operands.size(); ++i)
    if (!same_terms(a->operands[i], b->operands[i], known)) return false;
  known.insert({a.get(), b.get()});
  return true;
}

// Of few binary digits, as the text of a program says them exactly: 0.5, not 0.29.
bool is_short(double value) { return std::isfinite(value) && std::floor(std::ldexp(value, 20)) == std::ldexp(value, 20); }

bool is_power_of_two(double value) {
  int exponent = 0;
  return std::abs(std::frexp(value, &exponent)) == 0.5;
}

Rounding rounding_of(const Term& term) {
  Rounding most = Rounding::exact;
  for (const Formula& operand : term.operands) most = std::max(most, operand->rounding);
  const Rounding after = most == Rounding::exact ? Rounding::once : Rounding::more;
  switch (term.operation) {
    case Operation::real:
      return is_short(term.value) ? Rounding::exact : Rounding::more;
    case Operation::sitofp:
    case Operation::uitofp:
      return term.bits < 64 ? Rounding::more : Rounding::exact;  // a float has 24 binary digits
    case Operation::fadd:
    case Operation::fsub:
    case Operation::fmul:
    case Operation::fmuladd:
      return term.bits < 64 || most != Rounding::exact ? Rounding::more : Rounding::exact;
    case Operation::fdiv:
      if (term.bits == 64 && term.operands[1]->operation == Operation::real && is_power_of_two(term.operands[1]->value)) return most;
      [[fallthrough]];
    case Operation::sqrt:
      return term.bits < 64 ? Rounding::more : after;
    case Operation::log2:  // of a whole number or a quotient it is a whole number only where that is a power of two
      return term.bits < 64 || most == Rounding::more ? Rounding::more : Rounding::once;
    case Operation::fptrunc:
    case Operation::log:
    case Operation::exp:
    case Operation::pow:
      return Rounding::more;
    case Operation::fneg:
    case Operation::fabs:
    case Operation::fmin:
    case Operation::fmax:
    case Operation::fpext:
    case Operation::frem:
    case Operation::select:
      return most;
    default:
      return Rounding::exact;
  }
}

bool takes_whole_part(Operation operation) {
  switch (operation) {
    case Operation::fptosi:
    case Operation::fptoui:
    case Operation::floor:
    case Operation::ceil:
    case Operation::ftrunc:
    case Operation::round:
      return true;
    default:
      return false;
  }
}

Formula finished(Term term) {
  term.rounding = rounding_of(term);
  term.in_rounds = term.operation == Operation::recurrence;
  // Halves go to the even number, and in the expression up.
  term.off_by_one = term.operation == Operation::rint;
  for (const Formula& operand : term.operands) {
    term.in_rounds = term.in_rounds || operand->in_rounds;
    term.off_by_one = term.off_by_one || operand->off_by_one || (takes_whole_part(term.operation) && operand->rounding == Rounding::more);
  }
  return std::make_shared<const Term>(std::move(term));
}

}  // namespace

Formula input(Input which, unsigned bits, Rounding rounding) {
  Term term;
  term.rounding = rounding;
  term.operation = Operation::load;
  term.bits = bits;
  term.input = which;
  return std::make_shared<const Term>(std::move(term));
}

Formula integer(std::int64_t value, unsigned bits) {
  Term term;
  term.number = value;
  term.bits = bits;
  return std::make_shared<const Term>(std::move(term));
}

Formula operation(const Node& node, std::vector<Formula> operands) {
  return finished({node.operation, node.bits, std::move(operands), node.number, node.value, node.name, {}});
}

std::optional<Value> evaluate(const Formula& formula, const Inputs& inputs,
                              const std::function<std::optional<std::uint64_t>(int)>& round) {
  Flattened flat;
  const NodeNumber root = flat.of(formula);
  const Surroundings surroundings{[&](NodeNumber node) -> std::optional<Value> {
                                    const auto which = flat.inputs.find(node);
                                    if (which == flat.inputs.end()) return std::nullopt;
                                    const auto value = inputs.find(which->second);
                                    return value == inputs.end() ? std::nullopt
                                                                 : std::optional(value->second);
                                  },
                                  round};
  return evaluate(flat.function, root, surroundings);
}

bool same(const Formula& a, const Formula& b) {
  Compared known;
  return same_terms(a, b, known);
}

std::vector<Input> inputs_of(const Formula& formula) {
  std::set<Input> found;
  std::set<const Term*> seen;
  gather(formula, found, seen);
  return {found.begin(), found.end()};
}

std::optional<symbolic::Expression> to_expression(const Formula& formula, const Names& names) {
  return Conversion(names).of(formula);
}

std::optional<Expression> chosen_by(const std::string& how, const Expression& a, const Expression& b,
                                    const Expression& then, const Expression& otherwise) {
  const auto at_least = [](const Expression& x, const Expression& y, const Expression& yes,
                           const Expression& no) { return symbolic::conditional(x - y, yes, no); };
  if (how == "eq") return at_least(a, b, at_least(b, a, then, otherwise), otherwise);
  if (how == "ne") return at_least(a, b, at_least(b, a, otherwise, then), then);
  if (how == "sge" || how == "uge") return at_least(a, b, then, otherwise);
  if (how == "sle" || how == "ule") return at_least(b, a, then, otherwise);
  if (how == "slt" || how == "ult") return at_least(a, b, otherwise, then);
  if (how == "sgt" || how == "ugt") return at_least(b, a, otherwise, then);
  return std::nullopt;
}

}  // namespace parcast::facts
