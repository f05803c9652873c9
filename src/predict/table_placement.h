// SPDX-License-Identifier: Apache-2.0
#pragma once
// Warns of collectives whose tables were measured with processes placed on nodes differently from those of a
// question (docs/models/communication.md, "Placement").

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "predict/prediction.h"

namespace parcast::predict {

/// Returns a warning "other-placement" for each placement with which tables were measured and which the
/// question does not have. Returns none for machines without recorded placements. The members of a smaller
/// communicator have a known placement only when all processes are on one node, or each is on its own.
std::vector<Warning> placement_warnings(const program::Model& model, const machine::Machine& machine,
                                        const Question& question);

/// The same at many points: computed once for each process count, placement, and values of the parameters on
/// which members of communicators depend. Model and machine must outlive this. Safe for concurrent use.
class PlacementWarnings {
 public:
  PlacementWarnings(const program::Model& model, const machine::Machine& machine);

  std::vector<Warning> at(const Question& question) const;

 private:
  const program::Model& model_;
  const machine::Machine& machine_;
  std::vector<std::string> parameters_;
  mutable std::mutex guard_;
  mutable std::map<std::vector<double>, std::vector<Warning>> known_;
};

}  // namespace parcast::predict
