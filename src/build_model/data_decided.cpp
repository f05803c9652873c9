// SPDX-License-Identifier: Apache-2.0
#include "build_model/data_decided.h"

#include <algorithm>
#include <cmath>

#include "model/binding.h"

namespace parcast::program {
namespace {

using symbolic::Expression;

constexpr double kLeastShare = 0.01;

/// Returns v / its only recorded value of each parameter that never varied.
std::vector<Expression> ratios_of(std::span<const Parameter> parameters) {
  std::vector<Expression> out;
  for (const Parameter& parameter : parameters) {
    if (parameter.values.size() != 1) continue;
    const double value = parameter.values.front();
    if (!(value > 1) || value != std::floor(value) || value > 1e9) continue;
    out.push_back(parameter_symbol(parameter.name) / Expression(static_cast<std::int64_t>(value)));
  }
  return out;
}

NodeId outermost_without_formula(const Model& model, NodeId id) {
  NodeId found = kNone;
  for (; id != kNone; id = model.nodes[static_cast<std::size_t>(id)].parent) {
    const Node& node = model.nodes[static_cast<std::size_t>(id)];
    if (node.kind == NodeKind::loop && node.executions.origin > Origin::ambiguous) found = id;
  }
  return found;
}

/// Returns the first text that is not empty of a loop's calls and regions.
std::string first_in(const Model& model, NodeId id, std::string Node::*text) {
  const Node& node = model.nodes[static_cast<std::size_t>(id)];
  if (node.kind != NodeKind::loop && !(node.*text).empty()) return node.*text;
  for (const NodeId child : node.children)
    if (std::string found = first_in(model, child, text); !found.empty()) return found;
  return "";
}

std::string name_of(const Model& model, NodeId loop) {
  const std::string where = first_in(model, loop, &Node::where), label = first_in(model, loop, &Node::label);
  if (!where.empty()) return "the loop at " + where;
  return label.empty() ? "a loop" : "the loop around " + label;
}

}  // namespace

Count with_unvaried_sizes(Count count, std::span<const Parameter> parameters) {
  const std::vector<Expression> ratios = ratios_of(parameters);
  const bool is_number = count.origin == Origin::ambiguous && count.expression.is_number();
  if ((count.origin != Origin::constant && !is_number) || ratios.empty()) return count;
  count.origin = Origin::constant;
  const Expression number = count.expression;
  Expression squares = number, inverse = number;
  for (const Expression& ratio : ratios) {
    squares = squares * ratio * ratio;
    inverse = inverse / ratio;
    if (ratios.size() == 1) continue;
    count.alternatives.push_back(number * ratio * ratio);
    count.alternatives.push_back(number / ratio);
  }
  count.alternatives.push_back(squares);
  count.alternatives.push_back(inverse);
  return count;
}

std::vector<DataDecided> data_decided_loops(const Model& model) {
  std::vector<DataDecided> out;
  for (const Segment& segment : model.segments) {
    const NodeId loop = outermost_without_formula(model, segment.owner);
    if (loop == kNone) continue;
    auto known = std::ranges::find(out, loop, &DataDecided::loop);
    if (known == out.end()) known = out.insert(out.end(), {loop, name_of(model, loop), 0});
    known->share += segment.share;
  }
  std::erase_if(out, [](const DataDecided& each) { return each.share < kLeastShare; });
  return out;
}

}  // namespace parcast::program
