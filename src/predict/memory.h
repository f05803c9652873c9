// SPDX-License-Identifier: Apache-2.0
#pragma once
// Resident memory of the processes of a node together. docs/models/memory.md, "Memory of a node".

#include <memory>
#include <optional>

#include "predict/prediction.h"
#include "statistics/student_mixture.h"

namespace parcast::predict {

class Compiled;

/// The peak resident bytes on the node whose ranks need most, from the residence of the recorded processes,
/// at many points. The model must outlive this.
class MemoryOfNode {
 public:
  explicit MemoryOfNode(const program::Model& model);
  ~MemoryOfNode();

  /// Returns nothing when the model has no residence (written programs, recordings without it), or when its
  /// growth has no value.
  std::optional<Estimate> at(const machine::Machine& machine, const Question& question,
                             const statistics::StudentQuantiles& quantiles = {}) const;

 private:
  const program::Model& model_;
  std::unique_ptr<const Compiled> arguments_;  // null: there is no residence
  bool differ_ = false;                        // between ranks
  Origin origin_ = Origin::fitted;
};

/// The same for one point.
std::optional<Estimate> memory_per_node(const program::Model& model, const machine::Machine& machine,
                                        const Question& question);

}  // namespace parcast::predict
