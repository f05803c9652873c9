// SPDX-License-Identifier: Apache-2.0
#pragma once
// Canonical construction shared by the sources of this folder. Rules (docs/models/expressions.md):
//   sum      terms sorted, like terms collected, the number last; no term is a sum or (but the last) a number
//   product  number first, powers of one base collected; sums inside are primitive (content and sign pulled out);
//            a number times a single exact sum is distributed over its terms
//   power    exponent neither 0 nor 1; base not a power unless it must be; not a product when the exponent is whole

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "symbolic/node.h"

namespace parcast::symbolic {

/// 0^-1, which has no value: stands for results that do not exist.
Expression undefined();

Expression make_sum(std::span<const Expression> terms);
Expression make_product(std::span<const Expression> factors);
Expression minimum_of(std::span<const Expression> operands);
Expression maximum_of(std::span<const Expression> operands);
/// The node of an operation from operands that may have changed: simplifies.
Expression rebuild(const Expression& like, std::span<const Expression> operands);

/// The number in front of a product, 1 otherwise.
const Number& coefficient_of(const Expression& a);
/// The factors of a product without its number; of anything else, itself.
std::span<const Expression> symbolic_factors(const Expression& a);
/// a without its coefficient.
Expression without_coefficient(const Expression& a);
/// The terms of a sum; of anything else, itself.
std::span<const Expression> terms_of(const Expression& a);
/// base and exponent; (a, 1) when `a` is no power.
std::pair<Expression, Rational> base_and_exponent(const Expression& a);
Expression scaled(const Number& factor, const Expression& a);
/// factor * sum, term by term; nothing where that would round.
std::optional<Expression> distributed(const Number& factor, const Expression& sum);
/// Content and primitive part: a = content * primitive, the leading coefficient of the primitive part positive.
std::pair<Number, Expression> split_content(const Expression& sum);
/// Sign of the first coefficient in canonical order.
int leading_sign(const Expression& a);
/// The order of terms in a sum: by falling degree, the number last.
bool term_precedes(const Expression& a, const Expression& b);

/// `a` over one symbolic denominator: sums of quotients become one quotient. For use inside floor and ceil.
Expression over_common_denominator(const Expression& a);

/// `a` without terms that are whole numbers for sure, and those terms.
std::pair<Expression, Expression> split_whole(const Expression& a);

/// Whether every value is a whole number; `parameters_too` counts symbols of kind parameter as whole.
bool is_whole(const Expression& a, bool parameters_too = false);
/// Whether it has a value wherever its symbols have (no division, logarithm, fractional power, series).
bool is_total(const Expression& a);
/// Proved from the kinds of symbols: rank >= 0, processes >= 1.
bool is_nonnegative(const Expression& a);
bool is_positive(const Expression& a);

/// Whether the symbol occurs free in `a`.
bool contains(const Expression& a, const Expression& symbol);
/// Sum of index^degree for index = 1 .. x, as a polynomial in x (Faulhaber).
Expression faulhaber(int degree, const Expression& x);

/// Replaces one free symbol, or one bound symbol whose series was opened; `by` may hold anything.
Expression replace(const Expression& a, const Expression& symbol, const Expression& by);
/// A bound symbol that occurs in none of `away_from`.
Expression temporary_symbol(std::span<const Expression> away_from);
/// The series with `change` applied to its bounds and to its opened body; `away_from`: what `change` may bring in.
Expression map_series(const Expression& a, std::span<const Expression> away_from,
                      const std::function<Expression(const Expression&)>& change);

}  // namespace parcast::symbolic
