// SPDX-License-Identifier: Apache-2.0
#pragma once
// How often a run does what costs time, by a model of its program: for `parcast regress`, of tables (--models) and of a store.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "machine/machine.h"
#include "model/model.h"
#include "regress/runs.h"

namespace parcast::cli {

/// Derivatives of the equation on a machine whose links have a startup and a cost per byte alone:
///
///   messages   startups on the longest chain of dependences, collectives by their usual algorithms
///   bytes      on that chain
///   computing  all else: in seconds of the machine of the recordings, or, where a machine is given that prices it, in seconds that
///              the operations of the compiled program take there with all of them under way (predict/pure_costs.h)
class ModelCounts {
 public:
  explicit ModelCounts(std::shared_ptr<const machine::Machine> prices = nullptr);

  /// Fails on a second model of a program, on one of recordings on another machine than the models before (where nothing prices
  /// them), and where a model cannot be priced. `place`: M.model.json, or a model of a store.
  Result<void> add(const program::Model& model, const std::string& place);
  bool has(const std::string& program) const { return models_.contains(program); }

  static const std::vector<std::string>& names();
  /// Of a run of a program that has() a model. Parameters that the model does not have are passed over.
  Result<std::vector<double>> counts_of(const std::string& program, const std::map<std::string, double>& parameters, std::int32_t processes, std::int32_t ranks_per_node, const std::string& place) const;
  /// Fills in the counts of a run of a table, of its parameters p and ranks_per_node. Fails where its program has no model.
  Result<void> count(regress::Run& run) const;
  /// All of them. Counts that these have already (by formulas: pages, misses, what else a model does not tell) stay, behind those of the models.
  Result<void> count(regress::Runs& runs, std::vector<regress::Run>& asked) const;
  /// What the counts are, as a sentence.
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
