// SPDX-License-Identifier: Apache-2.0
#include "language/nodes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "language/calls.h"
#include "language/exact_count.h"
#include "language/parser.h"
#include "language/resolve.h"
#include "language/totals.h"
#include "language/work.h"
#include "model/binding.h"
#include "model/prices.h"

namespace parcast::program::written {
namespace {

using Kind = Statement::Kind;
using Operation = Statement::Operation;

// process count at which the shares of the computing are computed
constexpr std::int32_t kUsualProcesses = 4;

/// Returns the cost of the work. The seconds that have an error are separate arguments. Each argument costs 1
/// second per unit.
Cost cost_of(const Work& work) {
  Cost out;
  out.origin = work.origin();
  statistics::GrowthModel growth;
  statistics::GrowthHypothesis hypothesis;
  std::vector<double> errors;
  const auto add = [&](const std::string& name, const Expression& seconds, double error) {
    out.arguments.push_back(seconds);
    growth.arguments.push_back(name);
    growth.ranges.push_back({0, 1, 1, true});
    errors.push_back(error);
  };
  if (!work.certain.is_zero() || work.uncertain.empty()) add("seconds", work.certain, 0);
  // Lines with equal seconds and errors become one argument. The relative error of the sum of k independent
  // ones is smaller by a factor of sqrt(k).
  std::map<std::pair<Expression, double>, std::int64_t> alike;
  for (const Work::Uncertain& each : work.uncertain) ++alike[{each.seconds, each.relative_error}];
  for (const Work::Uncertain& each : work.uncertain) {
    const std::int64_t times = std::exchange(alike.at({each.seconds, each.relative_error}), 0);
    if (times == 0) continue;  // included in the first of them
    add("seconds of line " + std::to_string(each.at.line), Expression(times) * each.seconds,
        each.relative_error / std::sqrt(static_cast<double>(times)));
  }
  const std::size_t count = errors.size();
  hypothesis.factor = statistics::Matrix(count, count);
  for (std::size_t k = 0; k < count; ++k) {
    hypothesis.terms.push_back({1, std::vector<double>(count, 0), std::vector<int>(count, 0)});
    hypothesis.terms.back().exponents[k] = 1;
    hypothesis.factor(k, k) = errors[k];
  }
  hypothesis.weight = 1;
  hypothesis.relative_noise = 1;
  hypothesis.degrees_of_freedom = 1e6;
  growth.hypotheses.push_back(std::move(hypothesis));  // an initialiser list would copy the matrix of errors
  out.growth = std::move(growth);
  return out;
}

class NodeBuilder {
 public:
  NodeBuilder(const Source& source, Model& model) : source_(source), model_(model) {}

  Result<void> build(const std::vector<Statement>& statements) {
    Node root;
    root.id = 0;
    root.label = model_.program;
    root.executions = exact(1);
    model_.nodes.push_back(root);
    PARCAST_TRY(block(statements, 0));
    share_out();
    return {};
  }

 private:
  NodeId add(NodeId parent, NodeKind kind, const Statement& statement, std::string label,
             const Expression& executions) {
    Node node;
    node.id = static_cast<NodeId>(model_.nodes.size());
    node.parent = parent;
    node.kind = kind;
    node.label = std::move(label);
    node.where = source_.place(statement.at);
    node.executions = exact(executions);
    model_.nodes.push_back(std::move(node));
    model_.nodes[static_cast<std::size_t>(parent)].children.push_back(
        static_cast<NodeId>(model_.nodes.size()) - 1);
    return model_.nodes.back().id;
  }

  Result<Expression> total(const Statement& statement, const Expression& each) const {
    if (const auto all = around_.total(each)) return *all;
    return source_.error(statement.at, "powers of two have no sum here that can be written down",
                         "they sum up in: rounds k = 0..log2(X)-1");
  }

  /// Adds the statements. Consecutive statements that compute form one segment.
  Result<void> block(const std::vector<Statement>& statements, NodeId parent) {
    Work work;
    const Statement* first = nullptr;
    const auto flush = [&]() -> Result<void> {
      if (first && !work.nothing()) PARCAST_TRY(add_segment(*first, work, parent));
      work = Work{};
      first = nullptr;
      return {};
    };
    for (const Statement& statement : statements) {
      if (!communicates(statement) && statement.kind != Kind::region) {
        PARCAST_ASSIGN(const Work more, work_of({statement}, source_));
        work.add(more);
        if (!first) first = &statement;
        continue;
      }
      PARCAST_TRY(flush());
      PARCAST_TRY(one(statement, parent));
    }
    return flush();
  }

  Result<void> one(const Statement& statement, NodeId parent) {
    switch (statement.kind) {
      case Kind::operation:
        return operation(statement, parent);
      case Kind::region: {
        PARCAST_ASSIGN(const Expression executions, total(statement, 1));
        return block(statement.body, add(parent, NodeKind::region, statement, statement.label, executions));
      }
      case Kind::condition: {
        around_.enter(statement.condition.indicator);
        PARCAST_TRY(block(statement.body, parent));
        around_.leave();
        if (statement.otherwise.empty()) return {};
        around_.enter(opposite(statement.condition.indicator));
        PARCAST_TRY(block(statement.otherwise, parent));
        around_.leave();
        return {};
      }
      case Kind::loop:
        return loop(statement, parent);
      case Kind::compute:
      case Kind::call:
        break;
    }
    return {};
  }

  Result<void> loop(const Statement& statement, NodeId parent) {
    PARCAST_ASSIGN(const Expression iterations, total(statement, statement.range.count));
    const NodeId id = add(parent, NodeKind::loop, statement,
                          statement.label.empty() ? "loop" : statement.label, iterations);
    const std::size_t begun = open_.size();
    NodeId first_wait = kNone;
    std::swap(first_wait, first_wait_);
    around_.enter(statement.range);
    PARCAST_TRY(block(statement.body, id));
    around_.leave();
    // Receives started after the loop's last wait are completed by its first wait, in the next round.
    if (first_wait_ != kNone && open_.size() > begun) {
      Count& received = model_.nodes[static_cast<std::size_t>(first_wait_)].received_bytes;
      for (std::size_t i = begun; i < open_.size(); ++i) received.expression = received.expression + open_[i];
      open_.resize(begun);
    }
    std::swap(first_wait, first_wait_);
    if (first_wait_ == kNone) first_wait_ = first_wait;
    return {};
  }

  Result<void> operation(const Statement& statement, NodeId parent) {
    const bool collective = statement.operation == Operation::collective,
               wait = statement.operation == Operation::wait,
               exchange = statement.operation == Operation::exchange;
    const bool sends =
        statement.operation == Operation::send || statement.operation == Operation::start_send || exchange;
    const bool receives = statement.operation == Operation::receive ||
                          statement.operation == Operation::start_receive || exchange;
    const Expression is_node = at_least(rank_symbol(), Expression(1));
    const bool alone =
        collective && statement.members.kind == Members::Kind::nodes && !around_.under(is_node);
    if (alone) around_.enter(is_node);
    // Returns the total number of messages, and their bytes.
    const auto moved = [&](const Partner& partner) -> Result<std::pair<Expression, Expression>> {
      if (statement.places) return over_rounds(statement);
      const Expression there = exists(partner);
      PARCAST_ASSIGN(const Expression messages, total(statement, there));
      PARCAST_ASSIGN(const Expression bytes, total(statement, there * statement.bytes));
      return std::pair{messages, bytes};
    };
    PARCAST_ASSIGN(Expression executions, total(statement, 1));
    std::pair<Expression, Expression> sent, received;
    if (sends) {
      PARCAST_ASSIGN(sent, moved(statement.partner));
    }
    if (receives) {
      PARCAST_ASSIGN(received, moved(exchange ? statement.source : statement.partner));
    }
    if (exchange && statement.word == "exchange") executions = sent.first;
    if (!exchange && sends) executions = sent.first;
    if (!exchange && receives) executions = received.first;
    const NodeId id = add(parent, NodeKind::call, statement, std::string(call_name(statement)), executions);
    Node& node = model_.nodes.back();
    node.call_class = call_class(statement);
    node.pattern = statement.pattern;
    node.synchronisation = synchronisation(statement);
    std::tie(node.relation, node.amounts) = relation(statement);
    node.messages = exact(sent.first), node.bytes = exact(sent.second);
    node.received_bytes =
        exact(statement.operation == Operation::start_receive ? Expression(0) : received.second);
    node.collective_bytes = exact(0);
    if (collective) {
      PARCAST_ASSIGN(const Expression bytes, total(statement, statement.bytes));
      node.collective_bytes = exact(bytes);
      node.members = exact(statement.member_count);
      if (alone) around_.leave();
    }
    if (statement.operation == Operation::start_receive) open_.push_back(received.second);
    if (wait) {
      for (const Expression& bytes : open_)
        node.received_bytes.expression = node.received_bytes.expression + bytes;
      open_.clear();
      if (first_wait_ == kNone) first_wait_ = id;
    }
    for (const std::size_t segment : unended_) model_.segments[segment].to = id;
    unended_.clear();
    last_call_ = id;
    return {};
  }

  /// Returns the totals for a partner that changes from round to round. `places` counts the messages of the
  /// innermost loop.
  Result<std::pair<Expression, Expression>> over_rounds(const Statement& statement) {
    const Range* varying = around_.varied_by(statement.bytes);
    const auto messages = around_.total_of_rounds(*statement.places);
    auto bytes = varying ? around_.total(statement.bytes)
                         : around_.total_of_rounds(*statement.places * statement.bytes);
    if (varying && !(*statement.places == varying->count)) bytes.reset();
    if (!messages || !bytes)
      return source_.error(
          statement.at,
          "sizes and partners both change from round to round here, and their sum cannot be written down",
          "let one of the two stay the same");
    return std::pair{*messages, *bytes};
  }

  Result<void> add_segment(const Statement& first, Work work, NodeId owner) {
    Segment segment;
    segment.from = last_call_;
    segment.owner = owner;
    PARCAST_ASSIGN(const Expression executions, total(first, 1));
    segment.executions = exact(executions);
    const Range* varying = around_.varied_by(work.certain);
    for (const Work::Uncertain& each : work.uncertain)
      varying = varying ? varying : around_.varied_by(each.seconds);
    if (varying) {  // its seconds differ from round to round: use the total of all executions as one
      segment.executions = exact(1);
      PARCAST_ASSIGN(work.certain, total(first, work.certain));
      for (Work::Uncertain& each : work.uncertain) {
        PARCAST_ASSIGN(each.seconds, total(first, each.seconds));
      }
    }
    segment.cost = cost_of(work);
    unended_.push_back(model_.segments.size());
    model_.segments.push_back(std::move(segment));
    return {};
  }

  /// Sets the shares of the computing, at the largest given values of the parameters.
  void share_out() {
    Point point{{}, kUsualProcesses};
    for (const Parameter& parameter : model_.parameters)
      point.parameters[parameter.name] = parameter.values.back();
    std::vector<double> seconds(model_.segments.size(), 0);
    for (std::int32_t rank = 0; rank < kUsualProcesses; ++rank) {
      auto binding = bind(model_, point, rank);
      if (!binding) return;
      for (const std::string& price : price_names()) binding->emplace(price, 1e-9);
      for (std::size_t s = 0; s < seconds.size(); ++s) {
        const Segment& segment = model_.segments[s];
        double each = 0;
        for (const Expression& argument : segment.cost.arguments)
          each += symbolic::evaluate(argument, *binding).ok() ? *symbolic::evaluate(argument, *binding) : 0;
        const auto times = symbolic::evaluate(segment.executions.expression, *binding);
        if (times && *times > 0 && each > 0) seconds[s] += each * *times;
      }
    }
    double all = 0;
    for (const double each : seconds) all += each;
    for (std::size_t s = 0; s < seconds.size(); ++s)
      model_.segments[s].share = all > 0 ? seconds[s] / all : 0;
  }

  const Source& source_;
  Model& model_;
  Surroundings around_;
  NodeId last_call_ = kNone, first_wait_ = kNone;
  std::vector<std::size_t> unended_;  // segments whose next call is not reached yet
  std::vector<Expression> open_;      // bytes of receives that were started but not waited for
};

}  // namespace

Result<void> add_nodes(const std::vector<Statement>& statements, const Source& source, Model& model) {
  return NodeBuilder(source, model).build(statements);
}

}  // namespace parcast::program::written
