// SPDX-License-Identifier: Apache-2.0
#pragma once
// The lines of a design: recordings in which only one variable changes. Evidence for a count comes from them.

#include <map>
#include <set>
#include <vector>

#include "fit_counts/evidence.h"

namespace parcast::program {

/// Cells on which only one variable changes, for one choice of rank.
struct Line {
  std::vector<std::size_t> cells;
};

/// Returns whether the group is in the scope and has all its ranks. A recording that lost a rank may refute a
/// form, but is no evidence for one.
bool is_evidence(const Design& design, const Group& group, const Scope& scope);

bool is_fixed(const Scope& scope, std::size_t variable);

std::size_t distinct_values(const Design& design, std::size_t variable, const Scope& scope);

/// Returns groups that differ in one variable only, by the values of the others; at least three. `ignored`:
/// variables in which they may differ as well.
std::map<std::vector<double>, std::vector<std::size_t>> groups_on_lines(
    const Design& design, std::size_t variable, const Scope& scope,
    const std::set<std::size_t>& ignored = {});

inline constexpr std::size_t kMostLines = 6;

/// Returns at most `most` lines of the variable, the longest first. `with_rank`: of the first and of the last
/// rank; else of the first.
std::vector<Line> lines_of(const Design& design, std::size_t variable, bool with_rank, const Scope& scope,
                           const std::set<std::size_t>& ignored = {}, std::size_t most = kMostLines);

/// Returns whether the variable was varied alone over `needed` values, and crossed with every other variable
/// that varied. Recordings at p = 1 do not show the effect of N on messages; recordings in which N and p only
/// grow together show neither effect. Ignores the variables `without_it`: the formula does not depend on them
/// and holds at several of their values.
bool varied_alone(const Design& design, std::size_t variable, std::size_t needed, const Scope& scope,
                  const std::set<std::size_t>& without_it);

/// Returns whether a recording is on no line of any variable. A formula found on the lines was tested there.
bool has_a_group_off_lines(const Design& design, const Scope& scope);

}  // namespace parcast::program
