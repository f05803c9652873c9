// SPDX-License-Identifier: Apache-2.0
#pragma once
// The causal graph (Lemeire and Dirkx 2004, figures 3 and 5): from the parameters over the work to times, overheads and speedup. A low-level variable
// stands in it only where it entered a relation.
//
//   n, p -> operations of computation -> time of computation -> overhead of computation -> efficiency -> speedup
//                                  swapped of computation ----^

#include <string>
#include <vector>

#include "causes/analysis.h"

namespace parcast::causes {

enum class Layer { parameter, work, event, time, overhead, efficiency, speedup };

struct Node {
  std::string name;             // "operations of computation"
  Layer layer = Layer::parameter;
};

enum class Form {
  definition,                   // holds by the equations of overheads
  growth,                       // of work with the parameters: fitted
  linear,                       // of time with work or a cause: delta, tested for a break
};

struct Edge {
  std::size_t from = 0, to = 0;               // of Graph::nodes
  Form form = Form::definition;
  double delta = 0, standard_error = 0;       // of linear ones: seconds per unit
  std::size_t relation = 0;                   // of linear ones: index in Analysis::relations, or their number for Analysis::delay
  std::string formula;                        // of growths: "3.1e-06 n^3 p^-1"
};

struct Graph {
  std::vector<Node> nodes;      // by layer
  std::vector<Edge> edges;
  /// Index of a node, or their number.
  std::size_t find(const std::string& name) const;
};

/// "operations of computation", "time of communication shift"
std::string node_name(const std::string& variable, const PhaseClass& phase);

Graph graph_of(const Runs& runs, const Analysis& analysis);

/// How well times of the largest runs follow from the smaller ones (EPPA, section 5.2): delta times their own work, delta times the work
/// that its growth gives, and directly by growth of the time. Relative root mean square errors. Only of relations that do not break, where at least six runs at three
/// smaller values are left.
struct HeldOut {
  PhaseClass phase;
  std::string over;             // the parameter at whose largest value runs were kept out
  std::size_t runs = 0;         // kept out
  double work_known = 0, composed = 0, direct = 0;
};
std::vector<HeldOut> held_out(const Runs& runs, const Analysis& analysis);

}  // namespace parcast::causes
