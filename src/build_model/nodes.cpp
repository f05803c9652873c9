// SPDX-License-Identifier: Apache-2.0
// The tree of a model: regions, loops and calls with their counts.
#include <algorithm>
#include <numeric>

#include "build_model/builder.h"
#include "build_model/call_roles.h"
#include "build_model/data_decided.h"
#include "build_model/nodes_around.h"
#include "build_model/peers.h"
#include "model/binding.h"
#include "observations/repeats.h"

namespace parcast::program {

using recording::CallClass;
using recording::Pattern;

std::vector<std::int64_t> Builder::values_of(std::int32_t key, ReadTotals get) const {
  std::vector<std::int64_t> values;
  for (const Trace& trace : traces_.traces) {
    const auto at = trace.calls.find(key);
    values.push_back(at == trace.calls.end() ? 0 : get(at->second));
  }
  return values;
}
Count Builder::count_of(std::int32_t key, ReadTotals get, const Around& around) {
  return relative_.build(values_of(key, get),
                         deterministic(traces_.keys[static_cast<std::size_t>(key)].call_class), around);
}
Builder::Around Builder::around(NodeId id) const {
  Around out;
  for (; id != kNone && model_.nodes[static_cast<std::size_t>(id)].kind != NodeKind::program;
       id = parent_of(model_, id))
    out.push_back(&bases_.at(id));
  return out;
}
bool Builder::all_varied() const {
  return model_.processes.size() > 1 && std::ranges::all_of(model_.parameters, [](const auto& parameter) {
           return parameter.values.size() > 1;
         });
}
Count Builder::count_of(std::int32_t key, ReadTotals get, const Around& around, CountedProgram::Amount amount,
                        const Count* executions) {
  Count count = count_of(key, get, around);
  if (!counted_.any() || (count.origin <= Origin::exact && all_varied())) return count;
  auto known =
      counted_.count_of(traces_.keys[static_cast<std::size_t>(key)], values_of(key, get), amount, executions);
  if (!known)
    return amount == CountedProgram::Amount::executions
               ? with_unvaried_sizes(std::move(count), model_.parameters)
               : count;
  // Prefer an equivalent alternative of the runs, whose expression is shorter.
  std::vector<symbolic::Expression> candidates{count.expression};
  candidates.insert(candidates.end(), count.alternatives.begin(), count.alternatives.end());
  for (const symbolic::Expression& candidate : candidates)
    if (counted_.same_elsewhere(candidate, known->expression)) {
      known->expression = candidate;
      return *std::move(known);
    }
  known->expression = counted_.shortened(known->expression);
  return *std::move(known);
}

Count Builder::moved(bool possible, std::int32_t key, ReadTotals get, const Around& around,
                     std::optional<CountedProgram::Amount> amount, const Count* executions) {
  const bool any =
      possible || std::any_of(traces_.traces.begin(), traces_.traces.end(), [&](const Trace& trace) {
        const auto at = trace.calls.find(key);
        return at != trace.calls.end() && get(at->second) != 0;
      });
  if (any) return amount ? count_of(key, get, around, *amount, executions) : count_of(key, get, around);
  Count none;
  none.origin = Origin::exact;
  return none;
}

Basis Builder::traversals(const Branch& branch, const Around& around) {
  const std::vector<std::vector<std::int32_t>>& counted = branch.counted;
  std::vector<std::int64_t> values;
  bool certain = true;
  for (std::size_t t = 0; t < traces_.traces.size(); ++t) {
    std::int64_t sum = 0;
    for (const std::int32_t id : counted[tree_.kind_of[t]]) {
      const auto at = traces_.traces[t].transitions.find(id);
      if (at != traces_.traces[t].transitions.end()) sum += at->second.traversals;
      certain = certain && deterministic_transition(id);
    }
    values.push_back(sum);
  }
  if (branch.kind == NodeKind::loop) values = iterations_of(branch, std::move(values));
  const auto executions = [](const CallTotals& t) { return t.executions; };
  if (counted_.any())
    for (const Branch& child : branch.children)
      if (child.kind == NodeKind::call && values_of(child.key, executions) == values)
        return {values, count_of(child.key, executions, around, CountedProgram::Amount::executions)};
  Count count = relative_.build(values, certain, around);
  return {std::move(values), std::move(count)};
}

std::vector<std::int64_t> Builder::iterations_of(const Branch& loop,
                                                 std::vector<std::int64_t> traversed) const {
  std::vector<std::int64_t> best;
  std::int64_t most = 0;
  for (const Branch& child : loop.children) {
    if (child.kind != NodeKind::call) continue;
    std::vector<std::int64_t> values = values_of(child.key, [](const CallTotals& t) { return t.executions; });
    bool fits = true, equal = false;
    for (std::size_t t = 0; t < values.size() && fits; ++t) {
      fits = values[t] <= traversed[t] && (values[t] > 0 || traversed[t] == 0);
      equal = equal || (values[t] == traversed[t] && values[t] > 0);
    }
    const std::int64_t sum = std::accumulate(values.begin(), values.end(), std::int64_t{0});
    if (fits && equal && sum > most) most = sum, best = std::move(values);
  }
  return best.empty() ? std::move(traversed) : std::move(best);
}

bool Builder::deterministic_transition(std::int32_t id) const {
  const Transition& t = traces_.transitions[static_cast<std::size_t>(id)];
  const auto fine = [&](std::int32_t key) {
    return key == kOutside || deterministic(traces_.keys[static_cast<std::size_t>(key)].call_class);
  };
  return fine(t.from) && fine(t.to);
}

Count Builder::all_processes() {
  Count out;
  out.expression = processes_symbol();
  out.origin = Origin::exact;
  return out;
}
Count Builder::once() {
  Count count;
  count.expression = 1;
  count.origin = Origin::exact;
  return count;
}

NodeId Builder::add_branch(const Branch& branch, NodeId parent) {
  const auto id = static_cast<NodeId>(model_.nodes.size());
  model_.nodes.emplace_back();
  Node node;
  node.id = id;
  node.parent = parent;
  node.kind = branch.kind;
  node.label = branch.kind == NodeKind::program ? model_.program : branch.name;
  model_.nodes[static_cast<std::size_t>(id)].kind = branch.kind;
  model_.nodes[static_cast<std::size_t>(id)].parent = parent;
  if (branch.kind == NodeKind::call) {
    describe_call(branch.key, around(parent), node);
    node_of_key_[branch.key] = id;
    bases_[id] = {values_of(branch.key, [](const CallTotals& t) { return t.executions; }), node.executions};
  } else {
    bases_[id] = branch.kind == NodeKind::program
                     ? Basis{std::vector<std::int64_t>(traces_.traces.size(), 1), once()}
                     : traversals(branch, around(parent));
    node.executions = bases_[id].count;
  }
  for (const Branch& child : branch.children) node.children.push_back(add_branch(child, id));
  model_.nodes[static_cast<std::size_t>(id)] = std::move(node);
  return id;
}

void Builder::describe_call(std::int32_t index, Around around, Node& node) {
  const CallKey& key = traces_.keys[static_cast<std::size_t>(index)];
  node.label = key.name;
  node.where = key.where;
  node.call_class = key.call_class;
  node.pattern = key.pattern;
  node.synchronisation = synchronisation_of(key.call_class, key.pattern);
  using Amount = CountedProgram::Amount;
  const auto executions = [](const CallTotals& t) { return t.executions; };
  const bool one =
      is_once_by_the_standard(key.name) &&
      std::ranges::all_of(values_of(index, executions), [](std::int64_t times) { return times == 1; });
  node.executions = one ? once() : count_of(index, executions, around, Amount::executions);
  if (node.executions.origin > Origin::exact && ordered_)
    if (auto found = ordered_->executions(index, values_of(index, executions)))
      node.executions = before_others(*std::move(found), node.executions);
  const Basis calls{values_of(index, executions), node.executions};
  around.insert(around.begin(), &calls);
  const bool collective =
      key.call_class == CallClass::collective || key.call_class == CallClass::start_collective;
  const auto messages = [](const CallTotals& t) { return t.messages; };
  node.messages = moved(sends(key.call_class), index, messages, around);
  const Basis sent{values_of(index, messages), node.messages};
  Around of_messages = around;
  of_messages.insert(of_messages.begin(), &sent);
  const bool outside = key.call_class == CallClass::one_sided || key.call_class == CallClass::input_output;
  const auto sized = [&](bool possible, ReadTotals get, const Around& in, std::optional<Amount> amount) {
    Count count = moved(possible, index, get, in, amount, amount ? &node.executions : nullptr);
    return relative_.by_size(std::move(count), values_of(index, get), *in.front());
  };
  node.bytes = sized(
      outside || sends(key.call_class), [](const CallTotals& t) { return t.bytes; }, of_messages,
      Amount::bytes);
  node.received_bytes = sized(outside || receives(key.call_class),
                              [](const CallTotals& t) { return t.received_bytes; }, around, {});
  node.collective_bytes = sized(
      collective && key.pattern != Pattern::barrier, [](const CallTotals& t) { return t.collective_bytes; },
      around, Amount::bytes);
  if (collective) node.members = members_of(index);
  std::vector<PeerObservation> observations;
  for (const Trace& trace : traces_.traces) {
    const auto at = trace.calls.find(index);
    if (at == trace.calls.end()) continue;
    const Run& run = inputs_.runs[trace.run];
    observations.push_back({&at->second, place_at(run.parameters, run.processes, trace.rank, inputs_.grids)});
  }
  Relation relation = find_relation(observations, inputs_.grids, collective);
  node.relation = relation.relation;
  node.amounts = std::move(relation.amounts);
  if (!is_region_mark(key.call_class)) node.measured_seconds = seconds_inside(index);
}

Count Builder::members_of(std::int32_t key) {
  std::vector<std::int64_t> values;
  std::map<std::size_t, std::int64_t> of_run;
  bool same = true, in_world = true;
  for (const Trace& trace : traces_.traces) {
    const auto at = trace.calls.find(key);
    if (at == trace.calls.end()) continue;
    of_run[trace.run] = at->second.most_members;
    in_world = in_world && at->second.in_world;
    same = same && at->second.least_members == at->second.most_members;
  }
  if (in_world) return all_processes();
  for (const Trace& trace : traces_.traces) {
    const auto at = trace.calls.find(key);
    const auto other = of_run.find(trace.run);
    values.push_back(at != trace.calls.end() ? at->second.most_members
                     : other != of_run.end() ? other->second
                                             : inputs_.runs[trace.run].processes);
  }
  return counts_.build(values, same);
}

double Builder::seconds_inside(std::int32_t key) const {
  double seconds[2] = {0, 0}, executions[2] = {0, 0};
  for (const Trace& trace : traces_.traces) {
    const auto at = trace.calls.find(key);
    if (at == trace.calls.end()) continue;
    const bool crowded = recordings_[trace.run].oversubscribed();
    seconds[crowded] += at->second.seconds;
    executions[crowded] += static_cast<double>(at->second.executions);
  }
  const int use = executions[0] > 0 ? 0 : 1;
  return executions[use] > 0 ? seconds[use] / executions[use] : 0;
}

}  // namespace parcast::program
