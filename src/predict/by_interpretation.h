// SPDX-License-Identifier: Apache-2.0
#pragma once
// The engine `interpret`: the model's application graph, unrolled at the point asked for, is followed chain by chain on the machine's system
// graph (Parashar, Hariri, Haupt, Fox 1993). docs/models/interpretation.md.

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

/// Parts and regions are those of the rank that ends last: they sum to its end. An error where the model has no structure, or none at
/// this point. A hang is an answer.
const Engine& interpret_engine();

/// A graph and its trace, interpreted on a machine under a mapping.
struct Interpreted {
  program::GraphTrace program;
  std::string machine;
  machine::MapRule map;
  std::shared_ptr<machine::Routes> routes;
  interpret::Interpretation result;
  double compute_ratio = 1;              // computing took so many times as long as told
  ComputingScale scale;                  // of a model's trace; its factor is part of compute_ratio
  std::vector<std::string> assumptions;  // a sentence each
  std::vector<Warning> warnings;         // of a model: what it was not recorded at; who asks adds what is to be said of the machine
  /// Of each unit its mean over ranks, and of the whole (units[0]) the end of the rank that ends last, with intervals; empty: none were asked for.
  std::vector<Estimate> estimates;
};

struct HowInterpreted {
  machine::MapRule map;
  double compute_ratio = 1;              // computing takes so many times as long as told
  interpret::Options options;
};

/// A hang is an answer.
Result<Interpreted> interpret_on(program::GraphTrace program, const machine::Machine& machine, const HowInterpreted& how);

/// Where a question's processes are, as far as the rule does not say it: so many to a node, cores for so many threads each.
machine::MapRule map_of(const Question& question, machine::MapRule rule = {});

/// The same of a model at a question's point, with intervals. The rule says where processes are, map_of() has the question's part of that.
Result<Interpreted> interpret_on(const program::Model& model, const machine::Machine& machine, const Question& question, const machine::MapRule& map, const Progress& progress = {});

/// One walk at the question's point, without intervals, in a second or so; counts are settled (model/settled.h). An error also where too many calls
/// would have to be evaluated: more than 60,000, iterations that repeat themselves counted once.
Result<Interpreted> interpret_shortly(const program::Model& settled, const machine::Machine& machine, const Question& question);

/// Null where the run ends.
std::shared_ptr<const Hang> hang_of(const Interpreted& interpreted);

/// What a unit and all inside it took, of one rank.
interpret::Statistics sum_below(const program::ApplicationGraph& graph, const interpret::Interpretation& result, program::UnitId unit, std::int32_t rank);

}  // namespace parcast::predict
