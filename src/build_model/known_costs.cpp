// SPDX-License-Identifier: Apache-2.0
#include "build_model/known_costs.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "build_model/call_place.h"
#include "fit_counts/counts.h"
#include "model/binding.h"
#include "structure/each_step.h"

namespace parcast::program {
namespace {

using symbolic::Expression;

constexpr std::size_t kMostCallsOnAWay = 32;
constexpr std::size_t kMostVisits = 10'000;  // of the search for ways between two operations

/// Whether ranks at a side have no such partner, so that they make the call without an operation.
bool may_lack_partner(const Step& step) {
  return step.operation != trace::Kind::collective && step.operation != trace::Kind::wait &&
         (step.partner.kind == Partner::Kind::grid || step.partner.kind == Partner::Kind::offset);
}

class Costs {
 public:
  Costs(const Model& model, Structure& structure) : model_(model), structure_(structure) {
    find_calls();
    for (const Segment& segment : model.segments)
      if (happens_on_several(segment)) by_ends_[{segment.from, segment.to}].push_back(&segment);
    for (const auto& [ends, segments] : by_ends_) next_[ends.first].push_back(ends.second);
  }

  void take() {
    for_each_step(structure_.steps, [&](Step& step) {
      if (step.kind == Step::Kind::operation) take(step.computing, call_of(step.id));
    });
    take(structure_.tail, kNone);
  }

 private:
  using Ends = std::pair<NodeId, NodeId>;
  static constexpr NodeId kNotFound = -2;

  void find_calls() {
    std::map<CallPlace, std::vector<NodeId>> at;
    for (const Node& node : model_.nodes)
      if (node.kind == NodeKind::call) at[place_of(model_, node)].push_back(node.id);
    std::set<NodeId> always;
    for_each_step(structure_.steps, [&](const Step& step) {
      if (step.kind != Step::Kind::operation || step.place == trace::kNowhere) return;
      const auto found = at.find(place_of(structure_.places[step.place]));
      if (found == at.end() || found->second.size() > 1) return;
      call_of_step_[step.id] = found->second.front();
      if (!may_lack_partner(step)) always.insert(found->second.front());
    });
    for (const Node& node : model_.nodes)
      if (node.kind == NodeKind::call && !always.contains(node.id)) passed_over_.insert(node.id);
  }

  NodeId call_of(std::uint32_t step) const {
    if (step == structure_.step_count) return kNone;
    const auto at = call_of_step_.find(step);
    return at == call_of_step_.end() ? kNotFound : at->second;
  }

  /// Returns whether several processes execute the segment; some segments belong to runs of one process.
  bool happens_on_several(const Segment& segment) const {
    const Point at{
        model_.sources.empty() ? std::map<std::string, double>{} : model_.sources.back().parameters,
        std::max(model_.processes.back(), 2)};
    for (std::int32_t rank = 0; rank < at.processes; ++rank) {
      const auto binding = bind(model_, at, rank);
      const auto times =
          binding ? symbolic::evaluate(segment.executions.expression, *binding) : Result<double>(Error{});
      if (!times || *times > 0) return true;
    }
    return false;
  }

  void take(std::vector<Computing>& all, NodeId to) const {
    if (to == kNotFound) return;
    for (Computing& each : all) {
      const NodeId from = call_of(each.after);
      if (from == kNotFound || each.seconds.is_zero()) continue;
      if (auto known = between(from, to)) each.seconds = known->first, each.origin = known->second;
    }
  }

  using Way = std::vector<const Segment*>;

  /// Returns the seconds of the only way between two calls, and their origin.
  std::optional<std::pair<Expression, Origin>> between(NodeId from, NodeId to) const {
    std::vector<Way> ways;
    Way way;
    std::size_t visits = 0;
    if (!follow(from, to, way, ways, visits) || ways.size() != 1) return std::nullopt;
    Expression seconds;
    Origin origin = Origin::exact;
    for (const Segment* segment : ways.front()) {
      const auto& hypotheses = segment->cost.growth->hypotheses;
      if (hypotheses.empty()) continue;
      seconds = seconds + growth_expression(hypotheses.front(), segment->cost.arguments);
      origin = weaker(origin, segment->cost.origin);
    }
    if (seconds.is_zero()) return std::nullopt;
    return std::pair{seconds, origin};
  }

  /// Appends the ways from `here`, each through other calls; returns false where there are too many, or
  /// several segments between two calls.
  bool follow(NodeId here, NodeId to, Way& way, std::vector<Way>& ways, std::size_t& visits) const {
    if (++visits > kMostVisits || way.size() >= kMostCallsOnAWay) return false;
    const auto next = next_.find(here);
    if (next == next_.end()) return true;
    for (const NodeId call : next->second) {
      const auto& segments = by_ends_.at({here, call});
      const bool again = std::ranges::any_of(way, [&](const Segment* each) { return each->to == call; });
      if (again || (call != to && !passed_over_.contains(call))) continue;
      if (segments.size() > 1) return false;
      way.push_back(segments.front());
      const bool fine =
          call == to ? (ways.push_back(way), ways.size() == 1) : follow(call, to, way, ways, visits);
      way.pop_back();
      if (!fine) return false;
    }
    return true;
  }

  const Model& model_;
  Structure& structure_;
  std::map<std::uint32_t, NodeId> call_of_step_;
  std::set<NodeId> passed_over_;  // calls that may be made without an operation
  std::map<Ends, std::vector<const Segment*>> by_ends_;
  std::map<NodeId, std::vector<NodeId>> next_;
};

}  // namespace

void take_known_costs(const Model& model, Structure& structure) {
  if (structure.found() && !model.segments.empty() && !model.processes.empty())
    Costs(model, structure).take();
}

}  // namespace parcast::program
