// SPDX-License-Identifier: Apache-2.0
#pragma once
// When a form that holds for every recording may be called exact. Exactness is earned per variable (a parameter or p): by
// enough distinct values of it, by a point kept out of the search, and by surprise: along a line on which only this
// variable changes, forms of the same size must not crowd around the observed counts. Where they do, an accidental match
// is likely, and the form stays ambiguous. docs/models/counts.md derives the figure.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fit_counts/search.h"

namespace parcast::program {

/// By variable (a parameter's index, then p): a value that all recordings looked at have. Shorter, or nothing: any.
using Scope = std::vector<std::optional<double>>;

/// Variables (Design::values' numbering) without a value in the scope on which the form's dependence, or independence, is
/// not established by the recordings in the scope.
std::vector<std::size_t> unestablished_variables(const Form& form, const FeatureTable& table,
                                                 std::span<const std::int64_t> values, const Scope& scope = {});

/// The values of the open variables, in their order, at which all other variables are established by recordings that have
/// these values.
std::vector<std::vector<double>> settling_values(const Form& form, const FeatureTable& table, std::span<const std::int64_t> values,
                                                 const std::vector<std::size_t>& open);

/// Expected number of accidental matches among forms that are no longer than this one, from how many pass near the
/// values along the best line of the variable; 1 and more means that a match says nothing.
double accidental_matches(const Form& form, const FeatureTable& table, std::span<const std::int64_t> values,
                          std::size_t variable, const Scope& scope = {});

/// Bits by which the form is shorter than the values that it explains along the best line of the variable, each written
/// as a whole number of its steps from the one before.
double surplus_bits(const Form& form, const FeatureTable& table, std::span<const std::int64_t> values, std::size_t variable,
                    const Scope& scope = {});

/// The group to which a recording at a further value of the variable would add most: on the line with the best evidence.
/// Nothing where the variable was never varied alone.
std::optional<std::size_t> group_to_extend(const Form& form, const FeatureTable& table, std::span<const std::int64_t> values,
                                           std::size_t variable);

}  // namespace parcast::program
