// SPDX-License-Identifier: Apache-2.0
// Quotations are from docs/models/message_passing.md.
#include "predict/simulate/test_reference_actions.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace parcast::simulate::reference {
namespace {

using machine::Algorithm;
using recording::Pattern;
using trace::Item;
using trace::Kind;
using trace::Mode;
using trace::Operation;
using trace::Trace;

__extension__ using Wide = __int128;

// ---- Costs of a message

/// No cost may exceed a run, so a larger one is replaced by the longest: the run is refused for either.
Time within_range(Wide time) {
  return static_cast<Time>(std::clamp<Wide>(time, -trace::kLongest, trace::kLongest));
}

bool is_eager(const Link& link, std::uint64_t bytes, Mode mode) {
  if (mode == Mode::buffered) return true;
  if (mode == Mode::synchronous) return false;
  return link.eager_limit == kNotGiven || bytes <= static_cast<std::uint64_t>(link.eager_limit);
}

/// "w = L + c + [m d]", where c and d are those of "the last one that m reaches".
Wide way_of(const Link& link, std::uint64_t bytes) {
  Wide more = 0;
  for (const Correction& correction : link.corrections)
    if (static_cast<std::uint64_t>(correction.from_bytes) <= bytes)
      more = Wide{correction.startup} + rounded_product(bytes, correction.per_byte);
  return link.latency + more;
}

}  // namespace

/// The shift rounds negative numbers down too.
Time rounded_product(std::uint64_t m, Rate x) {
  return within_range((static_cast<Wide>(m) * x + (Wide{1} << 31)) >> 32);
}

MessageCost message_cost(const Link& link, std::uint64_t bytes, Mode mode, Time least) {
  MessageCost cost;
  cost.eager = is_eager(link, bytes, mode);
  const Wide way = way_of(link, bytes);
  const Wide negative = std::min<Wide>(0, way);
  cost.latency = std::max(least, within_range(std::max<Wide>(0, way)));
  if (cost.eager) {
    const Time body = rounded_product(bytes, link.gap_per_byte);
    const Time copied = rounded_product(bytes, link.receive_overhead_per_byte);
    cost.sender =
        within_range(Wide{link.send_overhead} + rounded_product(bytes, link.send_overhead_per_byte));
    cost.interface = std::max(link.gap, body);
    cost.body = within_range(std::max<Wide>(0, Wide{body} - copied + negative));
    cost.receiver = within_range(Wide{link.receive_overhead} + copied);
    return cost;
  }
  const Time body = rounded_product(bytes, link.rendezvous_gap_per_byte);
  const Time handshake = link.handshake == kNotGiven ? within_range(Wide{2} * link.latency) : link.handshake;
  cost.sender = link.send_overhead;
  cost.interface = std::max(link.gap, body);
  cost.body = within_range(std::max<Wide>(0, body + negative));
  cost.receiver = link.receive_overhead;
  cost.request = std::max(least, handshake / 2);
  cost.answer = handshake - handshake / 2;
  return cost;
}

/// "Every l, and every H1 (below), is at least 1 ps if any link has g, G or G' above 0, the machine has a
/// network with shared links, or the trace has locks or receives or probes with any source".
Time least_latency(const Trace& trace, const Platform& platform) {
  const bool link_is_busy =
      platform.network || std::any_of(platform.links.begin(), platform.links.end(), [](const Link& link) {
        return link.gap > 0 || link.gap_per_byte > 0 || link.rendezvous_gap_per_byte > 0;
      });
  const bool from_any =
      std::any_of(trace.operations.begin(), trace.operations.end(), [](const Operation& operation) {
        return (operation.kind == Kind::receive || operation.kind == Kind::start_receive ||
                operation.kind == Kind::probe) &&
               operation.peer == trace::kAny;
      });
  return link_is_busy || from_any || trace::has_locks(trace) ? 1 : 0;
}

namespace {

// ---- Schedules of collectives, in ranks of the communicator

constexpr int kNobody = -1;

struct Step {
  int to = kNobody;
  std::uint64_t bytes = 0;  // sent
  int from = kNobody;
};
using Schedule = std::vector<Step>;

struct Member {
  int p = 1, r = 0, a = 0;  // members, own rank, root
  std::uint64_t m = 0;      // bytes contributed

  int v() const { return back(a); }
  int on(int k) const { return (r + k) % p; }
  int back(int k) const { return (r - k % p + p) % p; }
  int of_v(int of) const { return (of + a) % p; }
  int rounds() const {  // N
    int n = 0;
    while ((1 << n) < p) ++n;
    return n;
  }
};

/// k = 0..N-1: each sends to the member at distance 2^k.
Schedule dissemination(const Member& me) {
  Schedule steps;
  for (int k = 0; k < me.rounds(); ++k) steps.push_back({me.on(1 << k), 0, me.back(1 << k)});
  return steps;
}

/// Broadcast and scatter. `whole`: the message is the same for all; otherwise a receiver gets the parts of
/// its subtree.
Schedule down_the_tree(const Member& me, bool whole) {
  Schedule steps;
  const int v = me.v();
  const int own_bit = v > 0 ? v & -v : 1 << me.rounds();
  if (v > 0) steps.push_back({kNobody, 0, me.of_v(v - own_bit)});
  for (int bit = own_bit / 2; bit > 0; bit /= 2) {
    const int receiver = v + bit;
    if (receiver >= me.p) continue;
    const auto subtree = static_cast<std::uint64_t>(std::min(receiver + bit, me.p) - receiver);
    steps.push_back({me.of_v(receiver), whole ? me.m : me.m * subtree, kNobody});
  }
  return steps;
}

/// Reduce and gather. `whole`: one message of m; otherwise the parts of the sender's subtree.
Schedule up_the_tree(const Member& me, bool whole) {
  Schedule steps;
  const int v = me.v();
  for (int bit = 1; bit < me.p; bit *= 2) {
    if ((v & bit) != 0) {
      const auto subtree = static_cast<std::uint64_t>(std::min(v + bit, me.p) - v);
      steps.push_back({me.of_v(v - bit), whole ? me.m : me.m * subtree, kNobody});
      return steps;
    }
    if (v + bit < me.p) steps.push_back({kNobody, 0, me.of_v(v + bit)});
  }
  return steps;
}

Schedule recursive_doubling(const Member& me) {
  Schedule steps;
  int power = 1;
  while (power * 2 <= me.p) power *= 2;
  const int e = me.p - power;
  const bool paired = me.r < 2 * e;
  if (paired && me.r % 2 == 0) return {{me.r + 1, me.m, kNobody}, {kNobody, 0, me.r + 1}};
  if (paired) steps.push_back({kNobody, 0, me.r - 1});
  const int own = paired ? (me.r - 1) / 2 : me.r - e;
  for (int bit = 1; bit < power; bit *= 2) {
    const int partner = own ^ bit;
    const int rank = partner < e ? 2 * partner + 1 : partner + e;
    steps.push_back({rank, me.m, rank});
  }
  if (paired) steps.push_back({me.r - 1, me.m, kNobody});
  return steps;
}

/// Returns the shares that member `own` of `power` has after each halving; the first entry is all shares.
std::vector<std::vector<std::uint64_t>> halvings(std::uint64_t own, std::uint64_t power) {
  std::vector<std::vector<std::uint64_t>> all(1);
  for (std::uint64_t share = 0; share < power; ++share) all[0].push_back(share);
  for (std::uint64_t bit = 1; bit < power; bit *= 2) {
    const auto middle = all.back().begin() + static_cast<std::ptrdiff_t>(all.back().size() / 2);
    std::vector<std::uint64_t> half =
        own & bit ? std::vector(middle, all.back().end()) : std::vector(all.back().begin(), middle);
    all.push_back(std::move(half));
  }
  return all;
}

Schedule rabenseifner(const Member& me) {
  std::uint64_t power = 1;
  while (power * 2 <= static_cast<std::uint64_t>(me.p)) power *= 2;
  const Schedule doubling = recursive_doubling(me);  // its first and last steps, and its partners
  const int e = me.p - static_cast<int>(power);
  const bool paired = me.r < 2 * e;
  if (paired && me.r % 2 == 0) return doubling;
  const auto own = static_cast<std::uint64_t>(paired ? (me.r - 1) / 2 : me.r - e);
  const auto size = [&](const std::vector<std::uint64_t>& shares) {
    std::uint64_t sum = 0;
    for (const std::uint64_t i : shares)
      sum += static_cast<std::uint64_t>(static_cast<Wide>(me.m) * (i + 1) / power) -
             static_cast<std::uint64_t>(static_cast<Wide>(me.m) * i / power);
    return sum;
  };
  const auto mine = halvings(own, power);
  const std::size_t levels = mine.size() - 1, first = paired ? 1 : 0;
  Schedule steps(doubling.begin(), doubling.begin() + static_cast<std::ptrdiff_t>(first));
  for (std::size_t k = 0; k < levels; ++k) {
    Step step = doubling[first + k];
    step.bytes = size(halvings(own ^ (std::uint64_t{1} << k), power)[k + 1]);
    steps.push_back(step);
  }
  for (std::size_t k = levels; k-- > 0;) {
    Step step = doubling[first + k];
    step.bytes = size(mine[k + 1]);
    steps.push_back(step);
  }
  if (paired) steps.push_back(doubling.back());
  return steps;
}

Schedule ring_of_shares(const Member& me) {
  Schedule steps;
  const auto p = static_cast<std::uint64_t>(me.p);
  const auto before = [&](std::uint64_t share) {
    return static_cast<std::uint64_t>(static_cast<Wide>(me.m) * share / p);
  };
  for (int k = 0; k <= 2 * me.p - 3; ++k) {
    const auto share = static_cast<std::uint64_t>(me.back(k));
    steps.push_back({me.on(1), before(share + 1) - before(share), me.back(1)});
  }
  return steps;
}

Schedule allgather_bruck(const Member& me) {
  Schedule steps;
  for (int k = 0; k < me.rounds(); ++k) {
    const auto parts = static_cast<std::uint64_t>(std::min(1 << k, me.p - (1 << k)));
    steps.push_back({me.back(1 << k), me.m * parts, me.on(1 << k)});
  }
  return steps;
}

Schedule allgather_ring(const Member& me) {
  return Schedule(static_cast<std::size_t>(me.p - 1), Step{me.on(1), me.m, me.back(1)});
}

Schedule pairwise(const Member& me) {
  Schedule steps;
  for (int k = 1; k < me.p; ++k)
    steps.push_back({me.on(k), me.m / static_cast<std::uint64_t>(me.p), me.back(k)});
  return steps;
}

Schedule alltoall_bruck(const Member& me) {
  Schedule steps;
  for (int k = 0; k < me.rounds(); ++k) {
    std::uint64_t parts = 0;
    for (int number = 0; number < me.p; ++number) parts += (number >> k) & 1;
    steps.push_back({me.on(1 << k), me.m / static_cast<std::uint64_t>(me.p) * parts, me.back(1 << k)});
  }
  return steps;
}

Schedule scan_doubling(const Member& me) {
  Schedule steps;
  for (int k = 0; k < me.rounds(); ++k) {
    const int above = me.r + (1 << k), below = me.r - (1 << k);
    const Step step{above < me.p ? above : kNobody, me.m, below >= 0 ? below : kNobody};
    if (step.to != kNobody || step.from != kNobody) steps.push_back(step);
  }
  return steps;
}

/// Linear: the members send m to the root, and the root sends to the members, "one after the other".
Schedule master_and_slaves(const Member& me, bool in, std::uint64_t bytes_in, bool out,
                           std::uint64_t bytes_out) {
  Schedule steps;
  const int root = me.a;
  if (me.r != root) {
    if (in) steps.push_back({root, bytes_in, kNobody});
    if (out) steps.push_back({kNobody, 0, root});
    return steps;
  }
  for (int v = 1; in && v < me.p; ++v) steps.push_back({kNobody, 0, me.of_v(v)});
  for (int v = 1; out && v < me.p; ++v) steps.push_back({me.of_v(v), bytes_out, kNobody});
  return steps;
}

Schedule linear(Pattern pattern, Member me) {
  const auto p = static_cast<std::uint64_t>(me.p);
  const Member first{me.p, me.r, 0, me.m};
  switch (pattern) {
    case Pattern::barrier:
      return master_and_slaves(first, true, 0, true, 0);
    case Pattern::broadcast:
    case Pattern::scatter:
      return master_and_slaves(me, false, 0, true, me.m);
    case Pattern::reduce:
    case Pattern::gather:
      return master_and_slaves(me, true, me.m, false, 0);
    case Pattern::allreduce:
      return master_and_slaves(first, true, me.m, true, me.m);
    case Pattern::allgather:
      return master_and_slaves(first, true, me.m, true, p * me.m);
    case Pattern::reduce_scatter:
      return master_and_slaves(first, true, me.m, true, me.m / p);
    default:
      break;
  }
  Schedule chain;
  if (me.r > 0) chain.push_back({kNobody, 0, me.r - 1});
  if (me.r < me.p - 1) chain.push_back({me.r + 1, me.m, kNobody});
  return chain;
}

/// Up the tree to the first member, then down again.
Schedule up_and_down(Member me) {
  me.a = 0;
  Schedule steps = up_the_tree(me, true);
  for (const Step& step : down_the_tree(me, true)) steps.push_back(step);
  return steps;
}

/// "the shares of v (as of allreduce, ring), v + 1, ... of a subtree go down the tree as in scatter", then p
/// - 1 times one share to the next member.
Schedule scatter_and_allgather(const Member& me) {
  const auto begin_of = [&](int share) {
    return static_cast<std::uint64_t>(static_cast<Wide>(me.m) * share / me.p);
  };
  Schedule steps;
  const int v = me.v();
  const int own_bit = v > 0 ? v & -v : 1 << me.rounds();
  if (v > 0) steps.push_back({kNobody, 0, me.of_v(v - own_bit)});
  for (int bit = own_bit / 2; bit > 0; bit /= 2)
    if (v + bit < me.p)
      steps.push_back({me.of_v(v + bit), begin_of(std::min(v + 2 * bit, me.p)) - begin_of(v + bit), kNobody});
  for (int k = 0; k < me.p - 1; ++k) {
    const int share = ((v - k) % me.p + me.p) % me.p;
    steps.push_back({me.on(1), begin_of(share + 1) - begin_of(share), me.back(1)});
  }
  return steps;
}

/// The last choice that m reaches; "Where members contribute different amounts (the v-variants), it is always
/// the last".
Algorithm chosen(const Platform& platform, const Operation& operation) {
  const auto own = platform.collectives.find(operation.pattern);
  const machine::AlgorithmChoices& choices =
      own == platform.collectives.end() ? machine::usual_algorithms(operation.pattern) : own->second;
  Algorithm algorithm = choices.front().algorithm;
  for (const machine::AlgorithmChoice& choice : choices)
    if (operation.uneven || choice.from_bytes <= operation.bytes) algorithm = choice.algorithm;
  return algorithm;
}

Schedule schedule(Pattern pattern, const Member& me, Algorithm algorithm) {
  if (algorithm == Algorithm::linear) return linear(pattern, me);
  if (algorithm == Algorithm::scatter_allgather) return scatter_and_allgather(me);
  const bool tree = algorithm == Algorithm::binomial;
  switch (pattern) {
    case Pattern::barrier:
      return tree ? up_and_down({me.p, me.r, 0, 0}) : dissemination(me);
    case Pattern::broadcast:
      return down_the_tree(me, true);
    case Pattern::reduce:
      return up_the_tree(me, true);
    case Pattern::allreduce:
      return tree                                   ? up_and_down(me)
             : algorithm == Algorithm::ring         ? ring_of_shares(me)
             : algorithm == Algorithm::rabenseifner ? rabenseifner(me)
                                                    : recursive_doubling(me);
    case Pattern::gather:
      return up_the_tree(me, false);
    case Pattern::scatter:
      return down_the_tree(me, false);
    case Pattern::allgather:
      return algorithm == Algorithm::bruck ? allgather_bruck(me) : allgather_ring(me);
    case Pattern::alltoall:
      return algorithm == Algorithm::bruck ? alltoall_bruck(me) : pairwise(me);
    case Pattern::reduce_scatter:
      return pairwise(me);
    case Pattern::scan:
      return scan_doubling(me);
    case Pattern::none:
    case Pattern::neighbourhood:
      break;
  }
  return {};
}

// ---- The actions of a rank, unrolled

class Unroller {
 public:
  Unroller(const Trace& trace, const Platform& platform, std::int32_t rank, bool barriers_apart)
      : trace_(trace),
        platform_(platform),
        rank_(rank),
        barriers_apart_(barriers_apart),
        noise_(platform.noise.value_or(Noise{}), rank) {}

  std::vector<Action> unroll() {
    const trace::Sequence& words = trace_.sequences[trace_.sequence_of[static_cast<std::size_t>(rank_)]];
    words_between(words, 0, words.size());
    return std::move(actions_);
  }

 private:
  void words_between(const trace::Sequence& words, std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; ++at) {
      const Item word = words[at];
      if (word.what() == Item::What::compute) {
        Time time = rounded_product(static_cast<std::uint64_t>(word.time()), platform_.compute_ratio);
        if (platform_.noise) time = noise_.next(time);
        actions_.push_back({.act = Act::compute, .time = time});
      } else if (word.what() == Item::What::operation) {
        for (std::uint32_t k = 0; k < word.times(); ++k) call(word.index());
      } else {
        for (std::uint32_t k = 0; k < word.times(); ++k) words_between(words, at + 1, at + 1 + word.words());
        at += word.words();
      }
    }
  }

  /// "while it stays in a receive, a wait, a probe, a read, a write, a lock, a blocking rendezvous send or a
  /// collective, from entry to exit"
  bool stays_in(const Operation& operation) const {
    if (trace::begins_request(operation.kind)) return false;
    if (trace::is_access(operation.kind)) return operation.peer != 0;
    if (operation.kind == Kind::unlock) return false;
    if (operation.kind != Kind::send) return true;
    return !is_eager(platform_.links[platform_.link_between(rank_, rank_ + operation.peer)], operation.bytes,
                     operation.mode);
  }

  void call(std::uint32_t index) {
    const Operation& operation = trace_.operations[index];
    const std::size_t first = actions_.size();
    parts_of(operation);
    for (std::size_t at = first; at < actions_.size(); ++at) actions_[at].operation = index;
  }

  void parts_of(const Operation& operation) {
    const bool stays = stays_in(operation);
    actions_.push_back({.act = Act::enter, .stays = stays});
    switch (operation.kind) {
      case Kind::send:
      case Kind::receive:
        message(operation, false);
        actions_.push_back({.act = Act::wait});
        break;
      case Kind::start_send:
      case Kind::start_receive:
        message(operation, true);
        break;
      case Kind::probe:
        message(operation, false);
        break;
      case Kind::wait:
        actions_.push_back({.act = Act::wait, .distances = trace_.request_sets[operation.requests]});
        break;
      case Kind::collective:
        collective(operation);
        break;
      case Kind::read:
      case Kind::write:
      case Kind::start_read:
      case Kind::start_write:
        access(operation);
        break;
      case Kind::lock_shared:
      case Kind::lock_exclusive:
      case Kind::unlock:
        lock(operation);
        break;
    }
    actions_.push_back({.act = Act::leave, .stays = stays});
  }

  void message(const Operation& operation, bool named) {
    const bool sends = operation.kind == Kind::send || operation.kind == Kind::start_send;
    actions_.push_back({.act = sends                           ? Act::send
                               : operation.kind == Kind::probe ? Act::probe
                                                               : Act::post,
                        .partner = operation.peer == trace::kAny ? trace::kAny : rank_ + operation.peer,
                        .tag = operation.tag,
                        .communicator = operation.communicator,
                        .bytes = operation.bytes,
                        .mode = operation.mode,
                        .named = named});
  }

  void access(const Operation& operation) {
    const bool reads = operation.kind == Kind::read || operation.kind == Kind::start_read,
               named = trace::begins_request(operation.kind);
    actions_.push_back({.act = reads ? Act::read : Act::write,
                        .partner = rank_ + operation.peer,
                        .bytes = operation.bytes,
                        .named = named});
    if (!named) actions_.push_back({.act = Act::wait});
  }

  void lock(const Operation& operation) {
    Action action{.act = operation.kind == Kind::unlock ? Act::unlock : Act::lock,
                  .tag = operation.tag,
                  .communicator = operation.communicator};
    action.alone = operation.kind == Kind::lock_exclusive;
    action.owners = operation.peer == trace::kAny ? members_of(trace_, operation.communicator)
                                                  : std::vector{rank_ + operation.peer};
    actions_.push_back(action);
    if (action.act == Act::lock) actions_.push_back({.act = Act::wait});
  }

  void collective(const Operation& operation) {
    if (barriers_apart_ && operation.pattern == Pattern::barrier) {
      actions_.push_back({.act = Act::barrier, .communicator = operation.communicator});
      return;
    }
    const std::vector<std::int32_t> members = members_of(trace_, operation.communicator);
    Member me;
    me.p = static_cast<int>(members.size());
    me.r = static_cast<int>(std::find(members.begin(), members.end(), rank_) - members.begin());
    me.a = operation.root;
    me.m = operation.bytes;
    // "its schedule (below) as steps of start receive, start send, wait for both"
    for (const Step& step : schedule(operation.pattern, me, chosen(platform_, operation))) {
      Action half{.communicator = operation.communicator, .collective = true, .bytes = step.bytes};
      if (step.from != kNobody) {
        half.act = Act::post;
        half.partner = members[static_cast<std::size_t>(step.from)];
        actions_.push_back(half);
      }
      if (step.to != kNobody) {
        half.act = Act::send;
        half.partner = members[static_cast<std::size_t>(step.to)];
        actions_.push_back(half);
      }
      actions_.push_back({.act = Act::wait});
    }
  }

  const Trace& trace_;
  const Platform& platform_;
  std::int32_t rank_;
  bool barriers_apart_;
  NoiseOfRank noise_;
  std::vector<Action> actions_;
};

}  // namespace

std::vector<std::int32_t> members_of(const Trace& trace, std::uint32_t communicator) {
  std::vector<std::int32_t> members = trace.communicators[communicator].members;
  if (communicator > 0) return members;
  members.resize(static_cast<std::size_t>(trace.ranks));
  std::iota(members.begin(), members.end(), 0);
  return members;
}

std::vector<Action> unroll(const Trace& trace, const Platform& platform, std::int32_t rank,
                           bool barriers_apart) {
  return Unroller(trace, platform, rank, barriers_apart).unroll();
}

}  // namespace parcast::simulate::reference
