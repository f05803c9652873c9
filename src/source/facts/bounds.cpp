// SPDX-License-Identifier: Apache-2.0
#include "source/facts/bounds.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <vector>

namespace parcast::facts {
namespace {

using symbolic::Expression;
using symbolic::Operation;

// Replaces each factor that may be negative by its lower bound, until only nonnegative terms remain.
class Proof {
 public:
  explicit Proof(const BoundsOf& bounds) : bounds_(bounds) {}

  bool never_negative(const Expression& value) {
    if (--steps_ < 0) return false;
    const auto operands = value.operands();
    const auto holds = [&](const Expression& operand) { return never_negative(operand); };
    switch (value.operation()) {
      case Operation::constant:
      case Operation::real:
        return value.number() >= 0;
      case Operation::symbol:
        return lowest(value) >= 0;
      case Operation::product:
        return std::ranges::all_of(operands, holds) || product_never_negative(value);
      case Operation::minimum:
        return std::ranges::all_of(operands, holds);
      case Operation::maximum:
        return std::ranges::any_of(operands, holds);
      case Operation::floor:
      case Operation::ceil:
      case Operation::power:
        return never_negative(operands[0]);
      case Operation::modulo:
        return never_negative(operands[1]);
      case Operation::log2:
        return never_negative(operands[0] - Expression(1));
      // the condition is at least zero in the first case, and below zero in the other
      case Operation::conditional:
        return (never_negative(operands[1]) || never_negative(symbolic::expand(operands[1] - operands[0]))) &&
               (never_negative(operands[2]) || never_negative(symbolic::expand(operands[2] + operands[0])));
      case Operation::series:
        return false;
      case Operation::sum:
        return sum_never_negative(symbolic::expand(value));
    }
    return false;
  }

 private:
  static constexpr int kSteps = 300;

  struct Part {
    double factor = 1;                // number in front
    std::vector<Expression> factors;  // factors that it is multiplied by
  };

  static Part part_of(const Expression& term) {
    Part part;
    if (term.operation() != Operation::product) {
      if (term.is_number())
        part.factor = term.number();
      else
        part.factors.push_back(term);
      return part;
    }
    for (const Expression& factor : term.operands())
      if (factor.is_number())
        part.factor *= factor.number();
      else
        part.factors.push_back(factor);
    return part;
  }

  double lowest(const Expression& symbol) const {
    const auto found = bounds_.find(symbol.name());
    return found == bounds_.end() ? -1 : static_cast<double>(found->second.lowest);
  }

  struct Least {
    double number = 0;
    bool size = false;
  };
  // Returns a lower bound of an expression that is at least zero.
  Least least(const Expression& value) const {
    const auto operands = value.operands();
    switch (value.operation()) {
      case Operation::constant:
      case Operation::real:
        return {value.number()};
      case Operation::symbol: {
        const auto found = bounds_.find(value.name());
        return found == bounds_.end() ? Least{}
                                      : Least{static_cast<double>(found->second.lowest), found->second.size};
      }
      case Operation::floor:
      case Operation::ceil:
        return least(operands[0]);
      case Operation::power:
        return operands[1].is_number() && operands[1].number() > 0
                   ? Least{std::pow(least(operands[0]).number, operands[1].number())}
                   : Least{};
      case Operation::product:
        return least_product(operands);
      default:
        return {};
    }
  }
  // A product is a part of a size if only numbers of processes divide it and no other factor may be zero.
  Least least_product(std::span<const Expression> factors) const {
    double all = 1, number = 1, part = 0;  // `part`: of a size
    bool is_part = true;
    for (const Expression& factor : factors) {
      const Least each = least(factor);
      all *= each.number;
      if (factor.is_number()) number = factor.number();
      if (each.size) part = std::max(part, each.number);
      is_part = is_part && (each.number > 0 || is_divisor(factor));
    }
    return part > 0 && is_part ? Least{std::min(number, 1.0) * part, true} : Least{all};
  }
  static bool is_divisor(const Expression& factor) {
    if (factor.operation() != Operation::power || factor.operands()[0].operation() != Operation::symbol)
      return false;
    return factor.operands()[1].is_number() && factor.operands()[1].number() < 0 &&
           factor.operands()[0].kind() == symbolic::SymbolKind::processes;
  }

  // -(a - b) is b - a, and -ceil(a) is floor(-a).
  bool product_never_negative(const Expression& product) {
    const Part part = part_of(product);
    if (part.factors.size() == 1 && part.factor < 0 &&
        (part.factors[0].operation() == Operation::ceil || part.factors[0].operation() == Operation::floor))
      return never_negative(symbolic::expand(-part.factors[0].operands()[0]));
    const Expression sum = symbolic::expand(product);
    return sum.operation() == Operation::sum && sum_never_negative(sum);
  }

  bool sum_never_negative(const Expression& sum) {
    constexpr std::size_t kMostTerms = 64;
    if (sum.operation() != Operation::sum) return never_negative(sum);
    if (sum.operands().size() > kMostTerms) return false;
    if (std::ranges::any_of(sum.operands(), [&](const Expression& term) { return cancels(sum, term); }))
      return true;
    double number = 0;
    bool all_positive = true;
    for (const Expression& term : sum.operands()) {
      const Part part = part_of(term);
      const bool is_number = part.factors.empty();
      all_positive =
          all_positive &&
          (is_number || (part.factor >= 0 && std::ranges::all_of(part.factors, [&](const Expression& factor) {
                           return never_negative(factor);
                         })));
      if (all_positive) number += is_number ? part.factor : least(term).number;
    }
    if (all_positive && number >= 0) return true;
    return std::ranges::any_of(sum.operands(), [&](const Expression& term) {
      return steps_ > 0 && any_replaced(sum, term, part_of(term));
    });
  }

  /// Tries the sum with an operand in place of a maximum, or of a subtracted minimum, where that cancels
  /// other terms. max(n, x) - x >= 0 needs no bounds of x, however many conditions it has.
  bool cancels(const Expression& sum, const Expression& term) {
    const Part part = part_of(term);
    const Operation wanted = part.factor > 0 ? Operation::maximum : Operation::minimum;
    return std::ranges::any_of(part.factors, [&](const Expression& factor) {
      return factor.operation() == wanted && std::ranges::any_of(factor.operands(), [&](const auto& operand) {
               return cancels(sum, term, factor, operand);
             });
    });
  }
  bool cancels(const Expression& sum, const Expression& term, const Expression& factor,
               const Expression& operand) {
    const Expression rest = symbolic::expand(sum - term + term / factor * operand);
    if (rest.operation() == Operation::sum && rest.operands().size() >= sum.operands().size()) return false;
    return std::ranges::all_of(
               part_of(term).factors,
               [&](const Expression& other) { return other == factor || never_negative(other); }) &&
           never_negative(rest);
  }

  bool any_replaced(const Expression& sum, const Expression& term, const Part& part) {
    return std::ranges::any_of(
        part.factors, [&](const Expression& factor) { return replaced(sum, term, factor, part.factor < 0); });
  }

  // Tries the sum with a bound in place of one factor of a term whose other factors are at least zero.
  bool replaced(const Expression& sum, const Expression& term, const Expression& factor, bool negative) {
    for (const Expression& other : part_of(term).factors)
      if (other != factor && !never_negative(other)) return false;
    const auto with = [&](const Expression& instead) {
      return never_negative(symbolic::expand(sum - term + term / factor * instead));
    };
    const auto operands = factor.operands();
    switch (factor.operation()) {
      case Operation::symbol: {
        const auto found = bounds_.find(factor.name());
        return negative && found != bounds_.end() && found->second.highest && with(*found->second.highest);
      }
      case Operation::minimum:
      case Operation::maximum:
        return (factor.operation() == Operation::maximum) != negative ? std::ranges::any_of(operands, with)
                                                                      : std::ranges::all_of(operands, with);
      case Operation::conditional:
        return with(operands[1]) && with(operands[2]);
      case Operation::floor:
        return with(negative ? operands[0] : operands[0] - lost_by(sum, term, factor));
      case Operation::ceil:
        return with(negative ? operands[0] + lost_by(sum, term, factor) : operands[0]);
      case Operation::modulo:
        return negative &&
               ((never_negative(operands[0]) && with(operands[0])) ||
                with(operands[1] -
                     (is_whole(operands[0]) && is_whole(operands[1]) ? Expression(1) : Expression(0))));
      default:
        return false;
    }
  }

  bool is_whole(const Expression& value) const {
    const auto all = [&](std::span<const Expression> of) {
      return std::ranges::all_of(of, [&](const Expression& each) { return is_whole(each); });
    };
    switch (value.operation()) {
      case Operation::constant:
        return value.constant().is_integer();
      case Operation::symbol: {
        const auto found = bounds_.find(value.name());
        return found != bounds_.end() && found->second.whole;
      }
      case Operation::floor:
      case Operation::ceil:
        return true;
      case Operation::sum:
      case Operation::product:
      case Operation::minimum:
      case Operation::maximum:
      case Operation::modulo:
        return all(value.operands());
      case Operation::conditional:
        return all(value.operands().subspan(1));
      default:
        return false;
    }
  }

  // Returns what rounding may take from a term of a sum that is to be at least zero: nothing where the sum of
  // all other terms is an integer m, since floor(x) >= m where x >= m.
  Expression lost_by(const Expression& sum, const Expression& term, const Expression& rounded) const {
    const bool alone = term == rounded || term == -rounded;
    return alone && is_whole(sum - term) ? Expression(0) : below_one(rounded.operands()[0]);
  }

  // Returns the largest amount by which rounding changes the value: 3/4 for multiples of 1/4.
  Expression below_one(const Expression& value) const {
    std::int64_t quarters = 1;
    for (const Expression& term :
         value.operation() == Operation::sum ? value.operands() : std::span(&value, 1)) {
      const Expression& number = term.operation() == Operation::product ? term.operands()[0] : term;
      const bool rest_whole = std::ranges::all_of(part_of(term).factors,
                                                  [&](const Expression& factor) { return is_whole(factor); });
      if (!rest_whole || (number.is_number() && !number.is_constant())) return 1;
      const std::int64_t denominator = number.is_constant() ? number.constant().denominator() : 1;
      if (denominator > kLargestDenominator || quarters > kLargestDenominator) return 1;
      quarters = std::lcm(quarters, denominator);
    }
    return Expression(symbolic::Rational::of(quarters - 1, quarters));
  }
  static constexpr std::int64_t kLargestDenominator = 1 << 20;

  const BoundsOf& bounds_;
  int steps_ = kSteps;
};

bool has_few_parts(const Expression& value, std::set<const symbolic::Node*>& parts) {
  constexpr std::size_t kFew = 200;
  if (!parts.insert(value.node()).second) return true;
  return parts.size() <= kFew && std::ranges::all_of(value.operands(), [&](const Expression& operand) {
           return has_few_parts(operand, parts);
         });
}

class Magnitude {
 public:
  Magnitude(const BoundsOf& bounds, double size) : bounds_(bounds), size_(size) {}

  double of(const Expression& value) {
    const auto known = known_.find(value.node());
    return known != known_.end() ? known->second
                                 : known_.try_emplace(value.node(), computed(value)).first->second;
  }

 private:
  double computed(const Expression& value) {
    const auto operands = value.operands();
    const auto most = [&](std::span<const Expression> of_these) {
      double found = 0;
      for (const Expression& each : of_these) found = std::max(found, of(each));
      return found;
    };
    switch (value.operation()) {
      case Operation::constant:
      case Operation::real:
        return std::abs(value.number());
      case Operation::symbol: {
        const auto found = bounds_.find(value.name());
        if (found == bounds_.end() || found->second.size) return size_;
        if (!found->second.highest || !under_way_.insert(value.node()).second) return kOthers;
        const double highest = of(*found->second.highest);
        under_way_.erase(value.node());
        return highest;
      }
      case Operation::sum: {
        double sum = 0;
        for (const Expression& each : operands) sum += of(each);
        return sum;
      }
      case Operation::product: {
        double product = 1;
        for (const Expression& each : operands) product *= of(each);
        return product;
      }
      case Operation::power:
        return operands[1].is_number() && operands[1].number() > 0
                   ? std::pow(std::max(of(operands[0]), 1.0), operands[1].number())
                   : 1;
      case Operation::floor:
      case Operation::ceil:
        return of(operands[0]) + 1;
      case Operation::modulo:
        return of(operands[1]);
      case Operation::log2:
        return std::log2(std::max(of(operands[0]), 2.0));
      case Operation::minimum:
      case Operation::maximum:
        return most(operands);
      case Operation::conditional:
        return most(operands.subspan(1));
      case Operation::series:
        return HUGE_VAL;
    }
    return HUGE_VAL;
  }

  static constexpr double kOthers = 1000;
  const BoundsOf& bounds_;
  double size_;
  std::map<const symbolic::Node*, double> known_;
  std::set<const symbolic::Node*> under_way_;
};

}  // namespace

double magnitude(const Expression& value, const BoundsOf& bounds, double size) {
  return Magnitude(bounds, size).of(value);
}

bool is_never_negative(const Expression& value, const BoundsOf& bounds) {
  std::set<const symbolic::Node*> parts;
  return has_few_parts(value, parts) && Proof(bounds).never_negative(value);
}

}  // namespace parcast::facts
