// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds a count from the values of every process of every recording. The count is identified exactly if one
// function of (n, p, r) gives all of them; otherwise it is fitted to the mean over the ranks.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "fit_counts/identify.h"
#include "observations/run.h"
#include "observations/traces.h"

namespace parcast::program {

/// Returns the best hypothesis as an expression of the arguments. A log2 below 1 counts as 0, as in the fit.
symbolic::Expression growth_expression(const statistics::GrowthHypothesis& hypothesis,
                                       const std::vector<symbolic::Expression>& arguments);

/// Returns whether a factor may be a parameter that had only one of these values: 100 may be 2 N at N = 50, N
/// at 100, or N + 2 at 98.
bool may_hide_one_of(std::int64_t factor, const std::vector<double>& unvaried);

class CountBuilder {
 public:
  /// `runs` are by recording index. Leaves out traces of incomplete ranks, and traces that are false in
  /// `used` unless it is empty.
  CountBuilder(const std::vector<std::string>& parameters, const std::vector<Run>& runs,
               const std::vector<ProcessGrid>& grids, const Traces& traces,
               const std::vector<bool>& used = {});

  /// `values`: one per trace. If `deterministic` is false, the count is never identified, since it counts
  /// attempts, not work. Executions and messages that are multiples of each other in all traces have one
  /// formula, times these multiples.
  Count build(const std::vector<std::int64_t>& values, bool deterministic, Effort effort = Effort::triples);
  /// Fits values / times where times > 0: the size of a message whose number is known. The result is not
  /// multiplied by a formula for `times`.
  Count fit_each(const std::vector<std::int64_t>& values, const std::vector<std::int64_t>& times) const;

  const Design& design() const { return identifier_.design(); }
  /// Returns the distributions of work in the exact counts found so far: blocks and quotients, most frequent
  /// first.
  std::vector<Factor> distributions() const;

 private:
  /// Values divided by their greatest common divisor.
  struct Direction {
    std::vector<std::int64_t> values;
    std::int64_t divisor = 0;  // 0: the values have no direction, or do not vary
  };
  Direction direction_of(const std::vector<std::int64_t>& values) const;
  void find_units();
  /// Values as steps x gcd + least, with steps from 0. Numbers that a common trip count gives have equal
  /// steps.
  struct Steps {
    std::vector<std::int64_t> values;  // per trace
    std::int64_t gcd = 0, least = 0;   // gcd 0: fewer than three different values
  };
  void add_trips(const std::vector<std::int64_t>& values);
  Steps steps_of(const std::vector<std::int64_t>& values) const;
  /// Returns the count as that of one of the next two; nothing if there is none.
  std::optional<Count> following(const std::vector<std::int64_t>& values, Effort effort);
  /// Returns the count that follows from the formula or the fit of another one with equal steps.
  std::optional<Count> of_common_trips(const std::vector<std::int64_t>& values, Effort effort);
  /// Returns the count as another one times a number that a formula gives, such as that of neighbours.
  std::optional<Count> times_per_trip(const std::vector<std::int64_t>& values, Effort effort);
  /// Returns the formula of the unit whose multiple, plus a number, equals the values; 0 on one process if
  /// that is negative.
  std::optional<symbolic::Expression> shifted_unit(const std::vector<std::int64_t>& values, Effort effort);
  /// `sizes`: the values are sizes of messages, not numbers.
  Count fitted(const std::vector<double>& values, const std::vector<bool>& present, bool sizes = false) const;
  Count search(const std::vector<std::int64_t>& values, bool deterministic, Effort effort);
  std::optional<symbolic::Expression> where_it_is(const std::vector<std::int64_t>& values,
                                                  std::vector<std::int64_t> by_cell, Effort effort);
  void remember(const std::vector<Feature>& features);

  const Traces& traces_;
  std::vector<std::ptrdiff_t> cell_of_;  // per trace; -1: incomplete
  std::vector<std::size_t> group_of_;    // per trace
  Identifier identifier_;
  std::vector<double> unvaried_;  // values of parameters, and of p, that did not vary
  std::vector<std::pair<Factor, int>> seen_;
  struct Unit {
    std::int64_t divisor = 0;  // that of all values of one direction
    int uses = 0;
  };
  std::map<std::vector<std::int64_t>, Unit> units_;  // by direction
  // By steps: the count with the smallest constant part, so the others add to it.
  std::map<std::vector<std::int64_t>, std::vector<std::int64_t>> of_steps_;
  std::set<std::vector<std::int64_t>> trips_;  // the counts that have steps
  int followed_ = 0;                           // steps from the count that is being built
  std::map<std::tuple<bool, Effort, std::vector<std::int64_t>>, Count> built_;
};

}  // namespace parcast::program
