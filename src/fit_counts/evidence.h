// SPDX-License-Identifier: Apache-2.0
#pragma once
// Decides whether a form that holds for every recording may be called exact. Each variable (a parameter or p)
// needs enough distinct values, a point kept out of the search, and surprise: along a line on which only this
// variable changes, other forms of the same size must not crowd around the observed counts. Otherwise an
// accidental match is likely, and the form stays ambiguous. docs/models/counts.md derives the figure.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fit_counts/search.h"

namespace parcast::program {

/// By variable (a parameter's index, then p): a value that all recordings in the scope have. Missing entries:
/// any value.
using Scope = std::vector<std::optional<double>>;

/// Returns the variables (numbered as in Design::values) without a value in the scope for which the
/// recordings in the scope do not establish the form's dependence or independence.
std::vector<std::size_t> unestablished_variables(const Form& form, const FeatureTable& table,
                                                 std::span<const std::int64_t> values,
                                                 const Scope& scope = {});

/// Returns the values of the open variables, in their order, at which recordings with these values establish
/// all other variables.
std::vector<std::vector<double>> settling_values(const Form& form, const FeatureTable& table,
                                                 std::span<const std::int64_t> values,
                                                 const std::vector<std::size_t>& open);

/// Returns the expected number of accidental matches among forms of about this length, from the number of
/// forms near the values along the best line of the variable. At 1 or more, a match is no evidence.
double accidental_matches(const Form& form, const FeatureTable& table, std::span<const std::int64_t> values,
                          std::size_t variable, const Scope& scope = {});

/// Returns the bits by which the form is shorter than the values that it explains, along the best line of the
/// variable. Each value is encoded as its difference from the previous one, in multiples of the form's
/// smallest step.
double surplus_bits(const Form& form, const FeatureTable& table, std::span<const std::int64_t> values,
                    std::size_t variable, const Scope& scope = {});

/// Returns the group whose repetition at a further value of the variable would add most evidence: the one on
/// the line with the best evidence. Empty if the variable was never varied alone.
std::optional<std::size_t> group_to_extend(const Form& form, const FeatureTable& table,
                                           std::span<const std::int64_t> values, std::size_t variable);

}  // namespace parcast::program
