// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds a count from the values of every process of every recording. The count is identified exactly if one
// function of (n, p, r) gives all of them; otherwise it is fitted to the mean over the ranks.

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "fit_counts/identify.h"
#include "observations/run.h"
#include "observations/traces.h"

namespace parcast::program {

/// Returns the best hypothesis as an expression of the arguments. A log2 below 1 counts as 0, as in the fit.
symbolic::Expression growth_expression(const statistics::GrowthHypothesis& hypothesis,
                                       const std::vector<symbolic::Expression>& arguments);

class CountBuilder {
 public:
  /// `runs` are by recording index. Leaves out traces of incomplete ranks, and traces that are false in
  /// `used` unless it is empty.
  CountBuilder(const std::vector<std::string>& parameters, const std::vector<Run>& runs,
               const std::vector<ProcessGrid>& grids, const Traces& traces,
               const std::vector<bool>& used = {});

  /// `values`: one per trace. If `deterministic` is false, the count is never identified, since it counts
  /// attempts, not work.
  Count build(const std::vector<std::int64_t>& values, bool deterministic, Effort effort = Effort::triples);

  const Design& design() const { return identifier_.design(); }
  /// Returns the distributions of work in the exact counts found so far: blocks and quotients, most frequent
  /// first.
  std::vector<Factor> distributions() const;

 private:
  Count fitted(const std::vector<std::int64_t>& values, const std::vector<bool>& present) const;
  Count search(const std::vector<std::int64_t>& values, bool deterministic, Effort effort);
  std::optional<symbolic::Expression> where_it_is(const std::vector<std::int64_t>& values,
                                                  std::vector<std::int64_t> by_cell, Effort effort);
  void remember(const std::vector<Feature>& features);

  const Traces& traces_;
  std::vector<std::ptrdiff_t> cell_of_;  // per trace; -1: incomplete
  std::vector<std::size_t> group_of_;    // per trace
  Identifier identifier_;
  std::vector<std::pair<Factor, int>> seen_;
  std::map<std::tuple<bool, Effort, std::vector<std::int64_t>>, Count> built_;
};

}  // namespace parcast::program
