// SPDX-License-Identifier: Apache-2.0
#include "trace/rehearsal.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "trace/kinds.h"

namespace parcast::trace {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// Identifies messages between two ranks with one communicator and tag.
struct Key {
  std::int32_t from = 0, to = 0, tag = 0;
  std::uint32_t communicator = 0;
  bool operator==(const Key&) const = default;
};

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::uint64_t hash = static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.from)) << 32 |
                         static_cast<std::uint32_t>(key.to);
    hash = (hash ^ (hash >> 29)) * 0x9e3779b97f4a7c15u ^
           (static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.tag)) << 32 | key.communicator);
    return static_cast<std::size_t>((hash ^ (hash >> 31)) * 0xbf58476d1ce4e5b9u >> 7);
  }
};

bool names_all(const Operation& operation) {
  return operation.peer != kAny && operation.tag != kAny;
}

Key key_of(const Operation& operation, std::int32_t rank) {
  const std::int32_t other = rank + operation.peer;
  return is_send(operation.kind) ? Key{rank, other, operation.tag, operation.communicator}
                                 : Key{other, rank, operation.tag, operation.communicator};
}

/// Returns how often a sequence executes each operation, with loops unrolled.
std::map<std::uint32_t, std::uint64_t> counts_of(const Sequence& sequence) {
  std::map<std::uint32_t, std::uint64_t> out;
  std::vector<std::pair<std::size_t, std::uint64_t>> loops{{sequence.size() + 1, 1}};  // end, times
  for (std::size_t at = 0; at < sequence.size(); ++at) {
    while (loops.back().first == at) loops.pop_back();
    const Item item = sequence[at];
    if (item.what() == Item::What::loop)
      loops.emplace_back(at + 1 + item.words(), loops.back().second * item.times());
    else if (item.what() == Item::What::operation)
      out[item.index()] += loops.back().second * item.times();
  }
  return out;
}

/// Counts the operations that have no partner on the other side.
class Surplus {
 public:
  Surplus(const Trace& trace, std::span<const RankLanes> lanes) : trace_(trace) {
    std::vector<std::map<std::uint32_t, std::uint64_t>> counts;
    for (const Sequence& sequence : trace.sequences) counts.push_back(counts_of(sequence));
    for (std::int32_t rank = 0; rank < trace.ranks; ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      for (const auto& [index, times] : counts[trace.sequence_of[r]])
        add(rank, index, static_cast<std::int64_t>(times));
      for (const Lane& lane : lanes[r].lanes)
        for (const LaneStep& step : lane)
          if (step.operation < trace.operations.size()) add(rank, step.operation, 1);
    }
  }

  /// Number of receives minus number of sends.
  std::int64_t& receives(const Key& key) { return receives_[key]; }
  /// Returns the member of a communicator that has the fewest of its collectives. Returns -1 when no member
  /// has fewer than this rank, not counting the collectives that this rank gave up.
  std::int32_t lacks_collectives(std::uint32_t communicator, std::int32_t rank) {
    const std::map<std::int32_t, std::int64_t>& counts = collectives_[communicator];
    std::pair<std::int64_t, std::int32_t> least{counts.at(rank) - given_up_[{communicator, rank}], -1};
    for_each_member(communicator, [&](std::int32_t member) {
      const auto at = counts.find(member);
      const std::int64_t count = at == counts.end() ? 0 : at->second;
      if (count < least.first) least = {count, member};
    });
    return least.second;
  }
  void give_up_collective(std::uint32_t communicator, std::int32_t rank) {
    ++given_up_[{communicator, rank}];
  }

 private:
  void add(std::int32_t rank, std::uint32_t index, std::int64_t times) {
    const Operation& operation = trace_.operations[index];
    if (operation.kind == Kind::collective)
      collectives_[operation.communicator][rank] += times;
    else if (is_send(operation.kind))
      receives_[key_of(operation, rank)] -= times;
    else if (is_receive(operation.kind) && names_all(operation))
      receives_[key_of(operation, rank)] += times;
  }
  template <class Take>
  void for_each_member(std::uint32_t communicator, Take take) const {
    for (const std::int32_t member : trace_.communicators[communicator].members) take(member);
    if (communicator > 0) return;
    for (std::int32_t rank = 0; rank < trace_.ranks; ++rank) take(rank);
  }

  const Trace& trace_;
  std::unordered_map<Key, std::int64_t, KeyHash> receives_;
  std::map<std::uint32_t, std::map<std::int32_t, std::int64_t>> collectives_;
  std::map<std::pair<std::uint32_t, std::int32_t>, std::int64_t> given_up_;
};

class Stage {
 public:
  Stage(const Trace& trace, std::span<const RankLanes> lanes)
      : trace_(trace), lanes_(lanes), ranks_(static_cast<std::size_t>(trace.ranks)) {
    for (const auto& set : trace.request_sets)
      if (!set.empty()) farthest_ = std::max(farthest_, set.back());
    out_.order.resize(ranks_.size());
    for (std::int32_t rank = 0; rank < trace.ranks; ++rank) {
      Rank& self = ranks_[static_cast<std::size_t>(rank)];
      self.first = static_cast<std::uint32_t>(actors_.size());
      const std::size_t own = lanes[static_cast<std::size_t>(rank)].lanes.size();
      for (std::uint32_t lane = 0; lane < std::max<std::size_t>(own, 1); ++lane) {
        Actor& actor = actors_.emplace_back();
        actor.rank = rank, actor.lane = lane;
        if (own > 0)
          actor.steps = &lanes[static_cast<std::size_t>(rank)].lanes[lane];
        else
          actor.walker = Walker(trace.sequences[trace.sequence_of[static_cast<std::size_t>(rank)]]);
      }
      self.count = static_cast<std::uint32_t>(actors_.size()) - self.first;
      if (own == 0 && farthest_ > 0) self.ring.assign(std::size_t{farthest_} + 1, kNone);
      wake(rank);
    }
  }

  Rehearsal run() {
    for (;;) {
      while (!awake_.empty()) {
        const std::int32_t rank = awake_.front();
        awake_.pop_front();
        ranks_[static_cast<std::size_t>(rank)].awake = false;
        play(rank);
      }
      if (go_on_out_of_order()) continue;
      if (!give_up_something()) break;
    }
    give_up_incomplete();
    std::ranges::sort(out_.missing, {},
                      [](const Missing& each) { return std::tuple(each.rank, each.lane, each.number); });
    return std::move(out_);
  }

 private:
  enum class State : std::uint8_t { between, staying, done };
  /// One side of a message: a send or a receive.
  struct Side {
    std::uint32_t actor = 0, operation = 0;
    std::uint64_t number = 0;          // position of the operation in its lane
    std::uint32_t awaited_by = kNone;  // the actor that waits until it is matched
    std::uint32_t uses = 1;            // places that refer to this side
    bool matched = false;
  };
  struct Actor {
    std::int32_t rank = 0;
    std::uint32_t lane = 0;
    State state = State::between;
    bool probing = false, gathering = false;
    std::uint32_t missing = 0;           // awaited sides that are not matched
    std::uint32_t operation = kNone;     // the current operation
    std::uint64_t number = 0, done = 0;  // position of the current operation; operations so far
    std::vector<std::uint32_t> awaited;
    Walker walker;
    const Lane* steps = nullptr;  // null: uses the walker
    std::size_t at = 0;
  };
  struct Rank {
    std::uint32_t first = 0, count = 0;  // range in actors_
    bool awake = false;
    std::uint64_t begun = 0;
    std::vector<std::uint32_t> ring;  // sides of the most recent requests, by number
    std::unordered_map<std::uint64_t, std::uint32_t> by_number;    // same, for a rank with lanes
    std::unordered_map<std::uint32_t, std::uint64_t> collectives;  // collectives begun, by communicator
  };
  struct Channel {
    std::deque<std::uint32_t> sends, receives;
    std::vector<std::uint32_t> probing;  // actors
  };
  struct Entry {
    std::uint32_t actor = 0, operation = 0;
    std::uint64_t number = 0;  // position of the operation in its lane
    bool left = false;
  };
  // communicator, number of collectives in it before
  using GatheringKey = std::pair<std::uint32_t, std::uint64_t>;

  void wake(std::int32_t rank) {
    Rank& self = ranks_[static_cast<std::size_t>(rank)];
    if (!std::exchange(self.awake, true)) awake_.push_back(rank);
  }
  Rank& rank_of(const Actor& actor) { return ranks_[static_cast<std::size_t>(actor.rank)]; }
  const RankLanes& lanes_of(const Actor& actor) const { return lanes_[static_cast<std::size_t>(actor.rank)]; }
  bool may_end(const Actor& actor) const { return actor.missing == 0 && !actor.probing && !actor.gathering; }

  /// Runs the rank's threads in the order of the recorded times as far as possible. A thread in a collective
  /// does not block the rank's other threads.
  void play(std::int32_t rank) {
    const Rank& self = ranks_[static_cast<std::size_t>(rank)];
    for (;;) {
      Actor* first = nullptr;
      for (std::uint32_t i = self.first; i < self.first + self.count; ++i) {
        Actor& actor = actors_[i];
        if (actor.state == State::done || actor.gathering) continue;
        if (!first || time_of(actor) < time_of(*first)) first = &actor;
      }
      if (!first || !step(*first)) return;
    }
  }

  /// Returns when the actor's next step begins, or when its current step ends.
  static std::int64_t time_of(const Actor& actor) {
    if (!actor.steps || actor.at == actor.steps->size()) return std::numeric_limits<std::int64_t>::max();
    const LaneStep& next = (*actor.steps)[actor.at];
    return actor.state == State::staying ? next.exit : next.enter;
  }

  /// Returns false when the actor cannot continue now.
  bool step(Actor& actor) {
    if (actor.state == State::between) return begin(actor);
    if (!may_end(actor)) return false;
    end(actor);
    return true;
  }

  bool begin(Actor& actor) {
    if (actor.steps) return begin_step(actor);
    do {
      if (!actor.walker.next()) return actor.state = State::done, true;
    } while (actor.walker.item().what() != Item::What::operation);
    const std::uint32_t index = actor.walker.item().index();
    const Operation& operation = trace_.operations[index];
    Rank& self = rank_of(actor);
    if (begins_request(operation.kind)) ++self.begun;
    begin_operation(actor, index, self.begun);
    if (operation.kind == Kind::wait)
      for (const std::uint32_t ago : trace_.request_sets[operation.requests])
        if (ago <= self.begun)
          await(actor, std::exchange(self.ring[(self.begun + 1 - ago) % self.ring.size()], kNone));
    return true;
  }

  bool begin_step(Actor& actor) {
    if (actor.at == actor.steps->size()) return actor.state = State::done, true;
    const LaneStep& step = (*actor.steps)[actor.at];
    note(actor, false);
    if (step.operation == LaneStep::kNothing) return ++actor.at, true;
    if (step.operation != LaneStep::kWait) return begin_operation(actor, step.operation, step.first), true;
    stay(actor, LaneStep::kWait);
    for (std::uint32_t i = 0; i < step.count; ++i)
      if (auto found = rank_of(actor).by_number.extract(lanes_of(actor).requests[step.first + i]))
        await(actor, found.mapped());
    return true;
  }

  /// Notes a begin or an end in the order, for a rank with lanes.
  void note(const Actor& actor, bool ends) {
    if (actor.steps)
      out_.order[static_cast<std::size_t>(actor.rank)].push_back(2 * actor.lane + (ends ? 1 : 0));
  }

  void stay(Actor& actor, std::uint32_t operation) {
    actor.operation = operation;
    actor.number = actor.done++;
    actor.state = State::staying;
  }

  void begin_operation(Actor& actor, std::uint32_t index, std::uint64_t request) {
    const Operation& operation = trace_.operations[index];
    stay(actor, index);
    if (is_send(operation.kind) || is_receive(operation.kind)) {
      const std::uint32_t side = new_side(actor, index);
      if (names_all(operation))
        offer(side, key_of(operation, actor.rank));
      else
        sides_[side].matched = true;
      if (begins_request(operation.kind))
        hold(actor, side, request);
      else
        await(actor, use(side));
      release(side);
    } else if (begins_request(operation.kind)) {
      hold(actor, kNone, request);
    } else if (operation.kind == Kind::probe && names_all(operation)) {
      probe(actor, key_of(operation, actor.rank));
    } else if (operation.kind == Kind::collective) {
      return gather(actor, operation);
    }
    if (!stays(operation.kind)) pass(actor);
  }

  /// Ends the current operation.
  void pass(Actor& actor) {
    actor.state = State::between;
    if (actor.steps) ++actor.at;
  }

  void end(Actor& actor) {
    note(actor, true);
    for (const std::uint32_t side : actor.awaited) sides_[side].awaited_by = kNone, release(side);
    actor.awaited.clear();
    pass(actor);
  }

  std::uint32_t number_of(const Actor& actor) const {
    return static_cast<std::uint32_t>(&actor - actors_.data());
  }

  std::uint32_t new_side(const Actor& actor, std::uint32_t operation) {
    const Side side{.actor = number_of(actor), .operation = operation, .number = actor.number};
    if (free_.empty()) return sides_.push_back(side), static_cast<std::uint32_t>(sides_.size() - 1);
    const std::uint32_t index = free_.back();
    free_.pop_back();
    sides_[index] = side;
    return index;
  }

  std::uint32_t use(std::uint32_t side) { return ++sides_[side].uses, side; }

  void release(std::uint32_t side) {
    if (side != kNone && --sides_[side].uses == 0) free_.push_back(side);
  }

  /// Keeps the side of a request for later waits.
  void hold(const Actor& actor, std::uint32_t side, std::uint64_t request) {
    Rank& self = rank_of(actor);
    if (side != kNone && (actor.steps || !self.ring.empty())) use(side);
    if (actor.steps)
      self.by_number[request] = side;
    else if (!self.ring.empty())
      release(std::exchange(self.ring[request % self.ring.size()], side));
  }

  /// Makes the actor wait for a side. Standard and buffered sends complete at once.
  void await(Actor& actor, std::uint32_t index) {
    if (index == kNone) return;
    Side& side = sides_[index];
    const Operation& operation = trace_.operations[side.operation];
    if (is_send(operation.kind) && operation.mode != Mode::synchronous) return release(index);
    side.awaited_by = number_of(actor);
    actor.awaited.push_back(index);
    actor.missing += !side.matched;
  }

  void offer(std::uint32_t side, const Key& key) {
    Channel& channel = channels_[key];
    const bool sends = is_send(trace_.operations[sides_[side].operation].kind);
    auto& others = sends ? channel.receives : channel.sends;
    if (others.empty()) {
      (sends ? channel.sends : channel.receives).push_back(use(side));
      if (sends) end_probes(channel);
      return;
    }
    const std::uint32_t other = others.front();
    others.pop_front();
    match(side), match(other);
    release(other);
  }

  void match(std::uint32_t index) {
    Side& side = sides_[index];
    side.matched = true;
    if (side.awaited_by == kNone) return;
    Actor& actor = actors_[side.awaited_by];
    if (--actor.missing == 0) wake(actor.rank);
  }

  void probe(Actor& actor, const Key& key) {
    Channel& channel = channels_[key];
    if (!channel.sends.empty()) return;
    actor.probing = true;
    channel.probing.push_back(number_of(actor));
  }

  void end_probes(Channel& channel) {
    for (const std::uint32_t each : std::exchange(channel.probing, {})) {
      actors_[each].probing = false;
      wake(actors_[each].rank);
    }
  }

  std::size_t members_of(std::uint32_t communicator) const {
    return communicator == 0 ? ranks_.size() : trace_.communicators[communicator].members.size();
  }

  std::int32_t root_of(const Operation& operation) const {
    return operation.communicator == 0 ? operation.root
                                       : trace_.communicators[operation.communicator]
                                             .members[static_cast<std::size_t>(operation.root)];
  }

  void gather(Actor& actor, const Operation& operation) {
    actor.gathering = true;
    const GatheringKey key{operation.communicator, rank_of(actor).collectives[operation.communicator]++};
    gatherings_[key].push_back({number_of(actor), actor.operation, actor.number});
    let_leave(key);
  }

  bool same(const Entry& a, const Entry& b) const {
    const Operation &x = trace_.operations[a.operation], &y = trace_.operations[b.operation];
    return x.pattern == y.pattern && x.root == y.root;
  }

  /// Returns whether a member may leave the collective. A root that sends waits for nobody; a root that
  /// receives waits for all. Any other member waits for the root, or for nobody.
  bool may_leave(const std::vector<Entry>& entries, const Entry& entry) const {
    using recording::Pattern;
    const Operation& operation = trace_.operations[entry.operation];
    const bool gives = operation.pattern == Pattern::broadcast || operation.pattern == Pattern::scatter;
    const bool takes = operation.pattern == Pattern::reduce || operation.pattern == Pattern::gather;
    const bool is_root = actors_[entry.actor].rank == root_of(operation);
    if ((gives && is_root) || (takes && !is_root)) return true;
    const auto alike = [&](const Entry& other) { return same(other, entry); };
    if (gives)
      return std::ranges::any_of(entries, [&](const Entry& other) {
        return alike(other) && actors_[other.actor].rank == root_of(operation);
      });
    return static_cast<std::size_t>(std::ranges::count_if(entries, alike)) ==
           members_of(operation.communicator);
  }

  /// Lets every member that may leave end the collective now, on all ranks at once: a rank that leaves may
  /// unblock others.
  void let_leave(const GatheringKey& key) {
    const auto found = gatherings_.find(key);
    std::vector<Entry>& entries = found->second;
    const bool complete = entries.size() == members_of(key.first);
    for (Entry& entry : entries) {
      if (entry.left || !may_leave(entries, entry)) continue;
      entry.left = true;
      Actor& actor = actors_[entry.actor];
      actor.gathering = false;
      end(actor);
      wake(actor.rank);
    }
    if (complete && std::ranges::all_of(entries, &Entry::left)) gatherings_.erase(found);
  }

  /// Lets an actor continue against the order of the recorded times, which may be means or come from
  /// differing clocks.
  bool go_on_out_of_order() {
    for (Actor& actor : actors_) {
      if (actor.state == State::done || actor.gathering || rank_of(actor).count < 2) continue;
      if (step(actor)) return wake(actor.rank), true;
    }
    return false;
  }

  /// Gives up an operation that can never end, so that its actor can continue; operations with a proven
  /// surplus first. Returns false when all actors have ended.
  bool give_up_something() {
    Actor* any = nullptr;
    for (Actor& actor : actors_) {
      if (actor.state != State::staying) continue;
      if (!surplus_) surplus_.emplace(trace_, lanes_);
      if (give_up(actor, true)) return wake(actor.rank), true;
      if (!any) any = &actor;
    }
    if (!any) return false;
    give_up(*any, false);
    return wake(any->rank), true;
  }

  /// `sure`: give up only operations whose side occurs more often than the other side. Returns whether any
  /// was given up.
  bool give_up(Actor& actor, bool sure) {
    if (actor.gathering) return give_up_collective(actor, sure);
    if (actor.probing) return give_up_probe(actor, sure);
    bool any = false;
    for (const std::uint32_t index : actor.awaited) {
      Side& side = sides_[index];
      if (side.matched) continue;
      const Operation& operation = trace_.operations[side.operation];
      const Key key = key_of(operation, actors_[side.actor].rank);
      const bool sends = is_send(operation.kind);
      std::int64_t& more = surplus_->receives(key);
      if (sure && (sends ? more >= 0 : more <= 0)) continue;
      more += sends ? 1 : -1;
      out_.missing.push_back({actors_[side.actor].rank, actors_[side.actor].lane, side.number, side.operation,
                              sends ? key.to : key.from});
      side.awaited_by = kNone;
      side.matched = any = true;  // a send that nobody waits for may still be received
      --actor.missing;
      if (!sends) withdraw(channels_[key].receives, index);
    }
    return any;
  }

  void withdraw(std::deque<std::uint32_t>& waiting, std::uint32_t side) {
    waiting.erase(std::ranges::find(waiting, side));
    release(side);
  }

  bool give_up_probe(Actor& actor, bool sure) {
    const Key key = key_of(trace_.operations[actor.operation], actor.rank);
    if (sure && surplus_->receives(key) <= 0) return false;
    std::erase(channels_[key].probing, number_of(actor));
    actor.probing = false;
    out_.missing.push_back({actor.rank, actor.lane, actor.number, actor.operation, key.from});
    return true;
  }

  bool give_up_collective(Actor& actor, bool sure) {
    const std::uint32_t communicator = trace_.operations[actor.operation].communicator;
    const std::int32_t lacking = surplus_->lacks_collectives(communicator, actor.rank);
    if (sure && lacking < 0) return false;
    const GatheringKey key{communicator, --rank_of(actor).collectives[communicator]};
    std::vector<Entry>& entries = gatherings_.at(key);
    std::erase_if(entries, [&](const Entry& entry) { return entry.actor == number_of(actor); });
    out_.missing.push_back({actor.rank, actor.lane, actor.number, actor.operation,
                            lacking >= 0 ? lacking : first_absent(communicator, entries, actor.rank)});
    surplus_->give_up_collective(communicator, actor.rank);
    actor.gathering = false;
    end(actor);
    if (entries.empty())
      gatherings_.erase(key);
    else
      let_leave(key);
    return true;
  }

  /// Reports members that left a collective early when other members never came.
  void give_up_incomplete() {
    for (const auto& [key, entries] : gatherings_)
      for (const Entry& entry : entries) {
        const Actor& actor = actors_[entry.actor];
        out_.missing.push_back({actor.rank, actor.lane, entry.number, entry.operation,
                                first_absent(key.first, entries, actor.rank)});
      }
  }

  std::int32_t first_absent(std::uint32_t communicator, const std::vector<Entry>& entries,
                            std::int32_t self) const {
    for (std::size_t place = 0; place < members_of(communicator); ++place) {
      const std::int32_t member = communicator == 0 ? static_cast<std::int32_t>(place)
                                                    : trace_.communicators[communicator].members[place];
      if (member != self && std::ranges::none_of(entries, [&](const Entry& entry) {
            return actors_[entry.actor].rank == member;
          }))
        return member;
    }
    return -1;
  }

  const Trace& trace_;
  const std::span<const RankLanes> lanes_;
  std::uint32_t farthest_ = 0;
  std::vector<Actor> actors_;
  std::vector<Rank> ranks_;
  std::deque<std::int32_t> awake_;
  std::vector<Side> sides_;
  std::vector<std::uint32_t> free_;
  std::unordered_map<Key, Channel, KeyHash> channels_;
  std::map<GatheringKey, std::vector<Entry>> gatherings_;
  std::optional<Surplus> surplus_;
  Rehearsal out_;
};

}  // namespace

Rehearsal rehearse(const Trace& trace, std::span<const RankLanes> lanes) {
  return Stage(trace, lanes).run();
}

bool Rehearsal::changes(std::int32_t rank) const {
  return !order[static_cast<std::size_t>(rank)].empty() ||
         std::ranges::binary_search(missing, rank, {}, &Missing::rank);
}

}  // namespace parcast::trace
