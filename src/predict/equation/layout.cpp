// SPDX-License-Identifier: Apache-2.0
#include "predict/equation/layout.h"

#include <algorithm>
#include <functional>
#include <map>

#include "predict/equation/index.h"

namespace parcast::predict {
namespace {

using program::kNone;
using program::Model;
using program::Node;
using program::NodeId;
using program::NodeKind;
using program::Segment;
using program::Synchronisation;

const Node& at(const Model& model, NodeId id) {
  return model.nodes[index(id)];
}

// Returns the position of the owner's child that contains `node`; -1 when the node is outside.
std::ptrdiff_t child_holding(const Model& model, NodeId owner, NodeId node) {
  while (node != kNone && at(model, node).parent != owner) node = at(model, node).parent;
  if (node == kNone) return -1;
  const std::vector<NodeId>& children = at(model, owner).children;
  return std::find(children.begin(), children.end(), node) - children.begin();
}

// Returns the child of its owner that a segment precedes: 0 .. number of children (after the last).
std::size_t slot_of(const Model& model, const Segment& segment, NodeId owner) {
  const std::size_t end = at(model, owner).children.size();
  const std::ptrdiff_t from = segment.from == kNone ? -1 : child_holding(model, owner, segment.from);
  const std::ptrdiff_t to = segment.to == kNone ? -1 : child_holding(model, owner, segment.to);
  if (to < 0) return from < 0 ? end : static_cast<std::size_t>(from) + 1;
  if (from >= 0 && to <= from && at(model, owner).kind == NodeKind::loop) return end;
  return static_cast<std::size_t>(to);
}

NodeId owner_of(const Model& model, const Segment& segment) {
  const bool usable = segment.owner != kNone && index(segment.owner) < model.nodes.size() &&
                      at(model, segment.owner).kind != NodeKind::call;
  return usable ? segment.owner : 0;
}

std::vector<std::vector<Entry>> order(const Model& model) {
  std::map<std::pair<NodeId, std::size_t>, std::vector<std::int32_t>> placed;
  for (std::size_t s = 0; s < model.segments.size(); ++s) {
    const NodeId owner = owner_of(model, model.segments[s]);
    placed[{owner, slot_of(model, model.segments[s], owner)}].push_back(static_cast<std::int32_t>(s));
  }
  std::vector<std::vector<Entry>> out(model.nodes.size());
  for (const Node& node : model.nodes) {
    std::vector<Entry>& entries = out[index(node.id)];
    for (std::size_t slot = 0; slot <= node.children.size(); ++slot) {
      if (const auto found = placed.find({node.id, slot}); found != placed.end())
        for (const std::int32_t segment : found->second) entries.push_back({kNone, segment});
      if (slot < node.children.size()) entries.push_back({node.children[slot], -1});
    }
  }
  return out;
}

// Walks backwards and assigns each entry its next closing call. Inside a loop, the first closing call follows
// the last.
class Closers {
 public:
  Closers(const Model& model, const std::vector<std::vector<Entry>>& entries,
          std::function<bool(const Node&)> closes)
      : model_(model),
        entries_(entries),
        closes_(std::move(closes)),
        of_node(model.nodes.size(), kNone),
        of_segment(model.segments.size(), kNone) {
    assign(0, kNone);
  }

 private:
  const Model& model_;
  const std::vector<std::vector<Entry>>& entries_;
  std::function<bool(const Node&)> closes_;

 public:
  std::vector<NodeId> of_node, of_segment;

 private:
  NodeId first_inside(NodeId id) const {
    if (at(model_, id).kind == NodeKind::call) return closes_(at(model_, id)) ? id : kNone;
    for (const NodeId child : at(model_, id).children)
      if (const NodeId found = first_inside(child); found != kNone) return found;
    return kNone;
  }

  NodeId assign(NodeId id, NodeId next) {
    const Node& node = at(model_, id);
    if (node.kind == NodeKind::call) return of_node[index(id)] = closes_(node) ? id : next;
    const NodeId first = first_inside(id);
    if (node.kind == NodeKind::loop && first != kNone) next = first;
    const std::vector<Entry>& entries = entries_[index(id)];
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
      if (entry->segment >= 0)
        of_segment[static_cast<std::size_t>(entry->segment)] = next;
      else
        next = assign(entry->node, next);
    }
    of_node[index(id)] = next;
    return next;
  }
};

}  // namespace

Layout lay_out(const Model& model) {
  Layout out;
  out.entries = order(model);
  Closers global(model, out.entries,
                 [](const Node& n) { return n.synchronisation == Synchronisation::global; });
  Closers any(model, out.entries, [](const Node& n) { return n.synchronisation != Synchronisation::none; });
  out.interval_of_node = std::move(global.of_node);
  out.interval_of_segment = std::move(global.of_segment);
  out.phase_of_node = std::move(any.of_node);
  out.phase_of_segment = std::move(any.of_segment);
  return out;
}

NodeId enclosing_loop(const Model& model, NodeId node) {
  while (node > 0 && at(model, node).kind != NodeKind::loop) node = at(model, node).parent;
  return std::max(node, 0);
}

}  // namespace parcast::predict
