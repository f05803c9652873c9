// SPDX-License-Identifier: Apache-2.0
#pragma once
// Canonical construction shared by the sources of this folder. Rules (docs/models/expressions.md):
//   sum      terms sorted, like terms collected, the number last; no term is a sum or (but the last) a number
//   product  number first, powers of one base collected; sums inside are primitive (content and sign are
//            pulled out); a number times a single exact sum is distributed over its terms
//   power    exponent neither 0 nor 1; base not a power unless it must be; not a product when the exponent is
//            an integer

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "symbolic/node.h"

namespace parcast::symbolic {

/// Returns 0^-1, which has no value. It represents results that do not exist.
Expression undefined();

Expression make_sum(std::span<const Expression> terms);
Expression make_product(std::span<const Expression> factors);
Expression minimum_of(std::span<const Expression> operands);
Expression maximum_of(std::span<const Expression> operands);
/// Returns the simplified node of an operation with operands that may have changed.
Expression rebuild(const Expression& like, std::span<const Expression> operands);

/// Returns the number in front of a product, 1 otherwise.
const Number& coefficient_of(const Expression& a);
/// Returns the factors of a product without its number, or `a` itself if it is no product.
std::span<const Expression> symbolic_factors(const Expression& a);
/// Returns `a` without its coefficient.
Expression without_coefficient(const Expression& a);
/// Returns the terms of a sum, or `a` itself if it is no sum.
std::span<const Expression> terms_of(const Expression& a);
/// Returns base and exponent of a power, or (a, 1) if `a` is no power.
std::pair<Expression, Rational> base_and_exponent(const Expression& a);
Expression scaled(const Number& factor, const Expression& a);
/// Returns factor * sum, term by term, or nothing if that would round.
std::optional<Expression> distributed(const Number& factor, const Expression& sum);
/// Returns content and primitive part: a = content * primitive, where the primitive part has a positive
/// leading coefficient.
std::pair<Number, Expression> split_content(const Expression& sum);
/// Returns the sign of the first coefficient in canonical order.
int leading_sign(const Expression& a);
/// Compares by the order of terms in a sum: falling degree, the number last.
bool term_precedes(const Expression& a, const Expression& b);

/// Returns `a` over one symbolic denominator, so that a sum of quotients becomes one quotient. For use inside
/// floor and ceil.
Expression over_common_denominator(const Expression& a);

/// Returns `a` without the terms that are surely integers, and the sum of those terms.
std::pair<Expression, Expression> split_whole(const Expression& a);

/// Returns whether every value is an integer; with `parameters_too`, symbols of kind parameter count as
/// integers.
bool is_whole(const Expression& a, bool parameters_too = false);
/// Returns whether the expression has a value wherever its symbols have one (no division, logarithm,
/// fractional power or series).
bool is_total(const Expression& a);
/// Return whether the property is proved from the kinds of symbols: rank >= 0, processes >= 1.
bool is_nonnegative(const Expression& a);
bool is_positive(const Expression& a);

/// Returns whether the symbol occurs free in `a`.
bool contains(const Expression& a, const Expression& symbol);
/// Returns the sum of index^degree for index = 1 .. x, as a polynomial in x (Faulhaber).
Expression faulhaber(int degree, const Expression& x);

/// Replaces one free symbol, or one bound symbol whose series was opened. `by` may contain any symbols.
Expression replace(const Expression& a, const Expression& symbol, const Expression& by);
/// Returns a bound symbol that occurs in none of `away_from`.
Expression temporary_symbol(std::span<const Expression> away_from);
/// Returns the series with `change` applied to its bounds and its opened body. `away_from`: expressions that
/// `change` may insert.
Expression map_series(const Expression& a, std::span<const Expression> away_from,
                      const std::function<Expression(const Expression&)>& change);

}  // namespace parcast::symbolic
