// SPDX-License-Identifier: Apache-2.0
#pragma once
// Other forms that come near the observed counts along lines of a design. If many do, a match of one is no
// evidence (evidence.h).

#include <span>

#include "fit_counts/recorded_lines.h"
#include "fit_counts/search.h"

namespace parcast::program {

/// Returns the number of terms of the form that differ along lines of the variable.
std::size_t parts_of(const Form& form, const FeatureTable& table, std::size_t variable);

bool involves(const Form& form, const FeatureTable& table, std::size_t variable);

/// Returns the constant factor of the feature on a line of `variable`.
std::int64_t cofactor(const Feature& feature, std::size_t variable, const Place& place);

/// Returns the smallest step by which the form's integers change along the line. Factors from other variables
/// are no evidence.
double unit_of(const Form& form, const FeatureTable& table, std::size_t variable, const Place& place);

/// Returns the expected number of accidental matches on the line.
double accidental_on(const Line& line, const Form& form, const FeatureTable& table,
                     std::span<const std::int64_t> values, std::size_t variable);

/// Returns the expected number of accidental matches on all lines together, with common coefficients; 1
/// without several lines.
double accidental_on_all(const std::vector<Line>& lines, const Form& form, const FeatureTable& table,
                         std::span<const std::int64_t> values, std::size_t variable);

}  // namespace parcast::program
