// SPDX-License-Identifier: Apache-2.0
#include "predict/dependence/classify.h"

#include <algorithm>

namespace parcast::dependence {
namespace {

using program::Model;
using program::Node;
using program::NodeId;
using program::NodeKind;
using program::PeerRelation;
using program::Synchronisation;
using recording::CallClass;

const Node& at(const Model& model, NodeId id) {
  return model.nodes[static_cast<std::size_t>(id)];
}

bool sends(const Node& call) {
  return call.call_class == CallClass::send || call.call_class == CallClass::start_send ||
         call.call_class == CallClass::send_receive;
}

bool receives(const Node& call) {
  return call.call_class == CallClass::receive || call.call_class == CallClass::start_receive;
}

std::string place(const Node& call) {
  return call.label + (call.where.empty() ? "" : " (" + call.where + ")");
}

bool open_ended(const Node& call) {
  return call.relation == PeerRelation::offset ||
         (call.relation == PeerRelation::grid_shift && call.amounts.size() >= 4 && call.amounts[3] == 0);
}

// Returns the receives whose matching send comes later in the same body: rank r waits for the message that
// rank r - k sends after its own receive of the same iteration. Only possible when the chain has an end.
std::vector<NodeId> chained_receives(const Model& model, const std::vector<NodeId>& calls) {
  std::vector<NodeId> out;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Node& receive = at(model, calls[i]);
    if (!receives(receive) || !open_ended(receive)) continue;
    const auto feeds = [&](NodeId id) { return sends(at(model, id)) && mirrored(at(model, id), receive); };
    const auto here = calls.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::any_of(calls.begin(), here, feeds)) continue;
    // A nonblocking receive does not wait yet: the place of its completion matters.
    auto waits = here;
    if (receive.call_class == CallClass::start_receive)
      waits = std::find_if(here, calls.end(),
                           [&](NodeId id) { return at(model, id).call_class == CallClass::wait; });
    if (waits != calls.end() && std::none_of(here, waits, feeds) && std::any_of(waits, calls.end(), feeds))
      out.push_back(calls[i]);
  }
  return out;
}

void collect_calls(const Model& model, NodeId id, std::vector<NodeId>& out) {
  if (at(model, id).kind == NodeKind::call) out.push_back(id);
  for (const NodeId child : at(model, id).children) collect_calls(model, child, out);
}

std::vector<std::int32_t> grid_partner(const Node& call, std::int32_t rank,
                                       const std::vector<std::vector<std::int32_t>>& extents) {
  if (call.amounts.size() < 4) return {};
  const auto dimension = static_cast<std::size_t>(call.amounts[0]);
  const auto dimensions = static_cast<std::size_t>(call.amounts[2]);
  if (dimensions >= extents.size() || dimension >= extents[dimensions].size()) return {};
  const std::vector<std::int32_t>& extent = extents[dimensions];
  std::int64_t stride = 1;
  for (std::size_t d = dimension + 1; d < extent.size(); ++d) stride *= extent[d];
  const std::int64_t width = extent[dimension];
  const std::int64_t here = rank / stride % width;
  std::int64_t there = here + call.amounts[1];
  if (call.amounts[3] != 0) there = (there % width + width) % width;
  if (there < 0 || there >= width) return {};
  return {static_cast<std::int32_t>(rank + (there - here) * stride)};
}

}  // namespace

std::string_view to_string(Shape shape) {
  switch (shape) {
    case Shape::independent:
      return "independent";
    case Shape::global:
      return "global";
    case Shape::neighbour:
      return "neighbour";
    case Shape::rooted:
      return "rooted";
    case Shape::pipeline:
      return "pipeline";
    case Shape::other:
      return "other";
  }
  return "other";
}

std::vector<NodeId> calls_below(const Model& model, NodeId node) {
  std::vector<NodeId> out;
  collect_calls(model, node, out);
  return out;
}

bool mirrored(const Node& send, const Node& receive) {
  if (send.relation != receive.relation || send.amounts.size() != receive.amounts.size()) return false;
  const std::vector<std::int64_t>& s = send.amounts;
  const std::vector<std::int64_t>& r = receive.amounts;
  switch (send.relation) {
    case PeerRelation::offset:
    case PeerRelation::offset_ring:
      return !s.empty() && s[0] == -r[0];
    case PeerRelation::exclusive_or:
      return s == r;
    case PeerRelation::grid_shift:
      return s.size() >= 4 && s[0] == r[0] && s[1] == -r[1] && s[2] == r[2] && s[3] == r[3];
    default:
      return false;
  }
}

std::vector<std::int32_t> partners_of(const Node& call, std::int32_t rank, std::int32_t processes,
                                      const std::vector<std::vector<std::int32_t>>& extents) {
  if (call.relation == PeerRelation::grid_shift) return grid_partner(call, rank, extents);
  if (call.amounts.empty()) return {};
  const std::int64_t k = call.amounts[0];
  std::int64_t partner = -1;
  switch (call.relation) {
    case PeerRelation::offset:
      partner = rank + k;
      break;
    case PeerRelation::offset_ring:
      partner = ((rank + k) % processes + processes) % processes;
      break;
    case PeerRelation::exclusive_or:
      partner = rank ^ k;
      break;
    case PeerRelation::fixed:
      partner = k;
      break;
    default:
      break;
  }
  if (partner < 0 || partner >= processes) return {};
  return {static_cast<std::int32_t>(partner)};
}

Classification classify(const Model& model, NodeId node) {
  const std::vector<NodeId> calls = calls_below(model, node);
  Classification out;
  out.receives = chained_receives(model, calls);
  if (!out.receives.empty()) {
    out.shape = Shape::pipeline;
    out.reason = place(at(model, out.receives.front())) +
                 " waits for a message that its sender sends later in the loop";
    return out;
  }
  bool neighbours = false;
  bool rooted = false;
  bool global = false;
  const Node* unknown = nullptr;
  for (const NodeId id : calls) {
    const Node& call = at(model, id);
    global = global || call.synchronisation == Synchronisation::global;
    rooted = rooted || call.synchronisation == Synchronisation::from_root ||
             call.synchronisation == Synchronisation::to_root;
    if (call.synchronisation != Synchronisation::neighbour) continue;
    neighbours = true;
    if (call.relation == PeerRelation::several) unknown = &call;
  }
  if (global)
    out.shape = Shape::global;
  else if (unknown) {
    out.shape = Shape::other;
    out.reason = place(*unknown) + " has partners that follow no rule";
  } else if (neighbours)
    out.shape = Shape::neighbour;
  else if (rooted)
    out.shape = Shape::rooted;
  return out;
}

}  // namespace parcast::dependence
