// SPDX-License-Identifier: Apache-2.0
// Derivatives.

#include <array>
#include <numbers>
#include <unordered_map>

#include "symbolic/build.h"

namespace parcast::symbolic {

namespace {

class Differentiator {
 public:
  explicit Differentiator(const Expression& by) : by_(by) {}

  Expression operator()(const Expression& a) {
    if (a == by_) return Expression(1);
    if (a.operands().empty() || !may_contain(a, by_)) return Expression(0);
    if (const auto done = done_.find(a.node()); done != done_.end()) return done->second;
    Expression result = compute(a);
    done_.emplace(a.node(), result);
    kept_.push_back(a);
    return result;
  }

 private:
  Expression compute(const Expression& a) {
    const std::span<const Expression> o = a.operands();
    switch (a.operation()) {
      case Operation::sum:
        return of_sum(o);
      case Operation::product:
        return of_product(o);
      case Operation::power:
        return of_power(o[0], o[1].constant());
      case Operation::modulo:
        return (*this)(o[0]) - (*this)(o[1]) * floor(o[0] / o[1]);
      case Operation::minimum:
      case Operation::maximum:
        return of_extremum(a.operation(), o);
      case Operation::log2:
        return real(std::numbers::log2e) * (*this)(o[0]) / o[0];
      case Operation::conditional:
        return conditional(o[0], (*this)(o[1]), (*this)(o[2]));
      case Operation::series:
        return of_series(a);
      // constants, other symbols; floor and ceil are constant between their steps
      default:
        return Expression(0);
    }
  }

  Expression of_sum(std::span<const Expression> terms) {
    std::vector<Expression> out;
    for (const Expression& term : terms) out.push_back((*this)(term));
    return make_sum(out);
  }

  Expression of_product(std::span<const Expression> factors) {
    std::vector<Expression> out;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      std::vector<Expression> term(factors.begin(), factors.end());
      term[i] = (*this)(factors[i]);
      if (!term[i].is_zero()) out.push_back(make_product(term));
    }
    return make_sum(out);
  }

  Expression of_power(const Expression& base, const Rational& exponent) {
    const Expression slope = (*this)(base);
    const std::optional<Rational> reduced = subtract(exponent, Rational(1));
    if (slope.is_zero()) return slope;
    return Expression(exponent) * (reduced ? power(base, *reduced) : power(base, exponent) / base) * slope;
  }

  // Derivative of the operand that determines the extremum; the first one if several are equal.
  Expression of_extremum(Operation operation, std::span<const Expression> operands) {
    const Expression& first = operands[0];
    if (operands.size() == 1) return (*this)(first);
    const std::span<const Expression> others = operands.subspan(1);
    const bool is_minimum = operation == Operation::minimum;
    const Expression rest = is_minimum ? minimum_of(others) : maximum_of(others);
    return conditional(is_minimum ? rest - first : first - rest, (*this)(first),
                       of_extremum(operation, others));
  }

  Expression of_series(const Expression& a) {
    const std::vector<Expression> others{by_, a.operands()[3]};
    const Expression index = temporary_symbol(others);
    const Expression body = replace(a.operands()[3], a.operands()[0], index);
    return series(index, a.operands()[1], a.operands()[2], (*this)(body));
  }

  Expression by_;
  std::unordered_map<const Node*, Expression> done_;
  std::vector<Expression> kept_;
};

}  // namespace

Expression differentiate(const Expression& a, const Expression& by) {
  return Differentiator(by)(a);
}

}  // namespace parcast::symbolic
