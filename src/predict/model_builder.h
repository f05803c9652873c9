// SPDX-License-Identifier: Apache-2.0
#pragma once
// For tests and benchmarks: hand-written program models and machines whose times have a closed form.

#include <string>
#include <vector>

#include "machine/machine.h"
#include "model/binding.h"
#include "model/model.h"
#include "predict/prediction.h"

namespace parcast::predict::by_hand {

using symbolic::Expression;

inline Expression p() {
  return program::processes_symbol();
}
inline Expression r() {
  return program::rank_symbol();
}
inline Expression parameter(const std::string& name) {
  return program::parameter_symbol(name);
}

inline program::Count exact(const Expression& e) {
  program::Count out;
  out.expression = e;
  out.origin = Origin::exact;
  return out;
}

/// Returns a cost of `seconds` x argument, without error.
inline program::Cost proportional(const Expression& argument, double seconds) {
  program::Cost out;
  out.arguments = {argument};
  statistics::GrowthModel growth;
  growth.arguments = {"x"};
  statistics::GrowthHypothesis h;
  h.terms = {{seconds, {1}, {0}}};
  h.weight = 1;
  h.factor = statistics::Matrix(1, 1);
  h.degrees_of_freedom = 10;
  growth.hypotheses = {h};
  growth.ranges = {{1, 1e12, 5}};
  out.growth = growth;
  out.origin = Origin::fitted;
  return out;
}

/// Builds a model by appending nodes; nodes[0] is the program.
class Builder {
 public:
  explicit Builder(const std::string& name = "hand") {
    model.program = name;
    add(program::kNone, program::NodeKind::program, name, 1);
  }

  void add_parameter(const std::string& name, std::vector<double> values) {
    model.parameters.push_back({name, std::move(values)});
  }

  program::NodeId add(program::NodeId parent, program::NodeKind kind, const std::string& label,
                      const Expression& executions) {
    program::Node node;
    node.id = static_cast<program::NodeId>(model.nodes.size());
    node.parent = parent;
    node.kind = kind;
    node.label = label;
    node.executions = exact(executions);
    model.nodes.push_back(node);
    if (parent != program::kNone) model.nodes[static_cast<std::size_t>(parent)].children.push_back(node.id);
    return node.id;
  }
  program::NodeId loop(program::NodeId parent, const Expression& iterations) {
    return add(parent, program::NodeKind::loop, "loop", iterations);
  }
  program::NodeId region(program::NodeId parent, const std::string& label) {
    return add(parent, program::NodeKind::region, label, 1);
  }

  program::Node& node(program::NodeId id) { return model.nodes[static_cast<std::size_t>(id)]; }

  program::NodeId collective(program::NodeId parent, const std::string& label, recording::Pattern pattern,
                             program::Synchronisation synchronisation, const Expression& executions,
                             const Expression& bytes) {
    const program::NodeId id = add(parent, program::NodeKind::call, label, executions);
    node(id).call_class = recording::CallClass::collective;
    node(id).pattern = pattern;
    node(id).synchronisation = synchronisation;
    node(id).members = exact(p());
    node(id).collective_bytes = exact(executions * bytes);
    return id;
  }

  /// Adds `messages` messages of `bytes` each over the run.
  program::NodeId message(program::NodeId parent, const std::string& label, recording::CallClass kind,
                          program::PeerRelation relation, std::vector<std::int64_t> amounts,
                          const Expression& messages, const Expression& bytes) {
    using recording::CallClass;
    const program::NodeId id = add(parent, program::NodeKind::call, label, messages);
    node(id).call_class = kind;
    node(id).relation = relation;
    node(id).amounts = std::move(amounts);
    const bool sends =
        kind == CallClass::send || kind == CallClass::start_send || kind == CallClass::send_receive;
    const bool waits =
        kind == CallClass::receive || kind == CallClass::wait || kind == CallClass::send_receive;
    if (sends) {
      node(id).messages = exact(messages);
      node(id).bytes = exact(messages * bytes);
    }
    if (waits) node(id).received_bytes = exact(messages * bytes);
    node(id).synchronisation = waits ? program::Synchronisation::neighbour : program::Synchronisation::none;
    return id;
  }

  std::size_t segment(program::NodeId owner, program::NodeId from, program::NodeId to,
                      const Expression& executions, const program::Cost& cost) {
    program::Segment s;
    s.from = from;
    s.to = to;
    s.owner = owner;
    s.executions = exact(executions);
    s.cost = cost;
    model.segments.push_back(s);
    return model.segments.size() - 1;
  }

  program::Model model;
};

inline machine::Parameter measured(double value, double standard_error = 0) {
  return {value, standard_error, 30, Origin::measured};
}

/// One link between all ranks, each on its own node: L, o, G, without rendezvous.
inline machine::Machine simple_machine(double latency, double overhead, double gap_per_byte) {
  machine::Machine m;
  m.name = "paper";
  m.nodes = 1 << 20;
  m.cores_per_node = 1;
  machine::Link link;
  link.latency = measured(latency);
  link.send_overhead = measured(overhead);
  link.receive_overhead = measured(overhead);
  link.gap = measured(0);
  link.gap_per_byte = measured(gap_per_byte);
  m.links["network"] = link;
  return m;
}

inline void add_table(machine::Machine& m, recording::Pattern pattern, const std::string& growth,
                      double startup, double startup_growth, double per_byte, double per_byte_growth) {
  machine::PatternCost cost;
  cost.pattern = pattern;
  cost.name = std::string(machine::pattern_name(pattern));
  cost.pieces.push_back({0, growth, measured(startup), measured(startup_growth), measured(per_byte),
                         measured(per_byte_growth), 0});
  m.patterns.push_back(cost);
}

inline Question ask(std::int32_t processes, std::map<std::string, double> parameters = {}) {
  Question q;
  q.point.processes = processes;
  q.point.parameters = std::move(parameters);
  return q;
}

}  // namespace parcast::predict::by_hand
