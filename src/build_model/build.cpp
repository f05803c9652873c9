// SPDX-License-Identifier: Apache-2.0
// Builds a model from recordings, step by step.
#include "build_model/build.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/shell.h"
#include "base/text.h"
#include "base/threads.h"
#include "build_model/conservation.h"
#include "build_model/data_decided.h"
#include "build_model/next_recording.h"
#include "build_model/ordered_counts.h"
#include "build_model/peers.h"
#include "build_model/relative_counts.h"
#include "build_model/tree.h"
#include "fit_counts/costs.h"
#include "fit_counts/counts.h"
#include "model/binding.h"
#include "model/resolved.h"
#include "model/run_options.h"
#include "model/work.h"
#include "observations/inputs.h"
#include "observations/repeats.h"
#include "observations/sessions.h"
#include "observations/slowed_runs.h"
#include "source/counts/counted_program.h"
#include "source/counts/mispredicted.h"
#include "symbolic/factor.h"

namespace parcast::program {
namespace {

using recording::CallClass;
using recording::Pattern;
using recording::Recording;

// segments with a smaller share of the computing time get the cheap fit
constexpr double kMajorShare = 0.001;

Synchronisation synchronisation_of(CallClass kind, Pattern pattern) {
  switch (kind) {
    case CallClass::receive:
    case CallClass::send_receive:
    case CallClass::wait:
    case CallClass::probe:
      return Synchronisation::neighbour;
    case CallClass::communicator:
    case CallClass::finalise:
      return Synchronisation::global;
    case CallClass::epoch:
      return pattern == Pattern::barrier ? Synchronisation::global : Synchronisation::none;
    case CallClass::collective:
      break;
    default:
      return Synchronisation::none;
  }
  switch (pattern) {
    case Pattern::broadcast:
    case Pattern::scatter:
      return Synchronisation::from_root;
    case Pattern::reduce:
    case Pattern::gather:
      return Synchronisation::to_root;
    case Pattern::neighbourhood:
    case Pattern::scan:
      return Synchronisation::neighbour;
    case Pattern::none:
      return Synchronisation::none;
    default:
      return Synchronisation::global;
  }
}

bool sends(CallClass kind) {
  return kind == CallClass::send || kind == CallClass::send_receive || kind == CallClass::start_send;
}

bool receives(CallClass kind) {
  return kind == CallClass::receive || kind == CallClass::send_receive || kind == CallClass::start_receive ||
         kind == CallClass::wait || kind == CallClass::test;
}

bool is_region_mark(CallClass kind) {
  return kind == CallClass::region_begin || kind == CallClass::region_end;
}

/// Returns the command of a program with collections (include/parcast/collections.h), whose own words choose
/// the number of processors: --collections cooperative:32. Nothing for programs that a launcher starts.
std::optional<std::vector<std::string>> with_virtual_processors(const NextRecording& next,
                                                                const Recording& like) {
  if (like.mpi_library != "Parcast collections, cooperative" &&
      like.mpi_library != "Parcast collections, threads")
    return std::nullopt;
  std::vector<std::string> words = next.command;
  for (std::string& word : words)
    for (const char* runtime : {"cooperative:", "threads:"})
      if (const auto at = word.find(runtime); at != std::string::npos) {
        const auto begin = at + std::string_view(runtime).size(),
                   end = std::min(word.find_first_not_of("0123456789", begin), word.size());
        word.replace(begin, end - begin, std::to_string(next.point.processes));
      }
  return words;
}

/// Returns a command to copy into a shell: "parcast record --param N=61 -- mpirun -n 2 ./app 61".
std::string record_line(const NextRecording& next, const std::vector<std::string>& parameters,
                        const Recording& like) {
  std::string out = "parcast record";
  for (const std::string& name : parameters)
    out += " --param " + shell_quoted(name + "=" + format_exact(next.point.parameters.at(name)));
  // By default Open MPI does not start more processes than cores. Counts are right on fewer cores too.
  if (const auto words = with_virtual_processors(next, like)) {
    out += " --";
    for (const std::string& word : *words) out += " " + shell_quoted(word);
    return out;
  }
  const bool crowded = like.cores_per_host > 0 && next.point.processes > like.cores_per_host &&
                       like.mpi_library.starts_with("Open MPI");
  out += std::string(" -- mpirun") + (crowded ? " --oversubscribe" : "") + " -n " +
         std::to_string(next.point.processes);
  for (const std::string& word : next.command) out += " " + shell_quoted(word);
  return out;
}

/// The standard requires every process to call these once.
bool is_once_by_the_standard(const std::string& call) {
  return call == "MPI_Init" || call == "MPI_Init_thread" || call == "MPI_Finalize";
}

class Builder {
 public:
  /// `structure`: of the recordings; nullptr if it is not known.
  Builder(const std::vector<Recording>& recordings, Inputs inputs, Traces traces,
          const Structure* structure = nullptr)
      : recordings_(recordings),
        inputs_(std::move(inputs)),
        traces_(std::move(traces)),
        tree_(build_tree(traces_)),
        counted_(recordings, inputs_, traces_),
        counts_(inputs_.parameters, inputs_.runs, inputs_.grids, traces_),
        relative_(inputs_.parameters, inputs_.runs, inputs_.grids, traces_, counts_) {
    if (structure) ordered_.emplace(*structure, inputs_.parameters, inputs_.runs, inputs_.grids, traces_);
  }

  Model build() {
    describe_inputs();
    add_branch(tree_.root, kNone);
    add_segments();
    add_forecasts();
    conserve(model_, last_calls());
    add_unfollowed();
    share_by_origin();
    model_.quantities = derived_quantities(model_);
    add_notices();
    for (const Notice& notice : counted_.notices()) model_.notices.push_back(notice);
    return std::move(model_);
  }

 private:
  void describe_inputs() {
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

  // Counts --------------------------------------------------------------------------------------------------

  using Around = std::vector<const Basis*>;  // innermost first

  template <class Get>
  std::vector<std::int64_t> values_of(std::int32_t key, Get get) const {
    std::vector<std::int64_t> values;
    for (const Trace& trace : traces_.traces) {
      const auto at = trace.calls.find(key);
      values.push_back(at == trace.calls.end() ? 0 : get(at->second));
    }
    return values;
  }
  template <class Get>
  Count count_of(std::int32_t key, Get get, const Around& around) {
    return relative_.build(values_of(key, get),
                           deterministic(traces_.keys[static_cast<std::size_t>(key)].call_class), around);
  }
  /// Returns regions and loops from `id` outwards, without the program.
  Around around(NodeId id) const {
    Around out;
    for (; id != kNone && model_.nodes[static_cast<std::size_t>(id)].kind != NodeKind::program;
         id = parent(id))
      out.push_back(&bases_.at(id));
    return out;
  }
  // Whether the runs show the effect of everything that a count may depend on.
  bool all_varied() const {
    return model_.processes.size() > 1 && std::ranges::all_of(model_.parameters, [](const auto& parameter) {
             return parameter.values.size() > 1;
           });
  }
  // Returns the same count. If the runs leave it open, the program's own arithmetic determines it.
  template <class Get>
  Count count_of(std::int32_t key, Get get, const Around& around, CountedProgram::Amount amount,
                 const Count* executions = nullptr) {
    Count count = count_of(key, get, around);
    if (!counted_.any() || (count.origin <= Origin::exact && all_varied())) return count;
    auto known = counted_.count_of(traces_.keys[static_cast<std::size_t>(key)], values_of(key, get), amount,
                                   executions);
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

  // A call that cannot send, such as a barrier, has no messages unless some were recorded.
  template <class Get>
  Count moved(bool possible, std::int32_t key, Get get, const Around& around,
              std::optional<CountedProgram::Amount> amount = {}, const Count* executions = nullptr) {
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

  /// Returns how often a region is entered, or a loop's body executed. In a compiled program this is the
  /// count of the first call in it that is executed equally often.
  Basis traversals(const Branch& branch, const Around& around) {
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

  /// Returns the iterations of a loop. If an inner loop begins the loop, as with a single process, the
  /// transitions into it belong to both. In that case, a call of the loop itself counts the iterations. It
  /// must be executed equally often in some traces, never more often, and wherever the loop is executed. Of
  /// several such calls, the most frequent one is used.
  std::vector<std::int64_t> iterations_of(const Branch& loop, std::vector<std::int64_t> traversed) const {
    std::vector<std::int64_t> best;
    std::int64_t most = 0;
    for (const Branch& child : loop.children) {
      if (child.kind != NodeKind::call) continue;
      std::vector<std::int64_t> values =
          values_of(child.key, [](const CallTotals& t) { return t.executions; });
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

  bool deterministic_transition(std::int32_t id) const {
    const Transition& t = traces_.transitions[static_cast<std::size_t>(id)];
    const auto fine = [&](std::int32_t key) {
      return key == kOutside || deterministic(traces_.keys[static_cast<std::size_t>(key)].call_class);
    };
    return fine(t.from) && fine(t.to);
  }

  /// The members of MPI_COMM_WORLD.
  static Count all_processes() {
    Count out;
    out.expression = processes_symbol();
    out.origin = Origin::exact;
    return out;
  }
  static Count once() {
    Count count;
    count.expression = 1;
    count.origin = Origin::exact;
    return count;
  }

  // Nodes ---------------------------------------------------------------------------------------------------

  NodeId add_branch(const Branch& branch, NodeId parent) {
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

  void describe_call(std::int32_t index, Around around, Node& node) {
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
    node.bytes = moved(
        outside || sends(key.call_class), index, [](const CallTotals& t) { return t.bytes; }, of_messages,
        Amount::bytes, &node.executions);
    node.received_bytes = moved(
        outside || receives(key.call_class), index, [](const CallTotals& t) { return t.received_bytes; },
        around);
    node.collective_bytes = moved(
        collective && key.pattern != Pattern::barrier, index,
        [](const CallTotals& t) { return t.collective_bytes; }, around, Amount::bytes, &node.executions);
    if (collective) node.members = members_of(index);
    std::vector<PeerObservation> observations;
    for (const Trace& trace : traces_.traces) {
      const auto at = trace.calls.find(index);
      if (at == trace.calls.end()) continue;
      const Run& run = inputs_.runs[trace.run];
      observations.push_back(
          {&at->second, place_at(run.parameters, run.processes, trace.rank, inputs_.grids)});
    }
    Relation relation = find_relation(observations, inputs_.grids, collective);
    node.relation = relation.relation;
    node.amounts = std::move(relation.amounts);
    if (!is_region_mark(key.call_class)) node.measured_seconds = seconds_inside(index);
  }

  // Returns the size of the communicator. For a process that does not take part, it is that of other
  // processes of its run.
  Count members_of(std::int32_t key) {
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

  // Returns seconds per execution, from recordings with a core for every process if there are any.
  double seconds_inside(std::int32_t key) const {
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

  // Segments ------------------------------------------------------------------------------------------------

  void add_segments() {
    std::vector<double> seconds(traces_.transitions.size(), 0);
    for (const Trace& trace : traces_.traces)
      for (const auto& [id, totals] : trace.transitions)
        seconds[static_cast<std::size_t>(id)] += totals.time.total;
    const double all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    std::vector<CostBuilder::RunInfo> runs;
    for (std::size_t i = 0; i < recordings_.size(); ++i)
      runs.push_back({inputs_.runs[i], recordings_[i].oversubscribed()});
    const auto costs = [&] {
      return CostBuilder(inputs_.parameters, runs, inputs_.grids, counts_.distributions(), traces_);
    };
    model_.residence = costs().residence(peak_memory());
    find_sized();
    std::vector<ToCost> to_cost;
    for (std::size_t id = 0; id < traces_.transitions.size(); ++id) {
      const Transition& t = traces_.transitions[id];
      if (t.to == kOutside) continue;  // nothing is recorded after the last call
      Segment segment;
      segment.from = t.from == kOutside ? kNone : node_of_key_.at(t.from);
      segment.to = node_of_key_.at(t.to);
      segment.owner = owner(segment.from, segment.to);
      segment.share = all > 0 ? seconds[id] / all : 0;
      segment.executions = transition_count(
          static_cast<std::int32_t>(id), segment.share >= kWorthSearching ? Effort::triples : Effort::pairs);
      const CountedWork* work = work_behind(t.from);
      to_cost.push_back({static_cast<std::int32_t>(id), segment.share >= kMajorShare, known(work),
                         repeating_parameters(segment.executions)});
      if (work) {
        if (work->streamed)
          streamed_.push_back({model_.segments.size(), t.from, *work->streamed, seconds[id]});
        for (const auto& [tier, share] : work->shares)
          if (share > 0) model_.work_by_tier[tier] += share * segment.share;
      }
      segment_seconds_.push_back(seconds[id]);
      model_.segments.push_back(std::move(segment));
    }
    std::vector<FittedSegment> fitted = add_costs(costs(), to_cost);
    if (const auto slowed = slowed_runs(fitted, points()); !slowed.empty()) {
      note_slowed(slowed, fitted);
      for (const std::size_t run : slowed) runs[run].slowed = true;
      fitted = add_costs(costs(), to_cost);
    }
    model_.between_runs = between_runs(fitted);
    model_.between_runs.unseen = unseen_deviation(sessions_);
    model_.footprint = footprint();
    share_streamed();
    add_work();
  }

  // Forecasts
  // -------------------------------------------------------------------------------------------------------

  /// Adds the computing of the complete program, and of regions and loops with a large share of it.
  void add_forecasts() {
    std::set<std::vector<double>> distinct;
    for (auto& point : points()) distinct.insert(point);
    if (distinct.size() < kFewestPoints) return;
    std::vector<NodeId> nodes;
    for (const Node& node : model_.nodes)
      if (node.kind != NodeKind::call && is_worth_a_forecast(node.id)) nodes.push_back(node.id);
    const Traces sums = computing_of(nodes);
    std::vector<CostBuilder::RunInfo> runs;
    for (std::size_t i = 0; i < recordings_.size(); ++i)
      runs.push_back({inputs_.runs[i], recordings_[i].oversubscribed(), is_slowed(i)});
    const CostBuilder costs(inputs_.parameters, runs, inputs_.grids, counts_.distributions(), sums);
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      if (!is_everywhere(sums, static_cast<std::int32_t>(k))) continue;
      Cost cost = costs.build(static_cast<std::int32_t>(k), true).cost;
      if (cost.growth->hypotheses.empty()) continue;
      model_.forecasts.push_back({nodes[k], std::move(cost.arguments), *cost.growth});
    }
  }

  bool is_slowed(std::size_t run) const {
    const auto source = std::ranges::find(inputs_.order, run) - inputs_.order.begin();
    return model_.sources[static_cast<std::size_t>(source)].slowed;
  }

  /// Whether several segments in the node have a large share of the computing, and the node around it has
  /// others.
  bool is_worth_a_forecast(NodeId id) const {
    double inside = 0, around = 0;
    std::size_t segments = 0;
    for (const Segment& segment : model_.segments) {
      if (contains(id, segment.owner)) inside += segment.share, ++segments;
      if (id != 0 && contains(parent(id), segment.owner)) around += segment.share;
    }
    return segments > 1 && inside >= kLeastShareOfAForecast &&
           (id == 0 || inside < kMostShareInside * around);
  }

  bool contains(NodeId outer, NodeId inner) const {
    while (inner != kNone && inner != outer) inner = parent(inner);
    return inner == outer;
  }

  /// The computing in each node, by trace, as one execution of a transition with the node's index.
  Traces computing_of(const std::vector<NodeId>& nodes) const {
    Traces out;
    out.transitions.resize(nodes.size());
    for (const Trace& trace : traces_.traces) {
      out.traces.push_back({.run = trace.run, .rank = trace.rank, .complete = trace.complete});
      for (const auto& [id, totals] : trace.transitions) {
        const Transition& t = traces_.transitions[static_cast<std::size_t>(id)];
        if (t.to == kOutside) continue;
        const NodeId inside =
            owner(t.from == kOutside ? kNone : node_of_key_.at(t.from), node_of_key_.at(t.to));
        for (std::size_t k = 0; k < nodes.size(); ++k) {
          if (!contains(nodes[k], inside)) continue;
          TransitionTotals& sum = out.traces.back().transitions[static_cast<std::int32_t>(k)];
          const auto times = static_cast<double>(totals.time.count);
          sum.traversals = sum.time.count = 1;
          sum.time.mean += totals.time.mean * times + totals.time.first_extra;
          sum.time.total += totals.time.total;
          sum.time.standard_error = std::hypot(sum.time.standard_error, totals.time.standard_error * times);
        }
      }
    }
    return out;
  }

  bool is_everywhere(const Traces& sums, std::int32_t node) const {
    return std::ranges::all_of(
        sums.traces, [&](const Trace& trace) { return !trace.complete || trace.transitions.contains(node); });
  }

  struct ToCost {
    std::int32_t transition = 0;
    bool major = false;
    std::optional<CostBuilder::KnownWork> work;
    std::vector<bool> repeats;  // by parameter: it only repeats the segment
  };

  /// By parameter: whether the number of executions depends on it, and the size of no message does.
  std::vector<bool> repeating_parameters(const Count& executions) const {
    std::vector<bool> out;
    if (executions.origin > Origin::ambiguous) return out;
    const auto depends = [](const symbolic::Expression& on, const std::string& name) {
      return std::ranges::any_of(free_symbols(on),
                                 [&](const symbolic::Expression& symbol) { return symbol.name() == name; });
    };
    for (const std::string& name : inputs_.parameters)
      out.push_back(depends(executions.expression, name) && !sized_.contains(name));
    return out;
  }

  /// Finds the parameters on which the size of a message, or a block of a distribution, depends.
  void find_sized() {
    for (const Node& node : model_.nodes)
      for (const Count* bytes : {&node.bytes, &node.received_bytes, &node.collective_bytes}) {
        const auto size =
            quotient(bytes->expression, node.messages.expression.is_zero() ? node.executions.expression
                                                                           : node.messages.expression);
        for (const symbolic::Expression& symbol : free_symbols(size ? *size : bytes->expression))
          sized_.insert(symbol.name());
      }
    for (const Factor& factor : counts_.distributions())
      sized_.insert(inputs_.parameters[static_cast<std::size_t>(factor.parameter)]);
  }

  /// Sets the costs of the model's segments; `to_cost` has one entry per segment.
  std::vector<FittedSegment> add_costs(const CostBuilder& costs, const std::vector<ToCost>& to_cost) {
    disturbed_share_ = missed_share_ = missed_ = 0;
    std::vector<CostBuilder::Built> all(to_cost.size());
    for_each_index(to_cost.size(), 0, [&](std::size_t s) {
      const ToCost& each = to_cost[s];
      all[s] = costs.build(each.transition, each.major, each.work, each.repeats);
    });
    std::vector<FittedSegment> fitted;
    for (std::size_t s = 0; s < to_cost.size(); ++s) {
      Segment& segment = model_.segments[s];
      CostBuilder::Built& built = all[s];
      segment.cost = std::move(built.cost);
      fitted.push_back(std::move(built.fitted));
      if (built.disturbed) disturbed_share_ += segment.share;
      if (const double missed = segment.cost.growth->residual_relative_error; missed > kMissed)
        missed_share_ += segment.share, missed_ = std::max(missed_, missed);
    }
    return fitted;
  }

  std::vector<std::vector<double>> points() const {
    std::vector<std::vector<double>> out;
    for (const Run& run : inputs_.runs) {
      out.push_back(run.parameters);
      out.back().push_back(run.processes);
    }
    return out;
  }

  void note_slowed(const std::vector<std::size_t>& slowed, const std::vector<FittedSegment>& fitted) {
    double given = 0, extra = 0;
    for (const FittedSegment& segment : fitted)
      for (const auto* runs : {&segment.deviations, &segment.crowded})
        for (const SegmentDeviation& each : *runs)
          if (each.run == slowed.front()) given += each.seconds, extra += each.seconds * each.relative;
    for (std::size_t k = 0; k < model_.sources.size(); ++k)
      model_.sources[k].slowed = std::ranges::find(slowed, inputs_.order[k]) != slowed.end();
    const std::string more = slowed.size() > 1 ? " (the first of " + std::to_string(slowed.size()) + ")" : "";
    note("slowed-run",
         describe(recordings_[slowed.front()]) + more + " computes " +
             format_significant(1 + extra / given, 2) +
             " times as long as the others give for it: its times are left out, its counts are kept",
         "record it again on a quiet machine");
  }

  static std::optional<CostBuilder::KnownWork> known(const CountedWork* work) {
    if (!work || !work->weighted) return std::nullopt;
    const auto share = [&](CountTier tier) {
      const auto at = work->shares.find(tier);
      return at == work->shares.end() ? 0 : at->second;
    };
    return CostBuilder::KnownWork{*work->weighted, share(CountTier::constant), share(CountTier::measured),
                                  work->alternatives, work->advice};
  }

  // Returns the work of the program's own code after a call, if the program was compiled to count.
  const CountedWork* work_behind(std::int32_t key) {
    if (!counted_.any()) return nullptr;
    const auto [at, fresh] = work_.try_emplace(key);
    if (fresh) {
      std::optional<symbolic::Expression> executions;
      if (key != kOutside) {
        const Count& count = model_.nodes[static_cast<std::size_t>(node_of_key_.at(key))].executions;
        if (count.origin <= Origin::ambiguous) executions = count.expression;
      }
      at->second = counted_.behind(key, executions);
    }
    return at->second ? &*at->second : nullptr;
  }
  // The bytes streamed after a call are known per execution of the call. They are divided among the segments
  // that follow it in proportion to their times.
  void share_streamed() {
    std::map<std::int32_t, double> seconds;
    for (const Streamed& each : streamed_) seconds[each.from] += each.seconds;
    for (const Streamed& each : streamed_) {
      if (!(seconds[each.from] > 0)) continue;
      Segment& segment = model_.segments[each.segment];
      if (segment.executions.expression.is_zero()) continue;
      const symbolic::Expression executions =
          each.from == kOutside
              ? symbolic::Expression(1)
              : model_.nodes[static_cast<std::size_t>(node_of_key_.at(each.from))].executions.expression;
      const double part = each.seconds / seconds[each.from];
      const symbolic::Expression per_segment = executions / segment.executions.expression;
      const symbolic::Expression bytes =
          (part == 1 ? symbolic::Expression(1) : symbolic::real(part)) * each.bytes * per_segment;
      // Processes that never execute the segment stream nothing; a division by zero is avoided.
      segment.cost.streamed =
          per_segment.is_number() ? bytes : symbolic::conditional(-segment.executions.expression, 0, bytes);
    }
  }
  void add_work() {
    // once in hundreds of rounds: checks of arguments, first rounds
    constexpr double kRarelyMispredicted = 0.001;
    std::map<std::pair<facts::FunctionPlace, int>, std::int32_t> numbers, turns;
    for (const auto& [key, counted] : work_) {
      if (!counted) continue;
      Work work;
      symbolic::Expression executions = 1;
      if (key != kOutside) {
        work.from = node_of_key_.at(key);
        executions = model_.nodes[static_cast<std::size_t>(work.from)].executions.expression;
      }
      for (const BlockCount& block : counted->blocks) {
        const auto [at, fresh] = numbers.try_emplace({block.function, block.block},
                                                     static_cast<std::int32_t>(model_.blocks.size()));
        if (fresh) model_.blocks.push_back(counted_.described(block.function, block.block));
        const symbolic::Expression count = counted_.decided(block.per_visit * executions);
        work.blocks.push_back({at->second, count, block.tier});
        const double part = counted_.mispredicted(block.function, block.block);
        if (part < kRarelyMispredicted) continue;
        work.blocks.push_back({turn_of(block, turns), symbolic::real(part) * count, CountTier::measured});
      }
      model_.work.push_back(std::move(work));
    }
  }
  // Returns the number of a separate block for mispredicted branches at the end of a block.
  std::int32_t turn_of(const BlockCount& block,
                       std::map<std::pair<facts::FunctionPlace, int>, std::int32_t>& numbers) {
    const auto [at, fresh] =
        numbers.try_emplace({block.function, block.block}, static_cast<std::int32_t>(model_.blocks.size()));
    if (fresh) {
      model_.blocks.push_back(counted_.described(block.function, block.block));
      model_.blocks.back().operations = {{kMispredicted, 1}};
      model_.blocks.back().packed.clear();
    }
    return at->second;
  }
  std::optional<symbolic::Expression> footprint() const {
    std::vector<CountedWork> all;
    for (const auto& [key, work] : work_)
      if (work) all.push_back(*work);
    return counted_.footprint(all);
  }

  std::vector<double> peak_memory() const {
    std::vector<double> bytes;
    for (const Trace& trace : traces_.traces) {
      bytes.push_back(0);
      for (const auto& rank : recordings_[trace.run].ranks)
        if (rank.rank == trace.rank) bytes.back() = static_cast<double>(rank.peak_memory);
    }
    return bytes;
  }

  Count transition_count(std::int32_t id, Effort effort) {
    Count count = transition_by_values(id, effort);
    if (count.origin <= Origin::exact || !ordered_) return count;
    auto found = ordered_->traversals(id, traversals_of(id));
    return found ? before_others(*std::move(found), count) : count;
  }

  /// Puts the count from the order of operations before the formulas of the totals, if it is not exact.
  static Count before_others(Count ordered, Count of_totals) {
    if (ordered.origin <= Origin::exact || of_totals.origin > Origin::ambiguous) return ordered;
    std::vector<symbolic::Expression> others{of_totals.expression};
    others.insert(others.end(), of_totals.alternatives.begin(), of_totals.alternatives.end());
    std::erase(others, ordered.expression);
    of_totals.expression = ordered.expression, of_totals.origin = Origin::ambiguous;
    of_totals.alternatives = std::move(others);
    return of_totals;
  }

  std::vector<std::int64_t> traversals_of(std::int32_t id) const {
    std::vector<std::int64_t> values;
    for (const Trace& trace : traces_.traces) {
      const auto at = trace.transitions.find(id);
      values.push_back(at == trace.transitions.end() ? 0 : at->second.traversals);
    }
    return values;
  }

  Count transition_by_values(std::int32_t id, Effort effort) {
    const std::vector<std::int64_t> values = traversals_of(id);
    const Transition& t = traces_.transitions[static_cast<std::size_t>(id)];
    if (!deterministic_transition(id)) return counts_.build(values, false, effort);
    Around ends;
    for (const std::int32_t key : {t.to, t.from})
      if (key != kOutside) ends.push_back(&bases_.at(node_of_key_.at(key)));
    Around entries;
    if (t.from != kOutside && t.to != kOutside)
      for (NodeId n = owner(node_of_key_.at(t.from), node_of_key_.at(t.to)); n != kNone; n = parent(n))
        entries.push_back(&bases_.at(n));
    if (std::ranges::none_of(ends, [&](const Basis* end) { return end->values == values; }))
      if (auto fewer = relative_.difference(values, ends, entries)) return *std::move(fewer);
    Around all = ends;
    for (const Basis* basis : entries)
      if (basis != &bases_.at(0)) all.push_back(basis);
    return relative_.build(values, true, all, effort);
  }

  // Returns the innermost region or loop around both.
  NodeId owner(NodeId a, NodeId b) const {
    std::set<NodeId> above;
    if (a == kNone) return 0;
    for (NodeId n = parent(a); n != kNone; n = parent(n)) above.insert(n);
    NodeId n = parent(b);
    while (n != kNone && !above.contains(n)) n = parent(n);
    return n == kNone ? 0 : n;
  }
  NodeId parent(NodeId id) const { return model_.nodes[static_cast<std::size_t>(id)].parent; }

  std::set<NodeId> last_calls() const {
    std::set<NodeId> out;
    for (const Transition& t : traces_.transitions)
      if (t.to == kOutside && t.from != kOutside) out.insert(node_of_key_.at(t.from));
    return out;
  }

  void add_unfollowed() {
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

  // Origins of the recorded time ----------------------------------------------------------------------------

  void share_by_origin() {
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

  void add_notices() {
    const Design& design = counts_.design();
    for (std::size_t v = 0; v < design.variables(); ++v) {
      const std::string name = design.variable_name(v);
      const auto values = design.values(v);
      if (values.size() == 1)
        note("never-varied",
             name + " is " + format_exact(values[0]) +
                 " in every recording, so nothing is known of its effect" +
                 (counted_.any() ? " except through the program's own code" : ""),
             "record at another " + name);
    }
    if (recordings_.size() == 1)
      note("single-recording",
           counted_.any() ? "the model rests on one recording: computing times are scaled by what the "
                            "program's own code does"
                          : "the model rests on one recording: computing times are scaled by nothing",
           counted_.any() ? "record a second size, and a third to confirm"
                          : "record a second size, and a third to confirm, or compile the program by parcast "
                            "cc, cxx or fc with -O1 or more: one run then shows how its loops grow");
    if (disturbed_share_ > 0.05)
      note("crowded-costs",
           format_significant(100 * disturbed_share_, 2) + " % of the computing time " +
               (std::ranges::all_of(recordings_, &Recording::oversubscribed)
                    ? "is known only from recordings with more processes than cores"
                    : "rests partly on recordings with more processes than cores, which slows it"),
           "record with at most as many processes as cores");
    if (missed_share_ > 0.1)
      note("missed-costs",
           format_significant(100 * missed_share_, 2) +
               " % of the computing time fits no growth law: recorded times and those of the model differ by "
               "up to " +
               format_significant(100 * missed_, 2) + " %",
           "record with a parameter of which the time is a power, e.g. 2^levels for a number of levels, or a "
           "file's size");
    const double fitted = model_.share_by_origin["fitted"];
    if (fitted > 0.01)
      note("fitted-counts",
           format_significant(100 * fitted, 2) +
               " % of the recorded time is executed a number of times that no exact formula gives",
           "");
    if (counted_.any()) note_data_decided();
    if (const auto next = next_recording(model_, recorded_shares_, recordings_)) {
      std::vector<std::string> names;
      for (const Parameter& parameter : model_.parameters) names.push_back(parameter.name);
      note("next-run",
           "one recording at " + point_text(next->point, names) + " would separate most alternatives: " +
               format_significant(100 * next->share, 2) + " % of the time rests on ambiguous counts",
           next->command.empty() ? "" : record_line(*next, names, recordings_[inputs_.order.front()]));
    }
    if (auto unseen = unseen_notice(sessions_, recordings_.size()))
      model_.notices.push_back(*std::move(unseen));
    if (auto unlike = unlike_repeats(inputs_, traces_)) model_.notices.push_back(*std::move(unlike));
  }

  void note_data_decided() {
    std::vector<std::string> unvaried;
    for (const Parameter& parameter : model_.parameters)
      if (parameter.values.size() == 1) unvaried.push_back(parameter.name);
    for (const DataDecided& each : data_decided_loops(model_))
      note("data-decided",
           "the loop at " + each.where + " runs as long as the data decide: " +
               format_significant(100 * each.share, 2) + " % of the computing is in it",
           unvaried.empty()
               ? ""
               : "record at other values of " + join(unvaried, ", ") + ", so that its growth is seen");
  }

  void note(std::string code, std::string text, std::string hint) {
    model_.notices.push_back({std::move(code), std::move(text), std::move(hint)});
  }

  const std::vector<Recording>& recordings_;
  Inputs inputs_;
  const Sessions sessions_ = sessions(recordings_, inputs_.runs);
  Traces traces_;
  Tree tree_;
  CountedProgram counted_;
  struct Streamed {
    std::size_t segment = 0;
    std::int32_t from = kOutside;
    symbolic::Expression bytes;  // per execution of the call
    double seconds = 0;
  };
  std::vector<Streamed> streamed_;
  std::map<std::int32_t, std::optional<CountedWork>> work_;  // by key of the call before
  CountBuilder counts_;
  RelativeCounts relative_;
  std::optional<OrderedCounts> ordered_;
  std::map<NodeId, Basis> bases_;  // executions of nodes
  Model model_;
  std::map<std::int32_t, NodeId> node_of_key_;
  std::vector<double> segment_seconds_;
  std::set<std::string> sized_;  // see find_sized()
  RecordedShares recorded_shares_;
  static constexpr double kWorthSearching =
      0.001;  // share of the computing: most segments of an irregular code are below
  static constexpr std::size_t kFewestPoints = 3;         // of a forecast
  static constexpr double kLeastShareOfAForecast = 0.05;  // of the computing
  static constexpr double kMostShareInside =
      0.95;  // of the node around it; with more, it is the same forecast
  static constexpr double kMissed =
      0.5;  // relative: recorded times differ so much from what the formula gives
  double disturbed_share_ = 0, missed_share_ = 0, missed_ = 0;
};

}  // namespace

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
