// SPDX-License-Identifier: Apache-2.0
#pragma once
// The causal graph (Lemeire and Dirkx 2004, figures 3 and 5): from the parameters over the work to times,
// overheads and speedup. It contains only those low-level variables that entered a relation.
//
//   n, p -> operations of computation -> time of computation -> overhead of computation -> efficiency
//                                  swapped of computation ----^                             -> speedup

#include <string>
#include <vector>

#include "causes/analysis.h"

namespace parcast::causes {

enum class Layer { parameter, work, event, time, overhead, efficiency, speedup };

struct Node {
  std::string name;  // e.g. "operations of computation"
  Layer layer = Layer::parameter;
};

enum class Form {
  definition,  // by the equations of overheads
  growth,      // of work with the parameters, fitted
  linear,      // of time with work or a cause: delta, tested for a break
};

struct Edge {
  std::size_t from = 0, to = 0;  // indices in Graph::nodes
  Form form = Form::definition;
  double delta = 0, standard_error = 0;  // for linear edges: seconds per unit
  // for linear edges: index in Analysis::relations, or the size of that for Analysis::delay
  std::size_t relation = 0;
  std::string formula;  // for growth edges: "3.1e-06 n^3 p^-1"
};

struct Graph {
  std::vector<Node> nodes;  // by layer
  std::vector<Edge> edges;
  /// Returns the index of a node; the number of nodes if there is none.
  std::size_t find(const std::string& name) const;
};

/// Returns e.g. "operations of computation", "time of communication shift".
std::string node_name(const std::string& variable, const PhaseClass& phase);

Graph graph_of(const Runs& runs, const Analysis& analysis);

/// The errors of predicting times of the largest runs from smaller ones (EPPA, section 5.2), as relative root
/// mean squares. Three predictions: delta times their own work, delta times the work from its growth, and
/// growth of the time directly. Only for relations that do not break, with at least six remaining runs at
/// three smaller values.
struct HeldOut {
  PhaseClass phase;
  std::string over;      // the parameter whose largest value was held out
  std::size_t runs = 0;  // number of held-out runs
  double work_known = 0, composed = 0, direct = 0;
};
std::vector<HeldOut> held_out(const Runs& runs, const Analysis& analysis);

}  // namespace parcast::causes
