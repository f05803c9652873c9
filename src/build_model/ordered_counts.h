// SPDX-License-Identifier: Apache-2.0
#pragma once
// Counts that follow from the order of operations. A structure (model/structure.h) was checked against every
// operation of every recording, so it has more evidence than the totals of the recordings: an operation in
// every fifth iteration was seen in all iterations. Runs that never took place are generated from the
// structure, at points chosen to separate formulas, and counts are identified from these. A count is taken
// only if it equals every recorded value. docs/models/counts.md, "Counts from the order".

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fit_counts/counts.h"
#include "model/structure.h"

namespace parcast::program {

class OrderedCounts {
 public:
  /// The arguments must outlive this. Has no counts if the structure was not found, if a trip count may have
  /// another formula, or if parameters are the extents of a process grid.
  OrderedCounts(const Structure& structure, const std::vector<std::string>& parameters,
                const std::vector<Run>& runs, const std::vector<ProcessGrid>& grids, const Traces& traces);
  ~OrderedCounts();

  /// Returns the number of executions of a call; nothing if the structure does not give it. `recorded`: its
  /// values, one per trace. The number is exact, or ambiguous if the rules for partners held for two process
  /// counts only, if other rules hold as well, or if the recorded points lie on a lattice (lattice.h).
  std::optional<Count> executions(std::int32_t key, const std::vector<std::int64_t>& recorded);
  /// Returns the number of traversals of a transition in the same way.
  std::optional<Count> traversals(std::int32_t transition, const std::vector<std::int64_t>& recorded);

 private:
  class Runs;
  std::optional<Count> identified(const std::vector<std::int64_t>& values,
                                  const std::vector<std::int64_t>& recorded);
  bool equals(const symbolic::Expression& formula, const std::vector<std::int64_t>& recorded) const;

  const std::vector<std::string>& parameters_;
  const std::vector<Run>& runs_;
  const std::vector<ProcessGrid>& grids_;
  const Traces& traces_;
  bool certain_ = false;             // the rules leave no other reading
  std::unique_ptr<Runs> generated_;  // null: no counts
};

/// Puts a count from the order of operations before the formulas of the totals, which stay its alternatives
/// unless it is exact.
Count before_others(Count ordered, Count of_totals);

}  // namespace parcast::program
