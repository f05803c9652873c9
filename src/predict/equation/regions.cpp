// SPDX-License-Identifier: Apache-2.0
#include "predict/equation/regions.h"

#include <algorithm>
#include <map>

#include "model/formula_text.h"
#include "predict/equation/index.h"
#include "recording/site_text.h"

namespace parcast::predict {
namespace {

using program::kNone;
using program::Model;
using program::Node;
using program::NodeId;

std::string name_among_siblings(const Model& model, const Node& node) {
  int number = 0;
  for (const NodeId sibling : model.nodes[index(node.parent)].children) {
    number += model.nodes[index(sibling)].label == node.label ? 1 : 0;
    if (sibling == node.id) break;
  }
  return node.label + (number > 1 ? "#" + std::to_string(number) : "");
}

/// Returns a call's place; nothing for one in parcast.h, whose lines are no user's, and the function alone
/// where no line is known.
std::string place_of(const Model& model, NodeId call) {
  if (call == kNone) return "";
  const std::string& where = model.nodes[index(call)].where;
  return where.starts_with("parcast.h:") ? "" : recording::without_address(where);
}

// Returns the places of both calls as "swe.c:120-131", or the one that is known.
std::string between(const Model& model, const program::Segment& segment) {
  const std::string from = place_of(model, segment.from), to = place_of(model, segment.to);
  if (from.empty() || to.empty() || from == to) return from.empty() ? to : from;
  const std::size_t from_colon = from.rfind(':');
  const std::size_t to_colon = to.rfind(':');
  const bool same_file = from_colon != std::string::npos && to_colon != std::string::npos &&
                         from.compare(0, from_colon, to, 0, to_colon) == 0;
  return same_file ? from + "-" + to.substr(to_colon + 1) : from + " - " + to;
}

Leaf segment_leaf(const Model& model, std::int32_t number) {
  const program::Segment& segment = model.segments[static_cast<std::size_t>(number)];
  Leaf leaf;
  leaf.node = segment.owner == kNone ? 0 : segment.owner;
  leaf.segment = number;
  const std::string owner = path_of(model, leaf.node);
  const std::string label = segment.to == kNone ? "compute to the end"
                            : segment.from == kNone
                                ? "compute from the start"
                                : "compute before " + model.nodes[index(segment.to)].label;
  leaf.path = owner + (owner.empty() ? "" : "/") + label;
  leaf.where = between(model, segment);
  leaf.executions = program::formula_text(segment.executions.expression);
  leaf.origin = segment.executions.origin;
  return leaf;
}

Leaf call_leaf(const Model& model, NodeId id) {
  const Node& node = model.nodes[index(id)];
  return {id,
          -1,
          id == 0 ? node.label : path_of(model, id),
          node.where,
          program::formula_text(node.executions.expression),
          node.executions.origin,
          {}};
}

}  // namespace

std::string path_of(const Model& model, NodeId id) {
  std::string path;
  for (; id > 0; id = model.nodes[index(id)].parent) {
    const std::string name = name_among_siblings(model, model.nodes[index(id)]);
    path = path.empty() ? name : name + "/" + path;
  }
  return path;
}

std::vector<Leaf> leaves(const Model& model, std::span<const TermValue> terms) {
  std::map<std::pair<NodeId, std::int32_t>, Leaf> found;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const TermValue& term = terms[t];
    const auto [leaf, fresh] = found.try_emplace({term.node, term.segment});
    if (fresh)
      leaf->second = term.segment >= 0 ? segment_leaf(model, term.segment) : call_leaf(model, term.node);
    if (term.value > 0)
      leaf->second.origin = weaker(leaf->second.origin, term.origin);  // of bytes and members, too
    leaf->second.terms.push_back(t);
  }
  std::vector<Leaf> out;
  std::map<std::string, int> paths;
  for (auto& [key, leaf] : found) {
    if (const int number = ++paths[leaf.path + "@" + leaf.where]; number > 1)
      leaf.path += "#" + std::to_string(number);
    out.push_back(std::move(leaf));
  }
  return out;
}

}  // namespace parcast::predict
