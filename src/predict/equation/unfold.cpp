// SPDX-License-Identifier: Apache-2.0
#include "predict/equation/unfold.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "predict/dependence/classify.h"
#include "predict/equation/index.h"

namespace parcast::predict {
namespace {

using dependence::Cost;
using dependence::Step;
using dependence::StepKind;
using program::kNone;
using program::Node;
using program::NodeId;
using program::NodeKind;
using program::PeerRelation;
using program::Synchronisation;
using recording::CallClass;

class Unfolder {
 public:
  explicit Unfolder(const Unfolding& in) : in_(in), model_(*in.model) {
    const std::size_t ranks = static_cast<std::size_t>(in.processes);
    calls_.resize(model_.nodes.size());
    segments_.resize(model_.segments.size());
    for (std::size_t t = 0; t < in.contributions->all.size(); ++t) {
      const Contribution& c = in.contributions->all[t];
      if (c.noise) continue;
      std::vector<Cost>& costs = c.term.segment >= 0 ? segments_[static_cast<std::size_t>(c.term.segment)]
                                                     : calls_[index(c.term.node)];
      costs.resize(ranks);
      for (std::size_t r = 0; r < ranks; ++r) part_of(costs[r], c.term.part) += in.values[t][r];
    }
    const auto chained = dependence::classify(model_, 0).receives;
    chained_.insert(chained.begin(), chained.end());
  }

  dependence::Program build() { return {in_.processes, steps_of(0, 1)}; }

 private:
  static double& part_of(Cost& cost, Term::Part part) {
    return part == Term::Part::message_startup ? cost.startup
           : part == Term::Part::transfer      ? cost.transfer
                                               : cost.compute;
  }

  std::vector<Cost> per_execution(const std::vector<Cost>& total, double repetitions) const {
    if (total.empty()) return {Cost{}};
    std::vector<Cost> out = total;
    for (Cost& c : out) c = {c.compute / repetitions, c.startup / repetitions, c.transfer / repetitions};
    return out;
  }

  std::vector<Step> steps_of(NodeId id, double repetitions) {
    std::vector<Step> steps;
    for (const Entry& entry : in_.layout->entries[index(id)]) {
      if (entry.segment >= 0) {
        Step step;
        step.label = "computing";
        step.cost = per_execution(segments_[static_cast<std::size_t>(entry.segment)], repetitions);
        steps.push_back(std::move(step));
        continue;
      }
      const Node& node = model_.nodes[index(entry.node)];
      if (node.kind == NodeKind::call) {
        steps.push_back(call_step(node, repetitions));
      } else if (node.kind == NodeKind::loop) {
        steps.push_back(loop_step(node, repetitions));
      } else {
        for (Step& step : steps_of(node.id, repetitions)) steps.push_back(std::move(step));
      }
    }
    return steps;
  }

  Step loop_step(const Node& node, double repetitions) {
    Step step;
    step.kind = StepKind::loop;
    step.label = node.label;
    const double trips = std::max(1.0, std::round(in_.loops[index(node.id)] / repetitions));
    step.trips = static_cast<std::int64_t>(trips);
    step.body = steps_of(node.id, repetitions * trips);
    return step;
  }

  Step call_step(const Node& node, double repetitions) {
    Step step;
    step.label = node.label + (node.where.empty() ? "" : " (" + node.where + ")");
    step.cost = per_execution(calls_[index(node.id)], repetitions);
    switch (node.synchronisation) {
      case Synchronisation::none:
        break;
      case Synchronisation::global:
        step.kind = StepKind::global;
        return step;
      case Synchronisation::from_root:
        step.kind = StepKind::from_root;
        break;
      case Synchronisation::to_root:
        step.kind = StepKind::to_root;
        break;
      case Synchronisation::neighbour:
        return waiting_step(node, std::move(step));
    }
    if (step.kind != StepKind::local) {
      step.cyclic_root = node.relation == PeerRelation::cyclic_root;
      const std::int64_t root = node.amounts.empty() ? 0 : node.amounts[0];
      step.root = static_cast<std::int32_t>(step.cyclic_root
                                                ? ((root % in_.processes) + in_.processes) % in_.processes
                                                : std::clamp<std::int64_t>(root, 0, in_.processes - 1));
      return step;
    }
    const NodeId receive = fed_by(node);
    if (receive == kNone) return step;
    step.kind = StepKind::send;
    step.channel = receive;
    step.partners = partners({node.id});
    return step;
  }

  // Returns the chained receive that a send feeds.
  NodeId fed_by(const Node& send) const {
    if (send.call_class != CallClass::send && send.call_class != CallClass::start_send) return kNone;
    for (const NodeId id : chained_)
      if (dependence::mirrored(send, model_.nodes[index(id)]) &&
          enclosing_loop(model_, id) == enclosing_loop(model_, send.id) && feeder(id) == send.id)
        return id;
    return kNone;
  }

  // Returns the send that feeds a receive: the first matching one after the receive.
  NodeId feeder(NodeId receive) const {
    const std::vector<NodeId> calls = dependence::calls_below(model_, enclosing_loop(model_, receive));
    for (auto call = std::find(calls.begin(), calls.end(), receive); call != calls.end(); ++call) {
      const Node& node = model_.nodes[index(*call)];
      const bool sends = node.call_class == CallClass::send || node.call_class == CallClass::start_send;
      if (sends && dependence::mirrored(node, model_.nodes[index(receive)])) return *call;
    }
    return kNone;
  }

  Step waiting_step(const Node& node, Step step) {
    const std::vector<NodeId> sources = completed_by(node);
    const auto chained = std::find_if(sources.begin(), sources.end(), [&](NodeId id) {
      return chained_.contains(id) && feeder(id) != kNone;
    });
    step.partners = partners(sources);
    const bool irregular = std::any_of(sources.begin(), sources.end(), [&](NodeId id) {
      return model_.nodes[index(id)].relation == PeerRelation::several;
    });
    if (irregular) {
      // Irregular partners: treated as if all ranks waited for all, which is not faster.
      step.kind = StepKind::global;
      return step;
    }
    if (chained == sources.end()) {
      step.kind = StepKind::exchange;
      // A rank that never executes the call waits for no other.
      for (std::size_t r = 0; r < step.partners.size(); ++r)
        if (!(in_.executions[index(node.id)][r] > 0)) step.partners[r].clear();
      return step;
    }
    step.kind = StepKind::receive;
    step.channel = *chained;
    step.partners = partners({*chained});
    const auto delay = in_.delays.find(*chained);
    if (delay != in_.delays.end()) step.delay = {delay->second};
    return step;
  }

  // Returns the receives that a waiting call completes: itself, or those started in its loop by ranks that
  // execute the call.
  std::vector<NodeId> completed_by(const Node& node) const {
    if (node.call_class != CallClass::wait || !partners_known(node)) {
      if (node.call_class != CallClass::wait) return {node.id};
      std::vector<NodeId> all, together;
      for (const NodeId id : dependence::calls_below(model_, enclosing_loop(model_, node.id)))
        if (model_.nodes[index(id)].call_class == CallClass::start_receive) {
          all.push_back(id);
          if (on_a_common_rank(node.id, id)) together.push_back(id);
        }
      return together.empty() ? all : together;
    }
    return {node.id};
  }

  bool on_a_common_rank(NodeId a, NodeId b) const {
    for (std::size_t r = 0; r < in_.executions[index(a)].size(); ++r)
      if (in_.executions[index(a)][r] > 0 && in_.executions[index(b)][r] > 0) return true;
    return false;
  }

  static bool partners_known(const Node& node) {
    return node.relation != PeerRelation::none && node.relation != PeerRelation::several;
  }

  std::vector<std::vector<std::int32_t>> partners(const std::vector<NodeId>& calls) const {
    const std::vector<std::vector<std::int32_t>> extents(in_.extents->begin(), in_.extents->end());
    std::vector<std::vector<std::int32_t>> out(static_cast<std::size_t>(in_.processes));
    for (std::int32_t r = 0; r < in_.processes; ++r) {
      std::set<std::int32_t> distinct;
      for (const NodeId id : calls)
        for (const std::int32_t partner :
             dependence::partners_of(model_.nodes[index(id)], r, in_.processes, extents))
          if (partner != r) distinct.insert(partner);
      out[static_cast<std::size_t>(r)].assign(distinct.begin(), distinct.end());
    }
    return out;
  }

  const Unfolding& in_;
  const program::Model& model_;
  std::vector<std::vector<Cost>> calls_, segments_;  // complete run, per rank
  std::set<NodeId> chained_;
};

}  // namespace

dependence::Program unfold(const Unfolding& unfolding) {
  return Unfolder(unfolding).build();
}

}  // namespace parcast::predict
