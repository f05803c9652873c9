// SPDX-License-Identifier: Apache-2.0
// The closed form of pipelines. docs/models/dependence.md.
#include <algorithm>
#include <set>

#include "model/binding.h"
#include "predict/dependence/classify.h"
#include "predict/equation/index.h"
#include "predict/equation/plan.h"

namespace parcast::predict {
namespace {

using program::kNone;
using program::Model;
using program::Node;
using program::NodeId;
using program::PeerRelation;
using recording::CallClass;
using symbolic::Expression;
using symbolic::Rational;

bool below(const Model& model, NodeId node, NodeId ancestor) {
  while (node != kNone && node != ancestor) node = model.nodes[index(node)].parent;
  return node == ancestor;
}

// Returns the number of hops from the first rank to the last.
Expression hops(const Node& receive) {
  if (receive.relation == PeerRelation::grid_shift && receive.amounts.size() >= 3) {
    const Expression extent =
        program::extent_symbol(static_cast<int>(receive.amounts[2]), static_cast<int>(receive.amounts[0]));
    return floor((extent - Expression(1)) / Expression(std::abs(receive.amounts[1])));
  }
  const std::int64_t stride =
      receive.amounts.empty() ? 1 : std::max<std::int64_t>(1, std::abs(receive.amounts[0]));
  return floor((program::processes_symbol() - Expression(1)) / Expression(stride));
}

// Returns whether some process may have a count of zero, like a master for its workers' iterations.
bool by_cases(const Expression& count) {
  return count.operation() == symbolic::Operation::conditional ||
         count.operation() == symbolic::Operation::minimum || std::ranges::any_of(count.operands(), by_cases);
}

// Returns the time of one execution from that of all; 0 when there is no execution.
Expression each(const Expression& all, const Expression& executions) {
  const Expression one = all / executions;
  return by_cases(executions) ? conditional(-executions, Expression(0), one) : one;
}

Expression stage_seconds(const Model& model, const Contributions& contributions, NodeId loop) {
  Expression sum;
  for (const Contribution& c : contributions.all)
    if (!c.noise && below(model, c.term.node, loop)) sum = sum + c.term.seconds;
  const Expression& iterations = model.nodes[index(loop)].executions.expression;
  return iterations.is_zero() ? Expression(0) : each(sum, iterations);
}

}  // namespace

MessageCost flight_of_one(const Model& model, const machine::Machine& machine, const std::string& link,
                          NodeId receive) {
  const Node& node = model.nodes[index(receive)];
  Expression bytes = node.received_bytes.expression;
  Expression executions = node.executions.expression;
  if (node.call_class == CallClass::start_receive)
    for (const NodeId id : dependence::calls_below(model, enclosing_loop(model, receive)))
      if (const Node& wait = model.nodes[index(id)];
          wait.call_class == CallClass::wait && !wait.received_bytes.expression.is_zero()) {
        bytes = wait.received_bytes.expression;
        executions = received_messages(model, id);
        break;
      }
  if (executions.is_zero()) return {};
  // The protocol depends on the size of a message: request the cost of all messages, then divide.
  MessageCost cost = flight(machine, link, executions, bytes);
  const auto taken = point_to_point(machine, link, machine::Side::receive, executions, bytes);
  cost.startup = each(max(cost.startup - taken.startup, Expression(0)), executions);
  cost.transfer = each(max(cost.transfer - taken.transfer, Expression(0)), executions);
  return cost;
}

std::vector<Filling> fillings(const Model& model, const Contributions& contributions,
                              const machine::Machine& machine, const Layout& layout) {
  std::vector<Filling> out;
  for (const NodeId receive : dependence::classify(model, 0).receives) {
    const Node& node = model.nodes[index(receive)];
    Filling filling{enclosing_loop(model, receive), receive, layout.interval_of_node[index(receive)], {}};
    const MessageCost way = flight_of_one(model, machine, contributions.link, receive);
    const Expression stage = stage_seconds(model, contributions, filling.loop) + way.startup + way.transfer;
    const Expression times = filling.interval == kNone
                                 ? Expression(1)
                                 : model.nodes[index(filling.interval)].executions.expression;
    filling.seconds = times * hops(node) * stage;
    out.push_back(std::move(filling));
  }
  return out;
}

}  // namespace parcast::predict
