// SPDX-License-Identifier: Apache-2.0
#include "predict/equation/contributions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "machine/memory.h"
#include "model/binding.h"
#include "predict/dependence/classify.h"
#include "predict/dependence/extreme.h"
#include "predict/equation/footprint.h"
#include "predict/equation/growth_expression.h"
#include "predict/equation/index.h"
#include "recording/uneven.h"

namespace parcast::predict {
namespace {

using machine::CommunicationCost;
using machine::Side;
using program::Count;
using program::kNone;
using program::Model;
using program::Node;
using program::NodeId;
using program::NodeKind;
using program::Segment;
using program::Synchronisation;
using recording::CallClass;
using symbolic::Expression;
using symbolic::Rational;
using symbolic::SymbolKind;

// 1 with more than one process, otherwise 0: a single process does not wait.
Expression several() {
  return conditional(program::processes_symbol() - Expression(2), Expression(1), Expression(0));
}

// Returns the speed of the recordings' cores relative to the machine's cores; 1 when a speed is unknown.
Expression slowness(const machine::Machine& machine, const Question& question) {
  const double target = machine.core_speed.value;
  if (!(target > 0)) return 1;
  const double recorded = question.recorded_machine ? question.recorded_machine->core_speed.value : target;
  if (!(recorded > 0)) return 1;
  return symbolic::real(recorded) / symbol("core_speed", SymbolKind::machine_cost);
}

/// Returns 1 when a call's partner is another process, 0 when it is the process itself.
Expression to_others(const Node& node) {
  const auto unless_it_goes_round = [](std::int64_t distance, const Expression& processes) {
    const std::int64_t far = std::abs(distance);
    return conditional(
        far == 1 ? processes - Expression(2) : modulo(Expression(far), processes) - Expression(1),
        Expression(1), Expression(0));
  };
  switch (node.relation) {
    case program::PeerRelation::offset:
    case program::PeerRelation::exclusive_or:
      return node.amounts[0] == 0 ? 0 : 1;
    case program::PeerRelation::offset_ring:
      return unless_it_goes_round(node.amounts[0], program::processes_symbol());
    case program::PeerRelation::grid_shift:
      return unless_it_goes_round(node.amounts[1], program::extent_symbol(static_cast<int>(node.amounts[2]),
                                                                          static_cast<int>(node.amounts[0])));
    default:
      return 1;
  }
}

/// Returns the messages that a receive or wait receives, weighted by `weight` of each receiving call.
Expression messages_taken_in(const Model& model, NodeId id, Expression (*weight)(const Node&)) {
  const auto taken = [&](NodeId call) {
    const Node& node = model.nodes[index(call)];
    return node.executions.expression * weight(node);
  };
  const Node& node = model.nodes[index(id)];
  if (node.call_class == CallClass::receive) return taken(id);
  if (node.call_class != CallClass::wait || node.received_bytes.expression.is_zero()) return 0;
  // A receive is completed by the next wait after it in the loop that completes receives.
  const std::vector<NodeId> calls = dependence::calls_below(model, enclosing_loop(model, id));
  const auto here = std::find(calls.begin(), calls.end(), id);
  const auto completes = [&](NodeId call) {
    return model.nodes[index(call)].call_class == CallClass::wait &&
           !model.nodes[index(call)].received_bytes.expression.is_zero();
  };
  Expression sum;
  bool any = false;
  const auto add = [&](NodeId call) {
    if (model.nodes[index(call)].call_class == CallClass::start_receive) sum = sum + taken(call), any = true;
  };
  for (auto call = here; call != calls.begin();) {
    --call;
    if (completes(*call)) break;
    add(*call);
  }
  const bool first = std::none_of(calls.begin(), here, completes);
  if (first)  // receives after the loop's last wait are completed by the first wait of the next iteration
    for (auto call = calls.end(); call != here;) {
      --call;
      if (completes(*call)) break;
      add(*call);
    }
  return any ? sum : node.executions.expression;
}

class Builder {
 public:
  Builder(const Model& model, const Layout& layout, const machine::Machine& machine, const Question& question,
          const std::string& link, std::span<const Expression> factors)
      : model_(model),
        layout_(layout),
        machine_(machine),
        placed_(machine),
        link_(link),
        factors_(factors),
        slowness_(slowness(machine, question)) {
    out_.link = link;
    placed_.cores_per_node =
        std::max(1, question.ranks_per_node.value_or(machine.cores_per_node / std::max(1, question.threads)));
    const auto chained = dependence::classify(model, 0).receives;
    chained_.insert(chained.begin(), chained.end());
    measure_footprint(streaming_cores(machine, question));
  }

  Contributions build() {
    for (std::size_t s = 0; s < model_.segments.size(); ++s) add_segment(s);
    for (const Node& node : model_.nodes)
      if (node.kind == NodeKind::call) add_call(node);
    add_noise();
    note_symbols();
    return std::move(out_);
  }

 private:
  /// Seconds of one execution on the machine of the recordings.
  Expression seconds_of(std::size_t s) const {
    const program::Cost& cost = model_.segments[s].cost;
    const Expression fitted = growth_expression(cost.growth, cost.arguments);
    return factors_.empty() ? fitted : fitted * factors_[s];
  }

  // Omits contributions of 0, unless another formula for their count may differ.
  void add(Contribution c) {
    if (!c.term.seconds.is_zero() || (c.count && !c.count->alternatives.empty() && !c.per_count.is_zero()))
      out_.all.push_back(std::move(c));
  }

  void add_segment(std::size_t s) {
    const Segment& segment = model_.segments[s];
    Contribution c;
    c.term.node = segment.owner == kNone ? 0 : segment.owner;
    c.term.segment = static_cast<std::int32_t>(s);
    Expression executions = segment.executions.expression;
    // A longer first execution (cold caches, first touch) counts as that many additional executions.
    if (segment.cost.first_excess > 0)
      executions = executions + conditional(executions - Expression(1),
                                            symbolic::real(segment.cost.first_excess), Expression(0));
    const Expression once = seconds_of(s);
    c.per_count = once * slowness_;
    c.term.seconds = executions * c.per_count;
    c.term.origin = segment.executions.origin;
    c.term.cost_origin = segment.cost.origin;
    c.interval = layout_.interval_of_segment[s];
    c.phase = layout_.phase_of_segment[s];
    c.count = &segment.executions;
    add(c);
    add_streaming(c, once, segment.cost.streamed);
    c.term.part = Term::Part::wait;
    const Expression imbalance = symbolic::real(std::max(0.0, segment.cost.imbalance)) * several();
    c.term.seconds = c.term.seconds * imbalance;
    c.per_count = c.per_count * imbalance;
    add(c);
  }

  // Adds the time of computing on data that have left a cache which held them in the recordings. Computing
  // hides the streaming of data as far as possible (docs/models/memory.md, equations 4 to 6).
  void add_streaming(Contribution c, const Expression& once, const std::optional<Expression>& streamed) {
    if (!(recorded_footprint_ > 0) || !(recorded_streaming_ > 0) || (model_.footprint && !streamed)) return;
    const Expression ratio = max(streaming_ / symbolic::real(recorded_streaming_), Expression(1));
    if (ratio == Expression(1)) return;
    const auto part = [&](const Expression& bytes, const Expression& seconds) {
      return min(Expression(1),
                 bytes * symbolic::real(recorded_streaming_) / max(seconds, symbolic::real(1e-12)));
    };
    const Expression share = streamed
                                 ? part(*streamed, once)
                                 : part(symbolic::real(recorded_footprint_), substitute(once, largest_run_));
    const Expression load = share * ratio;
    const Expression beyond = max(load - Expression(1), Expression(0));
    const Expression slower = streamed ? beyond : beyond * beyond / (Expression(2) * load);
    c.term.part = Term::Part::memory;
    c.at_most = c.term.seconds * share * (ratio - Expression(1));
    c.term.seconds = c.term.seconds * slower;
    c.per_count = c.per_count * slower;
    c.term.cost_origin = Origin::assumed;
    add(std::move(c));
  }

  // Sets the data of a process, and the time to stream them on this machine. The data are the arrays that its
  // code accesses, or the resident memory that grew in the recordings.
  void measure_footprint(std::int32_t cores) {
    if (machine_.working_sets.empty()) return;
    const std::optional<Expression> footprint = footprint_of(model_);
    if (!footprint) return;
    streaming_ = machine::streaming_seconds(machine_, *footprint, cores);
    for (const program::Source& source : model_.sources) {
      const auto binding = program::bind(model_, {source.parameters, source.processes}, 0);
      const auto bytes = binding ? symbolic::evaluate(*footprint, *binding) : Result<double>(0.0);
      if (!bytes || *bytes <= recorded_footprint_) continue;
      recorded_footprint_ = *bytes;
      const auto streaming = symbolic::evaluate(streaming_, *binding);
      recorded_streaming_ = streaming ? *streaming : 0;
      largest_run_.clear();
      for (const auto& [name, value] : *binding) largest_run_.emplace(name, symbolic::real(value));
    }
  }

  void add_cost(const Node& node, Term::Part part, const Expression& seconds, const Expression& per_count,
                Origin cost, const Count& count, const std::optional<std::string>& table_of_collective = {}) {
    Contribution c;
    c.per_count = per_count;
    c.term.node = node.id;
    c.term.part = part;
    c.term.seconds = seconds;
    c.term.origin = weaker(count.origin, node.executions.origin);
    if (table_of_collective) c.term.origin = weaker(c.term.origin, node.members.origin);
    c.term.cost_origin = cost;
    c.interval = layout_.interval_of_node[index(node.id)];
    c.phase = layout_.phase_of_node[index(node.id)];
    c.count = &count;
    c.table = table_of_collective.value_or("");
    add(std::move(c));
  }

  /// `cost_of`: returns the cost of a number of messages with a total of bytes. `others`: share of these
  /// messages that involve another process; messages of a process to itself pass no link.
  template <class CostOf>
  void add_message(const Node& node, CostOf cost_of, const Expression& messages, const Count& counted,
                   const Count& bytes, const Expression& others) {
    const auto cost = cost_of(messages, bytes.expression);
    warn("message-cost", cost.note, {});
    out_.demands.push_back({node.id, {}, messages * others, bytes.expression * others, {}, others});
    const Expression first =
        counted.alternatives.empty() ? Expression(0) : cost_of(Expression(1), Expression(0)).startup;
    const Expression byte =
        bytes.alternatives.empty() ? Expression(0) : cost_of(Expression(1), Expression(1)).transfer;
    add_cost(node, Term::Part::message_startup, cost.startup * others, first * others, cost.origin, counted);
    add_cost(node, Term::Part::transfer, cost.transfer * others, byte * others, cost.origin, bytes);
  }

  auto cost_at(Side side) const {
    return [this, side](const Expression& number, const Expression& bytes) {
      CommunicationCost cost = point_to_point(machine_, link_, side, number, bytes);
      if (side == Side::end_to_end) cost.startup = cost.startup - made_up_latency(machine_, link_, number);
      return cost;
    };
  }

  void add_call(const Node& node) {
    const Count& sent = node.messages.expression.is_zero() ? node.executions : node.messages;
    switch (node.call_class) {
      case CallClass::send:
      case CallClass::start_send: {
        if (node.messages.expression.is_zero() && node.bytes.expression.is_zero()) return;
        return add_message(node, cost_at(Side::send), sent.expression, sent, node.bytes, to_others(node));
      }
      case CallClass::send_receive:
        return add_message(node, cost_at(Side::end_to_end), sent.expression, sent, node.bytes,
                           to_others(node));
      case CallClass::receive:
      case CallClass::wait:
        return add_receive(node);
      case CallClass::collective:
      case CallClass::start_collective:
        return add_collective(node);
      case CallClass::one_sided:
      case CallClass::epoch:
        if (is_instantaneous(node)) return add_access(node);
        [[fallthrough]];
      case CallClass::input_output:
        warn("measured-call",
             node.label +
                 " counts with the time that it took when recorded, whatever it moves and on any machine",
             "no model of one-sided communication and of files is at hand yet: record close to the size in "
             "question");
        [[fallthrough]];
      case CallClass::communicator:
      case CallClass::probe: {
        const Expression once = symbolic::real(std::max(0.0, node.measured_seconds));
        // A probe's time is mostly waiting for the sender, which the message's own cost covers.
        if (node.call_class != CallClass::probe)
          add_cost(node, Term::Part::message_startup, node.executions.expression * once, once,
                   Origin::constant, node.executions);
        return;
      }
      default:
        return;
    }
  }

  /// Returns whether the call took no time when recorded: accesses of virtual processors (collections.h),
  /// whose recordings leave the network to the prediction.
  static bool is_instantaneous(const Node& node) {
    return node.measured_seconds == 0 && !node.executions.expression.is_zero();
  }

  /// An access is a request and a reply, each a message, one of them with the data; flushes find nothing to
  /// wait for.
  void add_access(const Node& node) {
    if (node.call_class != CallClass::one_sided) return;
    warn("instantaneous-access",
         node.label + " took no time when recorded and is priced as a request and a reply",
         "parcast simulate adds how long requests wait for their owners");
    const auto both_ways = [this](const Expression& number, const Expression& bytes) {
      machine::CommunicationCost cost = cost_at(Side::end_to_end)(number, bytes);
      cost.startup = cost.startup + cost_at(Side::end_to_end)(number, Expression(0)).startup;
      return cost;
    };
    const Count& moved = node.bytes.expression.is_zero() ? node.received_bytes : node.bytes;
    add_message(node, both_ways, node.executions.expression, node.executions, moved, 1);
  }

  void add_receive(const Node& node) {
    const Expression messages = received_messages(model_, node.id);
    if (messages.is_zero()) return;
    const Expression from_others = messages_taken_in(model_, node.id, to_others);
    const Expression others =
        from_others == messages ? Expression(1) : from_others / max(messages, Expression(1));
    if (is_chained(node))
      return add_message(node, cost_at(Side::receive), messages, node.executions, node.received_bytes,
                         others);
    // Messages of others that one wait completes, or several in a row, were under way together.
    const Expression first = max(node.executions.expression - right_after_waits(node.id), Expression(0));
    const Expression all =
        from_others == messages ? first : first * messages / max(from_others, Expression(1));
    const bool is_wait = node.call_class == CallClass::wait;
    const Expression together = is_wait ? max(messages - all, Expression(0)) : Expression(0);
    const auto on_its_way = [&](const Expression& number, const Expression& bytes) {
      MessageCost cost = flight(machine_, link_, number, bytes);
      if (number == messages)
        cost.startup = cost.startup - together * machine::latency_symbol(link_) +
                       made_up_latency(machine_, link_, together);
      return cost;
    };
    add_message(node, on_its_way, messages, node.executions, node.received_bytes, others);
  }

  /// Returns how often a wait follows another wait for a message, without another call in between.
  Expression right_after_waits(NodeId wait) const {
    Expression sum;
    for (const Segment& segment : model_.segments)
      if (segment.to == wait && segment.from != kNone &&
          model_.nodes[index(segment.from)].call_class == CallClass::wait &&
          !received_messages(model_, segment.from).is_zero())
        sum = sum + segment.executions.expression;
    return sum;
  }

  bool is_chained(const Node& node) const {
    if (chained_.contains(node.id)) return true;
    if (node.call_class != CallClass::wait) return false;
    // A wait that completes receives which precede their send.
    return std::any_of(chained_.begin(), chained_.end(), [&](NodeId id) {
      return model_.nodes[index(id)].call_class == CallClass::start_receive &&
             enclosing_loop(model_, id) == enclosing_loop(model_, node.id);
    });
  }

  void add_collective(const Node& node) {
    Expression members = members_of(node);
    if (node.pattern == recording::Pattern::neighbourhood) {
      // One message to each neighbour. For the four of a grid the machine may have a table, indexed by all of
      // its processes.
      if (members != Expression(machine::kTabledNeighbours) ||
          !machine::table_for(machine_, node.pattern, false))
        return add_message(node, cost_at(Side::end_to_end), node.executions.expression * members,
                           node.executions, node.collective_bytes, 1);
      members = program::processes_symbol();
    }
    const bool uneven = recording::is_uneven(node.label);
    const auto cost_of = [&](const Expression& executions, const Expression& bytes) {
      return collective(placed_, node.pattern, executions, bytes, members, uneven);
    };
    const CommunicationCost cost = cost_of(node.executions.expression, node.collective_bytes.expression);
    warn(cost.table.empty() ? "no-table" : "regular-table", cost.note,
         "calibrate the machine with this pattern", std::string(machine::pattern_name(node.pattern)));
    if (!cost.table.empty())
      out_.demands.push_back(
          {node.id, cost, node.executions.expression, node.collective_bytes.expression, members});
    add_cost(node, Term::Part::message_startup, cost.startup, cost_of(Expression(1), Expression(0)).startup,
             cost.origin, node.executions, cost.table);
    const Count& moved = node.collective_bytes.expression.is_zero() ? node.executions : node.collective_bytes;
    add_cost(node, Term::Part::transfer, cost.transfer, cost_of(Expression(1), Expression(1)).transfer,
             cost.origin, moved, cost.table);
  }

  void warn(const std::string& code, const std::string& text, const std::string& hint,
            const std::string& about = "") {
    if (text.empty()) return;
    const bool known = std::any_of(out_.warnings.begin(), out_.warnings.end(),
                                   [&](const Warning& w) { return w.text == text; });
    if (!known) out_.warnings.push_back({code, text, hint, about});
  }

  // Adds the waits at calls at which all ranks (or neighbours) wait. The last rank is later than the average
  // one by e(p) standard deviations of the time since the previous such call. Differences from iteration to
  // iteration give f(p) sqrt(sum of min(N, E_i) E_i (s_i C_i)^2) over N such intervals: a segment that is
  // executed less often than the call is in E_i of them. Slow phases longer than an interval give e(p) sum of
  // E_i d_i C_i. Processes with a share of a core make up for differences from iteration to iteration by what
  // they save while they wait (of_iterations()).
  void add_noise() {
    struct Spread {
      Expression squares, slow_phases, work;
      std::optional<Origin> origin;
    };
    std::map<NodeId, Spread> spreads;  // by the closing call
    for (std::size_t s = 0; s < model_.segments.size(); ++s) {
      const Segment& segment = model_.segments[s];
      const Expression once = slowness_ * seconds_of(s);
      const auto at = [&](NodeId closing) -> Spread& {
        Spread& spread = spreads[closing];
        spread.origin =
            spread.origin ? weaker(*spread.origin, segment.executions.origin) : segment.executions.origin;
        return spread;
      };
      const NodeId closing = closing_of(s);
      const Expression seconds = segment.executions.expression * once;
      if (has_core_share(machine_)) spreads[closing].work = spreads[closing].work + seconds;
      if (segment.cost.iteration_noise.noise > 0) {
        Spread& spread = at(closing);
        const Expression& times = segment.executions.expression;
        spread.squares = spread.squares + min(intervals_of(closing), times) * times *
                                              variance_of(segment.cost.iteration_noise, once);
      }
      if (segment.cost.slow_phase_noise > 0 && closing != kNone) {
        Spread& spread = at(closing);
        spread.slow_phases = spread.slow_phases + symbolic::real(segment.cost.slow_phase_noise) * seconds;
      }
    }
    for (const auto& [closing, spread] : spreads) {
      if (!spread.origin) continue;
      const Node& node = model_.nodes[index(std::max(closing, 0))];
      Contribution c;
      c.term.node = node.id;
      c.term.part = Term::Part::wait;
      const Expression squares = of_iterations(closing, spread.squares, spread.work) +
                                 power(lasting_extreme(closing) * spread.slow_phases, Rational(2));
      // A count may be negative beyond the data.
      c.term.seconds = power(max(squares, Expression(0)), Rational::of(1, 2));
      c.term.origin = *spread.origin;
      c.term.cost_origin = Origin::fitted;
      c.interval = closing == kNone ? kNone : layout_.interval_of_node[index(closing)];
      c.phase = closing;
      c.noise = true;
      add(std::move(c));
    }
  }

  /// Returns the square of the wait for differences from iteration to iteration. `squares`: their variance.
  /// `work`: seconds of computing before all executions of the call together.
  Expression of_iterations(NodeId closing, const Expression& squares, const Expression& work) const {
    const Expression wait = power(extreme(closing), Rational(2)) * squares;
    if (!has_core_share(machine_)) return wait;
    const Expression saved =
        symbolic::real(1 - machine_.core_share.value) *
        max(min(intervals_of(closing) * symbolic::real(machine_.share_period.value), work), Expression(0));
    const Expression left = power(max(wait, Expression(0)), Rational::of(1, 2)) - saved;
    return power(max(left, Expression(0)), Rational(2));
  }

  /// Returns the variance of an execution, in square seconds.
  static Expression variance_of(const program::NoiseLaw& noise, const Expression& seconds) {
    const auto proportional = [&](double relative) {
      return power(symbolic::real(relative) * seconds, Rational(2));
    };
    if (!(noise.falls > 0)) return proportional(noise.noise);
    const auto twice = std::llround(4 * noise.falls);  // in halves, as `falls` is in quarters
    const double factor = noise.noise * std::pow(noise.seconds, noise.falls);
    return min(proportional(noise.most),
               symbolic::real(factor * factor) * power(seconds, Rational::of(4 - twice, 2)));
  }

  Expression intervals_of(NodeId closing) const {
    return closing == kNone ? Expression(1) : model_.nodes[index(closing)].executions.expression;
  }

  bool root_in_turn(NodeId call) const {
    return call != kNone && model_.nodes[index(call)].relation == program::PeerRelation::cyclic_root;
  }

  // Returns the call that closes a segment for noise. Calls that hold back only a root let the other ranks
  // drift until the next call of all, or the end. When the ranks take turns as the root, all wait for a slow
  // rank once in p calls.
  NodeId closing_of(std::size_t segment) const {
    const NodeId phase = layout_.phase_of_segment[segment];
    if (phase == kNone) return kNone;
    const Synchronisation kind = model_.nodes[index(phase)].synchronisation;
    return kind == Synchronisation::neighbour || root_in_turn(phase) ? phase
                                                                     : layout_.interval_of_segment[segment];
  }

  // Returns how many standard deviations the last of the waiting ranks is late: for lasting differences here,
  // and from iteration to iteration in extreme().
  Expression lasting_extreme(NodeId closing) const {
    return expected_largest(closing == kNone ? program::processes_symbol()
                                             : members_of(model_.nodes[index(closing)]));
  }

  Expression extreme(NodeId closing) const {
    const Expression all = lasting_extreme(closing);
    if (closing == kNone) return all;
    const Node& node = model_.nodes[index(closing)];
    if (node.synchronisation == Synchronisation::neighbour)
      return min(all, symbolic::real(dependence::neighbour_delay_limit(neighbour_dimensions(node))));
    if (!root_in_turn(closing)) return all;
    return max(symbolic::real(dependence::kRootInTurnDelay) -
                   symbolic::real(dependence::kRootInTurnFewer) * power(members_of(node), Rational(-2)),
               Expression(0));
  }

  static Expression members_of(const Node& node) {
    return node.members.expression.is_zero() ? program::processes_symbol() : node.members.expression;
  }

  int neighbour_dimensions(const Node& node) const {
    int most = 1;
    for (const NodeId id : dependence::calls_below(model_, enclosing_loop(model_, node.id))) {
      const Node& call = model_.nodes[index(id)];
      if (call.relation == program::PeerRelation::grid_shift && call.amounts.size() >= 4)
        most = std::max(most, static_cast<int>(call.amounts[2]));
    }
    return most;
  }

  void note_symbols() {
    std::set<int> grids;
    for (const Contribution& c : out_.all)
      for (const Expression& s : free_symbols(c.term.seconds)) {
        const std::string& name = s.name();
        if (s.kind() == symbolic::SymbolKind::rank) out_.depends_on_rank = true;
        const bool of_processes =
            s.kind() == symbolic::SymbolKind::rank || s.kind() == symbolic::SymbolKind::processes;
        if (of_processes && name.size() == 4) grids.insert(name[1] - '0');  // g2_0 or c2_0
      }
    out_.grids.assign(grids.begin(), grids.end());
  }

  const Model& model_;
  const Layout& layout_;
  const machine::Machine& machine_;
  // its nodes have as many cores as ranks, so that the members of a collective on one node are counted
  // correctly
  machine::Machine placed_;
  const std::string& link_;
  std::span<const Expression> factors_;  // by segment; empty: none
  const Expression slowness_;
  Expression streaming_;           // seconds per byte at the requested footprint
  double recorded_footprint_ = 0;  // largest one of the recordings
  double recorded_streaming_ = 0;  // seconds per byte at that footprint
  symbolic::Substitution largest_run_;
  std::set<NodeId> chained_;
  Contributions out_;
};

}  // namespace

MessageCost flight(const machine::Machine& machine, const std::string& link, const Expression& messages,
                   const Expression& bytes) {
  const CommunicationCost whole = point_to_point(machine, link, Side::end_to_end, messages, bytes);
  const CommunicationCost sender = point_to_point(machine, link, Side::send, messages, bytes);
  return {whole.startup - sender.startup - made_up_latency(machine, link, messages),
          whole.transfer - sender.transfer, whole.origin, whole.note};
}

Expression received_messages(const Model& model, NodeId id) {
  return messages_taken_in(model, id, [](const Node&) { return Expression(1); });
}

std::int32_t streaming_cores(const machine::Machine& machine, const Question& question) {
  return std::min({question.ranks_per_node.value_or(machine.cores_per_node), machine.cores_per_node,
                   question.point.processes});
}

Contributions contributions(const Model& model, const Layout& layout, const machine::Machine& machine,
                            const Question& question, const std::string& link,
                            std::span<const Expression> factors) {
  return Builder(model, layout, machine, question, link, factors).build();
}

}  // namespace parcast::predict
