// SPDX-License-Identifier: Apache-2.0
#include "predict/system_costs.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "machine/cost.h"
#include "machine/message_seconds.h"
#include "machine/tools.h"
#include "predict/flat_system.h"
#include "predict/simulate/collectives.h"

namespace parcast::predict {
namespace {

using interpret::Time;

/// Converts seconds, limited to the longest supported time; a run of that length is refused.
Time picoseconds(double seconds) {
  return static_cast<Time>(
      std::nearbyint(std::clamp(seconds * 1e12, 0.0, static_cast<double>(trace::kLongest))));
}

/// Times are integer picoseconds, and a part is never longer than the total.
Time part(double seconds, Time whole) {
  return std::min(picoseconds(std::max(0.0, seconds)), whole);
}

bool looks_at_anybody(const trace::Trace& trace) {
  return std::ranges::any_of(trace.operations, [](const trace::Operation& each) {
    return trace::looks_for_envelope(each.kind) && each.peer == trace::kAny;
  });
}

/// Returns nothing for patterns without an algorithm.
std::optional<simulate::CollectiveCall> call_of(const machine::Machine& machine,
                                                const trace::Operation& operation, std::int32_t members,
                                                std::int32_t place) {
  const auto own = machine.collectives.find(operation.pattern);
  const machine::AlgorithmChoices& choices =
      own == machine.collectives.end() ? machine::usual_algorithms(operation.pattern) : own->second;
  if (choices.empty()) return {};
  const machine::Algorithm algorithm = machine::algorithm_at(choices, operation.bytes, operation.uneven);
  return simulate::CollectiveCall{operation.pattern, algorithm,      members, place,
                                  operation.root,    operation.bytes};
}

/// Returns the speed of a rank's processor; 0: unknown.
double speed_of(const machine::Routes& routes, std::int32_t rank) {
  const machine::Mapping& mapping = routes.mapping();
  const std::string place = routes.place(rank);
  const std::string name = place.substr(0, place.find(' '));
  for (const machine::Unit& unit : mapping.system.units)
    if (unit.name == name)
      return unit.processing.speed.origin == Origin::unknown ? 0 : unit.processing.speed.value;
  return 0;
}

}  // namespace

SystemCosts::SystemCosts(const machine::Machine& machine, const trace::Trace& trace, machine::Routes& routes,
                         double compute_ratio)
    : machine_(machine),
      trace_(trace),
      routes_(routes),
      least_(looks_at_anybody(trace) ? 1 : 0),
      share_(dependence::share_of(machine)),
      ratio_of_{compute_ratio} {
  if (!share_.whole()) {
    said_.insert(dependence::share_sentence(machine));
    if (std::ranges::any_of(trace.operations, [&](const trace::Operation& each) {
          return each.kind == trace::Kind::collective && call_of(machine, each, 1, 0);
        }))
      said_.insert(dependence::kCollectivesByMessages);
  }
  const auto is_sent = [&](const trace::Operation& each) {
    return each.kind == trace::Kind::collective && !machine::table_for(machine, each.pattern, each.uneven) &&
           call_of(machine, each, 1, 0);
  };
  if (share_.whole() && is_by_hand() && std::ranges::any_of(trace.operations, is_sent))
    said_.insert(
        "collectives without a table are sent as the messages of their algorithms, each over the route "
        "between its ranks");
  near_ = far_ = machine;
  near_.cores_per_node = trace.ranks, far_.cores_per_node = 1;
  if (routes.mapping().system.derived_cores_per_node > 0) return;
  std::vector<double> speeds;
  for (std::int32_t rank = 0; rank < trace.ranks; ++rank) speeds.push_back(speed_of(routes, rank));
  const double usual = machine::operations_per_second(machine);
  const auto [slowest, fastest] = std::ranges::minmax(speeds);
  if (!(usual > 0) || !(slowest > 0) || slowest == fastest) return;
  ratio_of_.clear();
  for (const double speed : speeds) ratio_of_.push_back(compute_ratio * usual / speed);
  said_.insert("computing takes as long as on processors of " + format_significant(usual / 1e9, 3) +
               " G operations/s, and on others by the ratio of their speeds");
}

Result<interpret::MessageTimes> SystemCosts::message(std::int32_t from, std::int32_t to, std::uint64_t bytes,
                                                     trace::Mode mode) const {
  const machine::Route& route = routes_.between(from, to);
  const machine::Link& given = routes_.link(route);
  machine::Link buffered;
  if (mode == trace::Mode::buffered) buffered = given, buffered.eager_limit.origin = Origin::unknown;
  const machine::MessageSeconds seconds =
      machine::message_seconds(mode == trace::Mode::buffered ? buffered : given, static_cast<double>(bytes),
                               mode == trace::Mode::synchronous);
  interpret::MessageTimes out;
  out.eager = seconds.eager;
  out.departs_after = picoseconds(seconds.departs_after);
  out.sender = picoseconds(seconds.sender_busy),
  out.sender_bytes = part(seconds.sender_busy - seconds.departs_after, out.sender);
  out.latency = std::max(least_, picoseconds(seconds.latency));
  out.flight = std::max(out.latency, picoseconds(seconds.flight)),
  out.flight_bytes = part(seconds.flight - seconds.latency, out.flight);
  out.receiver = picoseconds(seconds.receiver_busy),
  out.receiver_bytes = part(seconds.receiver_busy - given.receive_overhead.value, out.receiver);
  out.transfer = picoseconds(seconds.buffer_in_use);
  out.occupies = std::max(out.transfer, picoseconds(given.gap.value));
  if (!out.eager)
    out.request = std::max(least_, picoseconds(seconds.request)), out.answer = picoseconds(seconds.answer);
  return out;
}

/// Returns, for a derived system, whether members of the communicator are on several nodes.
bool SystemCosts::spans_nodes(std::uint32_t communicator) const {
  const machine::Mapping& mapping = routes_.mapping();
  std::int64_t per_node = 1;
  for (const machine::Unit& unit : mapping.system.units)
    if (unit.name == "socket" || unit.name == "core") per_node *= unit.count;
  const auto node_of = [&](std::int32_t rank) {
    return mapping.processor_of[static_cast<std::size_t>(rank)] / per_node;
  };
  const std::vector<std::int32_t>& members = trace_.communicators[communicator].members;
  if (!members.empty())
    return std::ranges::any_of(members,
                               [&](std::int32_t rank) { return node_of(rank) != node_of(members.front()); });
  for (std::int32_t rank = 1; rank < trace_.ranks; ++rank)
    if (node_of(rank) != node_of(0)) return true;
  return false;
}

/// Returns the machine that prices a communicator's collectives. A hand-written system has no links by level:
/// the longest route from the first member represents all.
const machine::Machine& SystemCosts::pricing(std::uint32_t communicator) const {
  const machine::Mapping& mapping = routes_.mapping();
  if (mapping.system.derived_cores_per_node > 0) return spans_nodes(communicator) ? far_ : near_;
  const auto known = pricing_.find(communicator);
  if (known != pricing_.end()) return known->second;
  const std::vector<std::int32_t>& members = trace_.communicators[communicator].members;
  const auto ranks = members.empty() ? trace_.ranks : static_cast<std::int32_t>(members.size());
  const auto member = [&](std::int32_t place) {
    return members.empty() ? place : members[static_cast<std::size_t>(place)];
  };
  machine::Machine by_hand = machine_;
  by_hand.links = {{"network", longest_link(routes_, ranks, member)}};
  by_hand.nodes = ranks, by_hand.cores_per_node = 1, by_hand.sockets_per_node = 1;
  return pricing_.emplace(communicator, std::move(by_hand)).first->second;
}

std::uint32_t SystemCosts::place_of(const trace::Operation& operation) const {
  return is_by_hand() ? operation.communicator : spans_nodes(operation.communicator);
}

/// Compiles the price of a collective as a function of its bytes: programs with a loop over rows broadcast a
/// new size in each iteration.
Result<SystemCosts::CompiledPrice> SystemCosts::compile_price(const trace::Operation& operation,
                                                              std::int32_t members) const {
  const machine::Machine& machine = pricing(operation.communicator);
  const symbolic::Expression bytes = symbolic::symbol("bytes", symbolic::SymbolKind::parameter);
  CompiledPrice out{
      machine::collective(machine, operation.pattern, 1, bytes, members, operation.uneven), {}, {}};
  const auto [known, is_new] = bindings_.try_emplace(place_of(operation));
  if (is_new) known->second = machine::cost_binding(machine);
  const symbolic::Expression seconds[] = {out.cost.startup, out.cost.transfer};
  std::vector<symbolic::Expression> inputs{bytes};
  out.inputs = {0};
  for (const symbolic::Expression& each : seconds)
    for (const symbolic::Expression& symbol : free_symbols(each)) {
      if (std::ranges::find(inputs, symbol) != inputs.end()) continue;
      const auto value = known->second.find(symbol.name());
      if (value == known->second.end()) return Error{symbol.name() + " has no value", machine.name, ""};
      inputs.push_back(symbol), out.inputs.push_back(value->second);
    }
  PARCAST_ASSIGN(out.seconds, symbolic::FlatProgram::compile(seconds, inputs));
  return out;
}

Result<SystemCosts::Priced> SystemCosts::price(const trace::Operation& operation,
                                               std::int32_t members) const {
  const auto key = std::tuple(operation.pattern, members, operation.uneven, place_of(operation));
  auto known = compiled_.find(key);
  if (known == compiled_.end()) {
    PARCAST_ASSIGN(CompiledPrice compiled, compile_price(operation, members));
    known = compiled_.emplace(key, std::move(compiled)).first;
  }
  CompiledPrice& compiled = known->second;
  const machine::CommunicationCost& cost = compiled.cost;
  compiled.inputs[0] = static_cast<double>(operation.bytes);
  double seconds[2];
  compiled.seconds->evaluate(compiled.inputs, 1, seconds);
  const auto [startup, transfer] = seconds;
  if (!(startup + transfer >= 0))
    return Error{"a collective of " + std::to_string(operation.bytes) + " bytes would take " +
                     std::to_string(startup + transfer) + " s",
                 machine_.name, "check the table of " + cost.table};
  if (!cost.note.empty()) said_.insert(cost.note);
  if (!cost.table.empty())
    tables_.insert(cost.table);
  else if (is_by_hand())
    said_.insert("collectives without a table are messages over the longest way from their first member");
  if (const std::string beyond =
          machine::beyond_table(machine_.name, cost, members, static_cast<double>(operation.bytes));
      !beyond.empty())
    said_.insert(beyond);
  return Priced{startup, transfer, cost.table};
}

Result<interpret::CollectiveTimes> SystemCosts::collective(const trace::Operation& operation,
                                                           std::int32_t members) const {
  const auto key =
      std::tuple(operation.pattern, operation.bytes, members, operation.uneven, place_of(operation));
  auto known = priced_.find(key);
  if (known == priced_.end()) {
    PARCAST_ASSIGN(Priced priced, price(operation, members));
    known = priced_.emplace(key, std::move(priced)).first;
  }
  const Priced& priced = known->second;
  const double factor = !table_.empty() && priced.table == table_ ? factor_ : 1;
  const Time whole = picoseconds(factor * (priced.startup + priced.transfer)),
             transfer = part(factor * priced.transfer, whole);
  return interpret::CollectiveTimes{whole - transfer, transfer};
}

std::optional<std::int32_t> SystemCosts::steps(const trace::Operation& operation, std::int32_t members,
                                               std::int32_t place) const {
  if (!sends_collectives() ||
      (share_.whole() && machine::table_for(machine_, operation.pattern, operation.uneven)))
    return {};
  const std::optional<simulate::CollectiveCall> call = call_of(machine_, operation, members, place);
  if (!call) return {};
  return simulate::steps_of(*call);
}

interpret::CollectiveStep SystemCosts::step(const trace::Operation& operation, std::int32_t members,
                                            std::int32_t place, std::int32_t number) const {
  const simulate::CollectiveStep step =
      simulate::step_of(*call_of(machine_, operation, members, place), number);
  return {step.to, step.from, step.sent};
}

Time SystemCosts::computing(std::int32_t rank, Time recorded) const {
  const double ratio = varied_ * ratio_of_[ratio_of_.size() == 1 ? 0 : static_cast<std::size_t>(rank)];
  if (ratio == 1) return recorded;
  return static_cast<Time>(
      std::nearbyint(std::min(static_cast<double>(recorded) * ratio, static_cast<double>(trace::kLongest))));
}

std::vector<std::string> SystemCosts::assumptions() const {
  std::vector<std::string> out;
  const auto add = [&](const std::string& sentence) {
    if (std::ranges::find(out, sentence) == out.end()) out.push_back(sentence);
  };
  for (const std::string& sentence : routes_.mapping().system.assumptions) add(sentence);
  for (const std::string& sentence : routes_.mapping().assumptions) add(sentence);
  for (const std::string& sentence : said_) add(sentence);
  return out;
}

}  // namespace parcast::predict
