// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/compiled.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>

#include "predict/simulate/collectives.h"

namespace parcast::simulate {
namespace {

using trace::Kind;
using trace::Operation;

constexpr std::uint32_t kNotPriced = 0xffffffff;

bool is_send(const Operation& operation) {
  return operation.kind == Kind::send || operation.kind == Kind::start_send;
}
bool is_receive(const Operation& operation) {
  return operation.kind == Kind::receive || operation.kind == Kind::start_receive;
}
/// Returns whether the operation needs messages matched when their envelopes arrive, since it depends on
/// which are there.
bool looks_in_order(const Operation& operation) {
  return operation.kind == Kind::probe ||
         (is_receive(operation) && (operation.peer == trace::kAny || operation.tag == trace::kAny));
}

/// Combines all items with OR, since a sequence may be long and most have no loop.
bool has_loops(const trace::Sequence& sequence) {
  std::uint64_t bits = 0;
  for (const trace::Item item : sequence) bits |= item.word();
  return trace::Item::from_word(bits & trace::Item::loop(0, 0).word()).what() == trace::Item::What::loop;
}

void make_actions(Compiled& compiled) {
  std::map<std::tuple<std::int32_t, std::int32_t, std::uint32_t>, std::uint32_t> known;
  for (const Operation& operation : compiled.trace->operations) {
    const std::int32_t source = is_send(operation) ? -operation.peer : operation.peer;
    const auto number = static_cast<std::uint32_t>(known.size());
    const auto cost = static_cast<std::uint32_t>(compiled.actions.size() * compiled.platform->links.size());
    compiled.actions.push_back(
        {.kind = operation.kind,
         .peer = operation.peer,
         .cost = cost,
         .channel = ChannelNumbers::kSeveral,
         .signature =
             known.try_emplace({source, operation.tag, operation.communicator}, number).first->second,
         .requests = operation.requests,
         .bytes = operation.bytes});
  }
  compiled.signatures = static_cast<std::uint32_t>(known.size());
}

CompiledSequence compile_sequence(const Compiled& compiled, const trace::Sequence& sequence,
                                  trace::Distinct& distinct) {
  const trace::Trace& trace = *compiled.trace;
  std::vector<std::uint32_t> signatures;
  CompiledSequence out{distinct.operations_of(sequence), Slots({}), false, 0, 2};
  for (const std::uint32_t index : out.operations) {
    const Operation& operation = trace.operations[index];
    if (is_receive(operation)) signatures.push_back(compiled.actions[index].signature);
    out.ordered = out.ordered || looks_in_order(operation);
    if (operation.kind != Kind::wait || trace.request_sets[operation.requests].empty()) continue;
    out.window = std::max(out.window, trace.request_sets[operation.requests].back());
    out.longest =
        std::max(out.longest, static_cast<std::uint32_t>(trace.request_sets[operation.requests].size()));
  }
  std::sort(signatures.begin(), signatures.end());
  signatures.erase(std::unique(signatures.begin(), signatures.end()), signatures.end());
  out.slots = Slots(std::move(signatures));
  return out;
}

void price_sends(Compiled& compiled) {
  const std::size_t links = compiled.platform->links.size();
  compiled.one_link = links == 1;
  compiled.cost_of.assign(compiled.trace->operations.size() * links, kNotPriced);
  for (std::size_t i = 0; i < compiled.trace->operations.size(); ++i) {
    const Operation& operation = compiled.trace->operations[i];
    if (!is_send(operation)) continue;
    for (std::size_t link = 0; link < links; ++link) {
      const std::uint32_t cost =
          compiled.costs.find(static_cast<std::uint32_t>(link), operation.bytes, operation.mode);
      compiled.cost_of[i * links + link] = cost;
      compiled.rendezvous = compiled.rendezvous || !compiled.costs[cost].eager;
    }
    if (links == 1) compiled.actions[i].cost = compiled.cost_of[i];
  }
}

/// Returns whether a rank may send two messages such that the later one arrives first. It departs after the
/// first has held up the sender or its interface. Its latency is then shorter than the rest of the first
/// one's.
bool may_overtake(const Compiled& compiled) {
  const std::size_t links = compiled.platform->links.size();
  for (std::size_t link = 0; link < links; ++link) {
    Time shortest = trace::kLongest, longest = 0;
    for (std::size_t at = link; at < compiled.cost_of.size(); at += links) {
      if (compiled.cost_of[at] == kNotPriced) continue;
      const MessageCost& of = compiled.costs[compiled.cost_of[at]];
      const Time held_up = compiled.platform->share.whole() ? of.sender : 0;  // lower bound
      shortest = std::min(shortest, of.latency);
      longest = std::max(longest, of.latency - (compiled.interfaces ? of.interface : held_up));
    }
    if (longest > shortest) return true;
  }
  return false;
}

/// Returns whether some message of a collective may exceed a link's eager limit; its size is known only at
/// run time.
bool collectives_may_rendezvous(const Compiled& compiled) {
  std::uint64_t longest = 0;
  for (const Operation& operation : compiled.trace->operations) {
    if (operation.kind != Kind::collective) continue;
    const std::uint64_t members = operation.communicator == 0
                                      ? static_cast<std::uint64_t>(compiled.trace->ranks)
                                      : compiled.trace->communicators[operation.communicator].members.size();
    // At most: gathered at one member.
    longest =
        std::max(longest, operation.bytes > UINT64_MAX / members ? UINT64_MAX : operation.bytes * members);
  }
  const auto& links = compiled.platform->links;
  return std::any_of(links.begin(), links.end(), [&](const Link& link) {
    return link.eager_limit != kNotGiven && longest > static_cast<std::uint64_t>(link.eager_limit);
  });
}

/// Returns the smallest latency over messages of any size.
Time least_latency(const Link& link, Time least) {
  const bool only_longer =
      std::all_of(link.corrections.begin(), link.corrections.end(),
                  [](const Correction& each) { return each.startup >= 0 && each.per_byte >= 0; });
  return only_longer ? std::max(least, link.latency) : least;
}

/// Sets the lookahead. The sizes of a collective's messages are unknown here.
void look_ahead(Compiled& compiled, Time least) {
  Time lookahead = trace::kLongest;
  // Otherwise overheads may be shorter than given.
  const bool of_overheads = !compiled.rendezvous && compiled.platform->share.whole();
  for (const std::uint32_t cost : compiled.cost_of) {
    if (cost == kNotPriced) continue;
    const MessageCost& of = compiled.costs[cost];
    lookahead = std::min(lookahead, of.latency + (of_overheads ? of.asks_after : 0));
  }
  for (const Link& link : compiled.platform->links)
    if (compiled.collectives)
      lookahead = std::min(lookahead, least_latency(link, least) + (of_overheads ? link.send_overhead : 0));
  compiled.lookahead = lookahead;
}

Result<void> check_collectives(const Compiled& compiled) {
  for (const Operation& operation : compiled.trace->operations) {
    if (operation.kind != Kind::collective || !machine::algorithms_of(operation.pattern).empty()) continue;
    const std::string call =
        operation.place == trace::kNowhere ? "a collective" : compiled.trace->places[operation.place].call;
    return Error{call + " has no algorithm to simulate it by", "",
                 "neighbourhood collectives become messages"};
  }
  return {};
}

void time_measured(Compiled& compiled) {
  for (const Operation& operation : compiled.trace->operations) {
    const auto members =
        operation.communicator == 0
            ? compiled.trace->ranks
            : static_cast<std::int32_t>(compiled.trace->communicators[operation.communicator].members.size());
    const auto found =
        compiled.platform->measured.find({operation.pattern, operation.bytes, members, operation.uneven});
    compiled.measured_time.push_back(
        operation.kind == Kind::collective && found != compiled.platform->measured.end() ? found->second
                                                                                         : Time{-1});
  }
}

void find_contested(Compiled& compiled) {
  const std::vector<Operation>& operations = compiled.trace->operations;
  std::set<std::pair<std::uint32_t, std::int32_t>> windows;
  for (const Operation& operation : operations)
    if (operation.kind == Kind::lock_exclusive) windows.emplace(operation.communicator, operation.tag);
  for (const Operation& operation : operations)
    compiled.contested.push_back(
        trace::is_of_lock(operation.kind) && windows.contains({operation.communicator, operation.tag}) ? 1
                                                                                                       : 0);
}

void number_members(Compiled& compiled) {
  for (const trace::Communicator& communicator : compiled.trace->communicators) {
    auto& members = compiled.members.emplace_back();
    for (const std::int32_t rank : communicator.members)
      members.emplace_back(rank, static_cast<std::int32_t>(members.size()));
    std::sort(members.begin(), members.end());
  }
}

/// No program has this many outstanding requests: a trace that names them is damaged.
Result<void> check_windows(const Compiled& compiled) {
  constexpr std::uint32_t kMost = 1 << 24;
  for (const CompiledSequence& sequence : compiled.sequences)
    if (sequence.window > kMost)
      return Error{
          "a wait names a request that was begun " + std::to_string(sequence.window) + " requests before", "",
          "more than 16 million are not supported"};
  return {};
}

}  // namespace

Result<void> check_platform(const trace::Trace& trace, const Platform& platform) {
  const auto ranks = static_cast<std::size_t>(trace.ranks), links = platform.links.size();
  const Noise noise = platform.noise.value_or(Noise{});
  for (const double relative : {noise.each, noise.lasting})
    if (!(relative >= 0 && relative <= kMostNoise))
      return Error{
          "noise must be between 0 and " + std::to_string(static_cast<int>(kMostNoise)) + " times the mean",
          "", ""};
  if (!platform.share.whole() && platform.contention)
    return Error{"ranks that have a share of a core each are not simulated with memory that they share",
                 platform.name, "leave out its core_share, or ask without contention for memory"};
  if (!(platform.share.part > 0) || (!platform.share.whole() && platform.share.period < 1))
    return Error{"a share of a core must be above 0, and have a period of at least 1 ps", platform.name, ""};
  if (links == 0) return Error{"the platform has no link between processes", "", ""};
  if (std::max({platform.inside_socket, platform.inside_node, platform.between_nodes}) >= links)
    return Error{"the platform names a link that it does not have", "", ""};
  if (!platform.node_of.empty() && (platform.node_of.size() < ranks || platform.socket_of.size() < ranks))
    return Error{"the platform places " + std::to_string(platform.node_of.size()) + " ranks, the trace has " +
                     std::to_string(ranks),
                 "", ""};
  return {};
}

Slots::Slots(std::vector<std::uint32_t> signatures)
    : entries_(std::bit_ceil(2 * signatures.size() + 1)),
      count_(static_cast<std::uint32_t>(signatures.size())) {
  for (std::uint32_t slot = 0; slot < count_; ++slot) {
    std::size_t at = hash(signatures[slot]);
    while (entries_[at & (entries_.size() - 1)].slot != kMissing) ++at;
    entries_[at & (entries_.size() - 1)] = {signatures[slot], slot};
  }
}

ChannelNumbers::ChannelNumbers(const trace::Trace& trace, const std::vector<CompiledSequence>& sequences,
                               std::vector<Action>& actions, std::uint32_t signatures)
    : sequences_(&sequences), signatures_(signatures) {
  std::uint64_t needed = 0;
  for (const std::uint32_t sequence : trace.sequence_of) needed += sequences[sequence].slots.count();
  const std::uint64_t all = static_cast<std::uint64_t>(trace.ranks) * signatures;
  if (all <= 4 * needed + 1024) {
    count_ = static_cast<std::uint32_t>(all);
    return;
  }
  for (const std::uint32_t sequence : trace.sequence_of) {
    begins_.push_back(count_);
    count_ += sequences[sequence].slots.count();
  }
  if (needed <= kMostPlaces) make_places(trace, needed);
  find_only(trace, actions);
}

void ChannelNumbers::make_places(const trace::Trace& trace, std::uint64_t needed) {
  places_.resize(std::bit_ceil(2 * needed + 2));
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(places_.size()));
  for (std::size_t rank = 0; rank < begins_.size(); ++rank)
    (*sequences_)[trace.sequence_of[rank]].slots.for_each([&](std::uint32_t signature, std::uint32_t slot) {
      const auto own = static_cast<std::int32_t>(rank);
      std::size_t at = place_of(own, signature);
      while (places_[at & (places_.size() - 1)].rank >= 0) ++at;
      places_[at & (places_.size() - 1)] = {own, signature, begins_[rank] + slot};
    });
}

/// Irregular programs have many operations that only one rank performs: their channels are looked up once.
void ChannelNumbers::find_only(const trace::Trace& trace, std::vector<Action>& actions) {
  std::vector<std::int32_t> users(trace.operations.size());
  for (const std::uint32_t sequence : trace.sequence_of)
    for (const std::uint32_t operation : (*sequences_)[sequence].operations) ++users[operation];
  for (std::int32_t rank = 0; rank < trace.ranks; ++rank)
    for (const std::uint32_t index :
         (*sequences_)[trace.sequence_of[static_cast<std::size_t>(rank)]].operations) {
      const Operation& operation = trace.operations[index];
      if (users[index] != 1 || !(is_send(operation) || is_receive(operation)) ||
          operation.peer == trace::kAny)
        continue;
      const std::int32_t receiver = is_send(operation) ? rank + operation.peer : rank;
      actions[index].channel =
          (*this)(receiver, trace.sequence_of[static_cast<std::size_t>(receiver)], actions[index].signature);
    }
}

std::int32_t Compiled::place_in(std::uint32_t communicator, std::int32_t rank) const {
  if (communicator == 0) return rank;
  return std::lower_bound(members[communicator].begin(), members[communicator].end(), std::pair(rank, 0))
      ->second;
}

Result<Compiled> compile(const trace::Trace& trace, const Platform& platform) {
  PARCAST_TRY(check_platform(trace, platform));
  if (platform.network && trace::has_accesses(trace))
    return Error{"one-sided accesses and locks are not simulated on a machine whose messages share links",
                 platform.name, "leave its [network] out"};
  const auto& operations = trace.operations;
  const bool any = std::any_of(operations.begin(), operations.end(), looks_in_order);
  const bool any_source = std::any_of(operations.begin(), operations.end(), [](const Operation& of) {
    return trace::looks_for_envelope(of.kind) && of.peer == trace::kAny;
  });
  const Time least = any_source || has_gaps(platform) || trace::has_locks(trace) ? 1 : 0;
  Compiled compiled(platform, least);
  compiled.locks = trace::has_locks(trace);
  compiled.accesses = trace::has_accesses(trace);
  compiled.loops = std::any_of(trace.sequences.begin(), trace.sequences.end(), has_loops);
  compiled.trace = &trace;
  compiled.interfaces = has_gaps(platform);
  compiled.collectives = std::any_of(operations.begin(), operations.end(),
                                     [](const Operation& of) { return of.kind == Kind::collective; });
  PARCAST_TRY(check_collectives(compiled));
  make_actions(compiled);
  find_contested(compiled);
  price_sends(compiled);
  trace::Distinct distinct(trace);
  for (const trace::Sequence& sequence : trace.sequences)
    compiled.sequences.push_back(compile_sequence(compiled, sequence, distinct));
  PARCAST_TRY(check_windows(compiled));
  compiled.envelopes = any || compiled.rendezvous || may_overtake(compiled);  // for point-to-point messages
  compiled.rendezvous = compiled.rendezvous || collectives_may_rendezvous(compiled);
  look_ahead(compiled, least);
  number_members(compiled);
  time_measured(compiled);
  return compiled;
}

}  // namespace parcast::simulate
