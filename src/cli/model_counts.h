// SPDX-License-Identifier: Apache-2.0
#pragma once
// Counts of what costs time in a run, from a model of its program: for `parcast regress`, of tables
// (--models) and of a store.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "machine/machine.h"
#include "model/model.h"
#include "regress/runs.h"

namespace parcast::cli {

/// The counts are derivatives of the equation on a machine whose links have only a startup and a cost per
/// byte:
///
///   messages   startups on the longest chain of dependences; collectives by their usual algorithms
///   bytes      bytes on that chain
///   computing  all other time: in seconds of the machine of the recordings. With a machine that has prices:
///              in seconds that the operations of the compiled program take there, with all of them under way
///              at once (predict/pure_costs.h)
class ModelCounts {
 public:
  explicit ModelCounts(std::shared_ptr<const machine::Machine> prices = nullptr);

  /// Adds a model. Fails if the program has a model already, and if the model cannot be priced. Without
  /// prices it also fails if the model's recordings were made on another machine than those of earlier
  /// models. `place`: M.model.json, or a model of a store.
  Result<void> add(const program::Model& model, const std::string& place);
  bool has(const std::string& program) const { return models_.contains(program); }

  static const std::vector<std::string>& names();
  /// Returns the counts of a run of a program for which has() is true. Parameters that the model does not
  /// have are ignored.
  Result<std::vector<double>> counts_of(const std::string& program,
                                        const std::map<std::string, double>& parameters,
                                        std::int32_t processes, std::int32_t ranks_per_node,
                                        const std::string& place) const;
  /// Fills in the counts of a run of a table, from its parameters p and ranks_per_node. Fails if its program
  /// has no model.
  Result<void> count(regress::Run& run) const;
  /// Fills in the counts of all runs. Counts that the runs have already stay and come after those of the
  /// models. These are counts by formulas that no model has, such as pages and misses.
  Result<void> count(regress::Runs& runs, std::vector<regress::Run>& asked) const;
  /// Returns a sentence that describes the counts.
  std::string note() const;

 private:
  struct Known {
    program::Model model;
    std::string place;
  };
  std::shared_ptr<const machine::Machine> prices_;
  machine::Machine messages_;
  std::map<std::string, Known> models_;
  std::string recorded_on_;
};

}  // namespace parcast::cli
