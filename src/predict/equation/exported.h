// SPDX-License-Identifier: Apache-2.0
#pragma once
// The closed form and its interval as data, for evaluation elsewhere at other sizes, process counts and
// machine costs: a page in a browser. The values there equal those of the equation engine
// (docs/models/exported_equation.md).
//
// A case holds for all process counts with the same link and the same number of streaming cores. A layer is
// one process count with its case and grids.

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/resolved.h"
#include "predict/equation/compiled.h"
#include "predict/equation/equation.h"
#include "predict/reconcile.h"

namespace parcast::predict {

/// The count to which a term is proportional.
struct ExportedCount {
  symbolic::Expression expression;
  symbolic::Expression per_count;                  // seconds for each additional one where the count is 0
  std::vector<symbolic::Expression> alternatives;  // ambiguous: the other formulas
  std::vector<std::size_t> settlings;              // conditions under which the alternatives do not count
  double relative_error = 0;                       // of a fitted count
  std::int64_t number = 0;                         // equal for counts with equal formulas
};

struct ExportedTerm {
  Term::Part part = Term::Part::compute;
  std::int32_t segment = -1;
  program::NodeId interval = program::kNone, phase = program::kNone;  // the calls that close them
  std::size_t leaf = 0;
  symbolic::Expression seconds;                 // with the rank's symbols
  std::optional<symbolic::Expression> at_most;  // memory: seconds if computing hides none of it
  std::optional<ExportedCount> count;
  std::string table;                                   // of the machine, that gives the cost; empty: none
  double table_error = 0;                              // standard deviation of its relative error
  std::map<std::string, symbolic::Expression> slopes;  // by machine parameter with an error
};

struct ExportedCase {
  std::vector<ExportedTerm> terms;
  std::vector<int> grids;  // dimensions of the grids whose symbols occur
  bool depends_on_rank = false;
};

/// What the recursion adds to the chain of the slowest ranks is not in the exported form. It is known at the
/// question's sizes, as a share of the difference between both bounds, or of the chain.
struct ExportedLayer {
  std::int32_t processes = 1, nodes = 1;
  std::size_t which = 0;  // its case
  std::array<std::vector<std::int32_t>, 4> extents;
  double of_difference = 0, of_chain = 0;
  // What is priced by a link that replaces the right one (assumed_link.h).
  enum class StandIn { nothing, messages, all } stand_in = StandIn::nothing;
};

struct ExportedLeaf {
  std::string path, where;
};

struct ExportedEquation {
  program::Model model;  // its segments have the growth models and arguments
  std::vector<ExportedCase> cases;
  std::vector<ExportedLayer> layers;  // by p, ascending
  std::vector<ExportedLeaf> leaves;
  std::vector<program::Settling> settlings;
  program::Lattice domain;                                           // of the recordings
  std::map<std::string, machine::Parameter> machine;                 // parameters that occur
  std::map<std::pair<std::string, std::string>, double> covariance;  // of those with an error
  double level = 0.9, quantile = 0;
  // Of its forecasts, whose parts they correct at each point (reconcile.h): terms have factor_symbol() of
  // these segments. Empty: no forecast is used.
  std::vector<Group> groups;
  double run_deviation = 0, processor_spread = 0;  // standard deviations of computing, relative
};

/// `processes`: the layers; those without an answer are left out. Bounds hold for parameters in the ranges
/// `low` to `high`. Fails for a machine with a system of units by hand, whose costs change with each
/// question.
Result<ExportedEquation> export_equation(const program::Model& model, const machine::Machine& machine,
                                         const Question& question, std::span<const std::int32_t> processes,
                                         const std::map<std::string, double>& low,
                                         const std::map<std::string, double>& high);

}  // namespace parcast::predict
