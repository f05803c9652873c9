// SPDX-License-Identifier: Apache-2.0
#pragma once
// The engine `interpret`. It unrolls the model's application graph at the requested point. It then follows
// the graph chain by chain on the machine's system graph (Parashar, Hariri, Haupt, Fox 1993).
// docs/models/interpretation.md.

#include <memory>
#include <string>
#include <vector>

#include "machine/mapping.h"
#include "machine/routes.h"
#include "predict/computing_scale.h"
#include "predict/hang.h"
#include "predict/interpret/interpretation.h"
#include "predict/prediction.h"
#include "structure/graph/application_graph.h"

namespace parcast::predict {

/// Parts and regions are those of the rank that ends last; they sum to its end. Fails when the model has no
/// structure, or none at this point. A deadlock is an answer, not an error.
const Engine& interpret_engine();

/// A graph and its trace, interpreted on a machine under a mapping.
struct Interpreted {
  program::GraphTrace program;
  std::string machine;
  machine::MapRule map;
  std::shared_ptr<machine::Routes> routes;
  interpret::Interpretation result;
  double compute_ratio = 1;              // factor applied to the given computing times
  ComputingScale scale;                  // of a model's trace; its factor is part of compute_ratio
  std::vector<std::string> assumptions;  // one sentence each
  // Warnings about the model at points where it was not recorded. The caller adds the warnings about the
  // machine.
  std::vector<Warning> warnings;
  /// For each unit, the mean over ranks, with interval. estimates[0], of the program, is the end of the rank
  /// that ends last. Empty when no intervals were requested.
  std::vector<Estimate> estimates;
};

struct HowInterpreted {
  machine::MapRule map;
  double compute_ratio = 1;  // factor applied to the given computing times
  interpret::Options options;
};

/// Returns a deadlock as a result, not as an error.
Result<Interpreted> interpret_on(program::GraphTrace program, const machine::Machine& machine,
                                 const HowInterpreted& how);

/// Returns `rule` with the question's threads per process, and with its ranks per node where the rule gives
/// none.
machine::MapRule map_of(const Question& question, machine::MapRule rule = {});

/// Interprets a model at a question's point, with intervals. `map` places the processes; map_of() adds the
/// question's part to it.
Result<Interpreted> interpret_on(const program::Model& model, const machine::Machine& machine,
                                 const Question& question, const machine::MapRule& map,
                                 const Progress& progress = {});

/// Calls that are followed in about half a second.
inline constexpr std::uint64_t kCallsAtMost = 250'000;

/// Interprets the question's point once, without intervals. Counts must be resolved (model/resolved.h). Fails
/// also when more than `most_calls` would have to be evaluated; repeated iterations count once.
Result<Interpreted> interpret_shortly(const program::Model& resolved, const machine::Machine& machine,
                                      const Question& question, std::uint64_t most_calls = kCallsAtMost);

/// Returns null when the run ends.
std::shared_ptr<const Hang> hang_of(const Interpreted& interpreted);

/// Returns the sum of one rank's statistics over a unit and all units inside it.
interpret::Statistics sum_below(const program::ApplicationGraph& graph,
                                const interpret::Interpretation& result, program::UnitId unit,
                                std::int32_t rank);

}  // namespace parcast::predict
