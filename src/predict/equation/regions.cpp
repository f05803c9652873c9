// SPDX-License-Identifier: Apache-2.0
#include "predict/equation/regions.h"

#include <algorithm>
#include <map>

#include "model/formula_text.h"
#include "model/row_names.h"
#include "predict/equation/index.h"

namespace parcast::predict {
namespace {

using program::kNone;
using program::Model;
using program::Node;
using program::NodeId;

Leaf segment_leaf(const Model& model, std::int32_t number) {
  const program::Segment& segment = model.segments[static_cast<std::size_t>(number)];
  Leaf leaf;
  leaf.node = segment.owner == kNone ? 0 : segment.owner;
  leaf.segment = number;
  program::RowPlace place = program::place_of(model, segment);
  leaf.path = std::move(place.path);
  leaf.where = std::move(place.where);
  leaf.executions = program::formula_text(segment.executions.expression);
  leaf.origin = segment.executions.origin;
  return leaf;
}

Leaf call_leaf(const Model& model, NodeId id) {
  const Node& node = model.nodes[index(id)];
  return {id,
          -1,
          id == 0 ? node.label : program::path_of(model, id),
          node.where,
          program::formula_text(node.executions.expression),
          node.executions.origin,
          {}};
}

}  // namespace

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
