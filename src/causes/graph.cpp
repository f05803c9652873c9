// SPDX-License-Identifier: Apache-2.0
#include "causes/graph.h"

#include <algorithm>
#include <set>

#include "causes/work_growth.h"

namespace parcast::causes {
namespace {

std::string time_name(const PhaseClass& phase) {
  return node_name("time", phase);
}
std::string overhead_name(const PhaseClass& phase) {
  return node_name("overhead", phase);
}

class Builder {
 public:
  Builder(const Runs& runs, const Analysis& analysis) : runs_(runs), analysis_(analysis) {}

  Graph build() {
    for (const std::string& name : argument_names(runs_)) node(name, Layer::parameter);
    for (std::size_t i = 0; i < analysis_.relations.size(); ++i) add_relation(analysis_.relations[i], i);
    if (analysis_.delay) add_relation(*analysis_.delay, analysis_.relations.size());
    add_definitions();
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return graph_.nodes[a].layer < graph_.nodes[b].layer;
    });
    return reordered();
  }

 private:
  std::size_t node(const std::string& name, Layer layer) {
    const std::size_t at = graph_.find(name);
    if (at == graph_.nodes.size()) graph_.nodes.push_back({name, layer}), order_.push_back(at);
    return at;
  }

  void edge(std::size_t from, std::size_t to, Edge edge = {}) {
    edge.from = from;
    edge.to = to;
    graph_.edges.push_back(std::move(edge));
  }

  void add_relation(const PhaseRelation& relation, std::size_t index) {
    const std::size_t time = node(time_name(relation.phase), Layer::time);
    if (!relation.refinement) return;
    const Linearity& refined = relation.refinement->refined;
    const std::size_t work = node(node_name(relation.work, relation.phase), Layer::work);
    add_growth(relation, work);
    edge(work, time,
         {.form = Form::linear,
          .delta = refined.delta,
          .standard_error = refined.standard_error,
          .relation = index});
    for (const Cause& cause : relation.refinement->causes)
      edge(node(node_name(relation.refinement->tried[cause.variable].name, relation.phase), Layer::event),
           time,
           {.form = Form::linear,
            .delta = cause.delta,
            .standard_error = cause.standard_error,
            .relation = index});
  }

  /// Adds an edge from each parameter on which the work depends.
  void add_growth(const PhaseRelation& relation, std::size_t work) {
    const auto growth = work_growth(runs_, relation);
    if (!growth) return;
    for (const std::string& argument : growth->depends_on)
      edge(node(argument, Layer::parameter), work, {.form = Form::growth, .formula = growth->formula});
  }

  void add_definitions() {
    std::set<PhaseClass> phases;
    for (const RunFindings& run : analysis_.runs)
      if (run.overheads)
        for (const Overhead& overhead : run.overheads->phases) phases.insert(overhead.phase);
    if (phases.empty()) return;
    const std::size_t sequential = node("sequential time", Layer::time),
                      efficiency = node("efficiency", Layer::efficiency);
    for (const PhaseClass& phase : phases) {
      const std::size_t overhead = node(overhead_name(phase), Layer::overhead);
      edge(node(time_name(phase), Layer::time), overhead);
      edge(sequential, overhead);
      edge(overhead, efficiency);
      if (phase.kind == Kind::idle && analysis_.delay)
        edge(node(time_name(analysis_.delay->phase), Layer::time), node(time_name(phase), Layer::time));
    }
    edge(efficiency, node("speedup", Layer::speedup));
    edge(node("p", Layer::parameter), node("speedup", Layer::speedup));
  }

  Graph reordered() const {
    Graph out;
    std::vector<std::size_t> place(order_.size());
    for (const std::size_t i : order_) place[i] = out.nodes.size(), out.nodes.push_back(graph_.nodes[i]);
    out.edges = graph_.edges;
    for (Edge& edge : out.edges) edge.from = place[edge.from], edge.to = place[edge.to];
    return out;
  }

  const Runs& runs_;
  const Analysis& analysis_;
  Graph graph_;
  std::vector<std::size_t> order_;
};

}  // namespace

std::size_t Graph::find(const std::string& name) const {
  return static_cast<std::size_t>(
      std::find_if(nodes.begin(), nodes.end(), [&](const Node& node) { return node.name == name; }) -
      nodes.begin());
}

std::string node_name(const std::string& variable, const PhaseClass& phase) {
  return variable + " of " + to_string(phase);
}

Graph graph_of(const Runs& runs, const Analysis& analysis) {
  return Builder(runs, analysis).build();
}

}  // namespace parcast::causes
