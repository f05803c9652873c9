// SPDX-License-Identifier: Apache-2.0
#pragma once
// When a form that holds for every recording may be called exact. Exactness is earned per variable (a parameter or p): by
// enough distinct values of it, by a point kept out of the search, and by surprise: along a line on which only this
// variable changes, forms of the same size must not crowd around the observed counts. Where they do, an accidental match
// is likely, and the form stays ambiguous. docs/models/counts.md derives the figure.

#include <cstdint>
#include <span>
#include <vector>

#include "program/search.h"

namespace parcast::program {

/// Variables (Design::values' numbering) on which the form's dependence, or independence, is not established.
std::vector<std::size_t> unestablished_variables(const Form& form, const FeatureTable& table,
                                                 std::span<const std::int64_t> values);

/// Expected number of accidental matches among forms that are no longer than this one, from how many pass near the
/// values along the best line of the variable; 1 and more means that a match says nothing.
double accidental_matches(const Form& form, const FeatureTable& table, std::span<const std::int64_t> values,
                          std::size_t variable);

/// Bits by which the form is shorter than the values that it explains along the best line of the variable, each written
/// as a whole number of its steps from the one before.
double surplus_bits(const Form& form, const FeatureTable& table, std::span<const std::int64_t> values, std::size_t variable);

}  // namespace parcast::program
