// SPDX-License-Identifier: Apache-2.0
// Builds a model from recordings, step by step.
#include "build_model/build.h"

#include <algorithm>

#include "build_model/arrivals.h"
#include "build_model/builder.h"
#include "build_model/call_roles.h"
#include "build_model/conservation.h"
#include "build_model/forecasts.h"
#include "build_model/notices.h"
#include "model/resolved.h"

namespace parcast::program {

using recording::CallClass;
using recording::Recording;

Builder::Builder(const std::vector<Recording>& recordings, Inputs inputs, Traces traces,
                 const Structure* structure)
    : recordings_(recordings),
      inputs_(std::move(inputs)),
      traces_(std::move(traces)),
      tree_(build_tree(traces_)),
      counted_(recordings, inputs_, traces_),
      counts_(inputs_.parameters, inputs_.runs, inputs_.grids, traces_),
      relative_(inputs_.parameters, inputs_.runs, inputs_.grids, traces_, counts_) {
  if (structure) ordered_.emplace(*structure, inputs_.parameters, inputs_.runs, inputs_.grids, traces_);
}

Model Builder::build() {
  describe_inputs();
  add_branch(tree_.root, kNone);
  identify_arrivals(model_, inputs_, traces_, node_of_key_);
  add_segments();
  add_forecasts(model_, {recordings_, inputs_, traces_, counts_.distributions(), node_of_key_});
  conserve(model_, last_calls());
  add_unfollowed();
  share_by_origin();
  model_.quantities = derived_quantities(model_);
  add_notices(model_, {recordings_, inputs_, traces_, sessions_, counts_.design(), counted_.any(),
                       recorded_shares_, disturbed_share_, missed_share_, missed_, crowded_ratios_});
  for (const Notice& notice : counted_.notices()) model_.notices.push_back(notice);
  return std::move(model_);
}

void Builder::describe_inputs() {
  const Recording& first = recordings_[inputs_.order.front()];
  model_.program = first.program;
  model_.executable_digest = first.executable_digest;
  model_.recorded_on = first.machine_summary;
  model_.grids = inputs_.grids;
  std::set<std::int32_t> processes;
  for (const std::size_t i : inputs_.order) processes.insert(recordings_[i].processes);
  model_.processes.assign(processes.begin(), processes.end());
  for (std::size_t v = 0; v < inputs_.parameters.size(); ++v) {
    std::set<double> values;
    for (const std::size_t i : inputs_.order) values.insert(inputs_.runs[i].parameters[v]);
    model_.parameters.push_back({inputs_.parameters[v], {values.begin(), values.end()}});
  }
  model_.sources = inputs_.sources;
  model_.notices = inputs_.notices;
}

std::set<NodeId> Builder::last_calls() const {
  std::set<NodeId> out;
  for (const Transition& t : traces_.transitions)
    if (t.to == kOutside && t.from != kOutside) out.insert(node_of_key_.at(t.from));
  return out;
}

void Builder::add_unfollowed() {
  std::set<std::string> names;
  for (const Trace& trace : traces_.traces)
    for (const auto& [name, times] : trace.unfollowed) names.insert(name);
  for (const std::string& name : names) {
    std::vector<std::int64_t> values;
    for (const Trace& trace : traces_.traces) {
      const auto at = trace.unfollowed.find(name);
      values.push_back(at == trace.unfollowed.end() ? 0 : at->second);
    }
    model_.unfollowed[name] = counts_.build(values, true);
  }
}

void Builder::share_by_origin() {
  std::map<Origin, double> seconds;
  const Model model = resolved_as_recorded(model_);
  RecordedShares& spent = recorded_shares_;
  spent.segments = segment_seconds_;
  spent.nodes.assign(model.nodes.size(), 0);
  for (std::size_t s = 0; s < model.segments.size(); ++s)
    seconds[model.segments[s].executions.origin] += segment_seconds_[s];
  for (const auto& [key, id] : node_of_key_) {
    const Node& node = model.nodes[static_cast<std::size_t>(id)];
    // not part of a run's time
    if (is_region_mark(node.call_class) || node.call_class == CallClass::initialise ||
        node.call_class == CallClass::finalise)
      continue;
    Origin origin = node.executions.origin;
    for (const Count* count : {&node.messages, &node.bytes, &node.collective_bytes})
      origin = weaker(origin, count->origin);
    for (const Trace& trace : traces_.traces)
      if (const auto at = trace.calls.find(key); at != trace.calls.end())
        spent.nodes[static_cast<std::size_t>(id)] += at->second.seconds;
    seconds[origin] += spent.nodes[static_cast<std::size_t>(id)];
  }
  double all = 0;
  for (const auto& [origin, value] : seconds) all += value;
  for (auto* shares : {&spent.segments, &spent.nodes})
    for (double& value : *shares) value = all > 0 ? value / all : 0;
  const auto share = [&](Origin origin) { return all > 0 ? seconds[origin] / all : 0; };
  for (const Origin origin :
       {Origin::exact, Origin::ambiguous, Origin::fitted, Origin::constant, Origin::unknown})
    model_.share_by_origin[std::string(to_string(origin))] = share(origin);
  for (const Origin origin : {Origin::symbolic, Origin::run_constant})  // only for compiled programs
    if (share(origin) > 0) model_.share_by_origin[std::string(to_string(origin))] = share(origin);
  if (all <= 0) model_.share_by_origin["unknown"] = 1;
}

Result<Model> build_model(const std::vector<Recording>& recordings) {
  PARCAST_ASSIGN(Inputs inputs, check_inputs(recordings));
  Traces traces = reduce(recordings, inputs.order);
  return Builder(recordings, std::move(inputs), std::move(traces)).build();
}

Result<Model> build_model(const std::vector<Recording>& recordings, std::vector<RunTotals> totals,
                          const std::optional<std::vector<ProcessGrid>>& grids, const Structure* structure) {
  PARCAST_ASSIGN(Inputs inputs, check_inputs(recordings));
  if (grids) inputs.grids = *grids;
  Traces traces = joined(std::move(totals), inputs.order);
  return Builder(recordings, std::move(inputs), std::move(traces), structure).build();
}

}  // namespace parcast::program
