// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/periods.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

#include "predict/simulate/engine.h"

namespace parcast::simulate {
namespace {

/// A part of a state, as 64-bit words. Times are relative to the present; where only this matters, a past
/// time is stored as "past".
class Part {
 public:
  explicit Part(Time now) : now_(now) {}
  void clear() { words_.clear(); }
  void add(std::uint64_t word) { words_.push_back(word); }
  void add(std::uint32_t high, std::uint32_t low) { words_.push_back(std::uint64_t{high} << 32 | low); }
  void time(Time time) {
    words_.push_back(time == kUnknown ? UINT64_MAX : static_cast<std::uint64_t>(time - now_) & kMask);
  }
  void time_or_past(Time time) {
    words_.push_back(time == kUnknown ? UINT64_MAX
                     : time < now_    ? UINT64_MAX - 1
                                      : static_cast<std::uint64_t>(time - now_));
  }
  Time now() const { return now_; }
  std::vector<std::uint64_t>& words() { return words_; }

 private:
  // differences are far below it, and from the two values for unknown and past
  static constexpr std::uint64_t kMask = UINT64_MAX >> 1;
  Time now_;
  std::vector<std::uint64_t> words_;
};

enum PartKind : std::uint64_t {
  kRank,
  kChannel,
  kEarly,
  kPair,
  kCollectives,
  kGathering,
  kEvent,
  kLocked,
  kOwnLocks
};

}  // namespace

void Digest::add(const std::vector<std::uint64_t>& words, std::uint64_t kind_of_part) {
  const XXH128_hash_t hash =
      XXH3_128bits_withSeed(words.data(), words.size() * sizeof(std::uint64_t), kind_of_part);
  low += hash.low64;
  high += hash.high64;
}

/// Computes the digest of an engine's state.
class StateOf {
 public:
  StateOf(Engine& engine, Time now) : engine_(engine), part_(now) {}

  Digest digest() {
    for (std::size_t rank = 0; rank < engine_.ranks_.size(); ++rank)
      note_rank(static_cast<std::int32_t>(rank));
    for (std::size_t i = 0; i < engine_.channels_.size(); ++i) note_channel(engine_.channels_[i], i);
    if (engine_.compiled_.envelopes || engine_.compiled_.collectives)
      for (std::size_t rank = 0; rank < engine_.ranks_.size(); ++rank)
        note_seldom(static_cast<std::int32_t>(rank));
    for (const auto& [key, gathering] : engine_.gatherings_) note_gathering(key, gathering);
    engine_.agenda_.for_each([&](const Event& event) { note_event(event); });
    for (const auto& [key, part] : engine_.locked_) note_locked(key, part);
    for (std::size_t rank = 0; engine_.compiled_.locks && rank < engine_.ranks_.size(); ++rank)
      note_own_locks(static_cast<std::int32_t>(rank));
    return digest_;
  }

 private:
  void done(PartKind kind) {
    digest_.add(part_.words(), kind);
    part_.clear();
  }

  void note_rank(std::int32_t rank) {
    const Rank& self = engine_.rank_of(rank);
    part_.add(static_cast<std::uint32_t>(rank), self.walker.position());
    part_.add(self.walker.depth(), self.walker.times_left());
    part_.add(static_cast<std::uint64_t>(self.mood) | std::uint64_t{self.in_call} << 8 |
              std::uint64_t{self.again} << 9 | std::uint64_t{self.in_collective} << 10 |
              std::uint64_t{self.gathered} << 11 | std::uint64_t{self.attention_due} << 12 |
              std::uint64_t{self.probing} << 13);
    part_.add(self.missing, self.asking);
    part_.add(self.open_receives, self.open_sends);
    const bool waits_for_all =
        self.mood == Mood::waiting && (self.gathered || self.missing == self.awaited.size());
    // nothing that it waits for comes before now
    if (self.mood == Mood::finished || waits_for_all)
      part_.time_or_past(self.clock);
    else
      part_.time(self.clock);
    part_.time_or_past(self.entry);  // these two are only compared with times from now on
    part_.time_or_past(self.exit);
    part_.time_or_past(self.sending_free);
    note_receiving(self);
    for (const std::uint32_t request : self.awaited) note_request(request);
    part_.add(self.requests.size(), std::min<std::uint64_t>(self.begun, self.requests.size()));
    for (std::uint32_t distance = 1; distance <= self.requests.size(); ++distance)
      note_request(self.requests[(self.begun - distance) & (self.requests.size() - 1)]);
    if (self.in_collective || self.gathered) note_progress(rank);
    done(kRank);
  }

  /// Its interface serves the heads that have arrived, and later ones, which arrive after now.
  void note_receiving(const Rank& self) {
    if (self.mood == Mood::finished) return;  // it serves nothing more
    Time earliest = part_.now();
    arrivals_.assign(self.arrivals.begin(), self.arrivals.end());
    std::sort(arrivals_.begin(), arrivals_.end(),
              [](const Arrival& a, const Arrival& b) { return a.before(b); });
    for (const Arrival& arrival : arrivals_) {
      earliest = std::min(earliest, arrival.head);
      note_message(arrival.message);
    }
    part_.time(std::max(self.receiving_free, earliest));
  }

  void note_progress(std::int32_t rank) {
    const Progress& progress = engine_.seldom_of(rank).progress;
    part_.add(static_cast<std::uint32_t>(progress.step), progress.communicator);
    part_.add(progress.gathering - number_of_first(progress.communicator));
  }

  /// Returns the collectives begun by a communicator's first member; those of others are counted from there.
  std::uint64_t number_of_first(std::uint32_t communicator) const {
    const auto& collectives = engine_.seldom_of(engine_.world_rank(communicator, 0)).collectives;
    const auto found = collectives.find(communicator);
    return found == collectives.end() ? 0 : found->second;
  }

  void note_message(std::uint32_t index) {
    if (index == kNone) return part_.add(UINT64_MAX);
    const Message& message = engine_.messages_[index];
    part_.add(static_cast<std::uint32_t>(message.source), static_cast<std::uint32_t>(message.target));
    part_.add(engine_.rank_of(message.source).sends - message.order, message.cost);
    part_.add(message.operation, std::uint32_t{message.arrived} | std::uint32_t{message.answered} << 1 |
                                     std::uint32_t{message.listed} << 2 |
                                     std::uint32_t{message.received} << 3);
    part_.time(message.head);
    part_.time(message.available);
    part_.time(message.envelope);
    note_request_alone(message.receive);
    note_request_alone(message.send);
  }

  void note_request_alone(std::uint32_t index) {
    if (index == kNone) return part_.add(UINT64_MAX);
    const Request& request = engine_.requests_[index];
    part_.add(static_cast<std::uint32_t>(request.rank), request.operation);
    part_.add(request.number == kNone ? kNone : engine_.rank_of(request.rank).begun - request.number,
              std::uint32_t{request.receive} | std::uint32_t{request.complete} << 1 |
                  std::uint32_t{request.awaited} << 2 | std::uint32_t{request.forgotten} << 3);
    if (request.receive)
      part_.time_or_past(request.time);  // only compared with arrivals
    else
      part_.time(request.complete ? request.time : kUnknown);
    if (request.operation == kNone || !trace::locks(engine_.trace_.operations[request.operation].kind))
      return;
    part_.add(request.next);
    part_.time_or_past(request.time);  // latest answer of the owners that have granted it
  }

  void note_request(std::uint32_t index) {
    note_request_alone(index);
    if (index != kNone) note_message(engine_.requests_[index].message);
  }

  void note_channel(const Channel& channel, std::uint64_t which) {
    if (channel.first == kNone) return;
    part_.add(which);
    part_.add(channel.of_messages ? 1 : 0);
    if (channel.of_messages)
      for (std::uint32_t at = channel.first; at != kNone; at = engine_.messages_[at].next) note_message(at);
    else
      for (std::uint32_t at = channel.first; at != kNone; at = engine_.requests_[at].next)
        note_request_alone(at);
    done(kChannel);
  }

  void note_early(std::uint64_t own, const Seldom& seldom) {
    if (seldom.early.few().empty() && seldom.early.more().empty() && seldom.expecting == kNone) return;
    part_.add(own);
    part_.add(seldom.expecting == kNone ? 0 : seldom.expected);
    note_request_alone(seldom.expecting);
    for (const auto& [key, message] : seldom.early.few()) part_.add(key), note_message(message);
    for (const auto& [key, messages] : seldom.early.more()) {
      part_.add(key);
      part_.add(messages.size());
      for (const std::uint32_t message : messages) note_message(message);
    }
    done(kEarly);
  }

  void note_seldom(std::int32_t rank) {
    const Seldom& seldom = engine_.seldom_of(rank);
    const auto own = static_cast<std::uint64_t>(rank);
    note_early(own, seldom);
    for (const auto& [source, pair] : seldom.pairs) {
      if (pair.first == kNone && pair.last < part_.now()) continue;
      part_.add(static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(source));
      part_.time_or_past(pair.last);
      for (std::uint32_t at = pair.first; at != kNone; at = engine_.messages_[at].next_of_pair)
        note_message(at);
      done(kPair);
    }
    for (const auto& [communicator, number] : seldom.collectives) {
      part_.add(static_cast<std::uint32_t>(rank), communicator);
      part_.add(number - number_of_first(communicator));
      done(kCollectives);
    }
    bool any = false;
    for (const auto* messages : {&seldom.unanswered, &seldom.answered, &seldom.unexpected}) {
      any = any || !messages->empty();
      part_.add(own, messages->size());
      for (const std::uint32_t message : *messages) note_message(message);
    }
    any = any || !seldom.posted.empty();
    for (const std::uint32_t request : seldom.posted) note_request_alone(request);
    if (any)
      done(kPair);
    else
      part_.clear();
  }

  void note_gathering(std::uint64_t key, const Gathering& gathering) {
    const auto communicator = static_cast<std::uint32_t>(key >> 40);
    part_.add(key - number_of_first(communicator));
    gathering.describe(part_.now(), part_.words());
    done(kGathering);
  }

  void note_key(const PartKey& key) {
    const auto& [communicator, window, owner] = key;
    part_.add(communicator, static_cast<std::uint32_t>(window));
    part_.add(static_cast<std::uint32_t>(owner));
  }

  void note_locked(const PartKey& key, const LockedPart& part) {
    if (part.idle()) return;
    note_key(key);
    part_.add(part.holders.size(), part.exclusive && !part.holders.empty() ? 1 : 0);
    for (const std::int32_t rank : part.holders) part_.add(static_cast<std::uint32_t>(rank));
    for (const std::uint32_t message : part.requests) note_message(message);
    done(kLocked);
  }

  void note_own_locks(std::int32_t rank) {
    const OwnLocks& own = engine_.seldom_of(rank).locks;
    if (own.empty()) return;
    part_.add(static_cast<std::uint32_t>(rank));
    for (const PartKey& key : own) note_key(key);
    done(kOwnLocks);
  }

  void note_event(const Event& event) {
    part_.time(event.time);
    part_.add(static_cast<std::uint32_t>(event.rank), static_cast<std::uint32_t>(event.source));
    part_.add(static_cast<std::uint64_t>(event.kind));
    note_message(event.subject);
    done(kEvent);
  }

  Engine& engine_;
  Part part_;
  Digest digest_;
  std::vector<Arrival> arrivals_;
};

Counted Engine::counted() const {
  return {outcome_.operations,       outcome_.messages, outcome_.bytes, outcome_.collective_messages,
          outcome_.collective_bytes, outcome_.accesses, matched_};
}

/// Called after an event at `now`, when the witness has begun a round.
void Engine::look_for_a_period(Time now) {
  Reference& reference = reference_;
  const std::uint64_t before = counted_at_last_look_;
  counted_at_last_look_ = outcome_.operations + outcome_.collective_messages;
  const std::int32_t witness = looks_.witness();
  const Digest digest = StateOf(*this, now).digest();
  if (reference.taken && digest == reference.digest && now > reference.base) {
    skip(now, periods_to_skip(now));
    reference.taken = false;
    return looks_.start_over(witness, rank_of(witness).walker.rounds());
  }
  if (looks_.made(rank_of(witness).walker.rounds(), counted_at_last_look_ - before < 4 * ranks_.size()))
    mark(digest, now);
}

void Engine::mark(const Digest& digest, Time now) {
  reference_.taken = true;
  reference_.digest = digest;
  reference_.base = now;
  reference_.counted = counted();
  reference_.marks.resize(ranks_.size());
  reference_.rounds_left.clear();
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const Rank& self = ranks_[rank];
    reference_.marks[rank] = {self.compute, self.communication,
                              static_cast<std::uint32_t>(reference_.rounds_left.size()), self.walker.depth()};
    for (std::uint32_t level = 0; level < self.walker.depth(); ++level)
      reference_.rounds_left.push_back(self.walker.rounds_left(level));
  }
}

/// Returns the loop in which a rank has advanced since the reference, and the number of rounds; 0 rounds: it
/// has not moved.
std::pair<std::uint32_t, std::uint32_t> Engine::advance_of(std::size_t rank) const {
  const Mark& mark = reference_.marks[rank];
  const trace::Walker& walker = ranks_[rank].walker;
  for (std::uint32_t level = 0; level < mark.levels; ++level) {
    const std::uint32_t then = reference_.rounds_left[mark.first_level + level],
                        now = walker.rounds_left(level);
    if (then != now) return {level, then - now};
  }
  return {0, 0};
}

/// Returns the number of periods after which every rank is still in the same loops and all times are in
/// range.
std::uint64_t Engine::periods_to_skip(Time now) const {
  const Time period = now - reference_.base;
  Time latest = now;
  std::uint64_t periods = UINT64_MAX;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    latest = std::max(latest, ranks_[rank].clock);
    const auto [level, rounds] = advance_of(rank);
    if (rounds == 0) continue;
    const Mark& mark = reference_.marks[rank];
    // In another round of an inner loop: not the same place.
    for (std::uint32_t inner = level + 1; inner < mark.levels; ++inner)
      if (reference_.rounds_left[mark.first_level + inner] != ranks_[rank].walker.rounds_left(inner))
        return 0;
    periods = std::min<std::uint64_t>(periods, (ranks_[rank].walker.rounds_left(level) - 1) / rounds);
  }
  agenda_.for_each([&](const Event& event) { latest = std::max(latest, event.time); });
  for (const Message& message : messages_.all()) latest = std::max(latest, message.head);
  return periods == UINT64_MAX || latest >= trace::kLongest
             ? 0
             : std::min<std::uint64_t>(periods,
                                       static_cast<std::uint64_t>((trace::kLongest - latest) / period));
}

void Engine::skip(Time now, std::uint64_t periods) {
  if (periods == 0) return;
  const Time by = (now - reference_.base) * static_cast<Time>(periods);
  const Counted then = reference_.counted;
  outcome_.skipped += (outcome_.operations - then.operations) * periods;
  outcome_.operations += (outcome_.operations - then.operations) * periods;
  outcome_.messages += (outcome_.messages - then.messages) * periods;
  outcome_.bytes += (outcome_.bytes - then.bytes) * periods;
  outcome_.collective_messages += (outcome_.collective_messages - then.collective_messages) * periods;
  outcome_.collective_bytes += (outcome_.collective_bytes - then.collective_bytes) * periods;
  outcome_.accesses += (outcome_.accesses - then.accesses) * periods;
  matched_ += (matched_ - then.matched) * periods;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    Rank& self = ranks_[rank];
    const Mark& mark = reference_.marks[rank];
    const auto [level, rounds] = advance_of(rank);
    self.compute += (self.compute - mark.compute) * static_cast<Time>(periods);
    self.communication += (self.communication - mark.communication) * static_cast<Time>(periods);
    for (Time* time : {&self.sending_free, &self.receiving_free, &self.until}) *time += by;
    if (rounds > 0) {  // otherwise it waited all the time, or is finished
      self.walker.skip_rounds(level, rounds * static_cast<std::uint32_t>(periods));
      for (Time* time : {&self.clock, &self.entry, &self.exit}) *time += by;
    }
    self.arrivals.shift(by);
    for (auto& [source, pair] : seldom_[rank].pairs) pair.last += by;
  }
  for (Message& message : messages_.all())
    for (Time* time : {&message.head, &message.available, &message.envelope})
      if (*time != kUnknown) *time += by;
  for (Request& request : requests_.all()) request.time += by;
  for (auto& [key, gathering] : gatherings_) gathering.shift(by);
  agenda_.shift(by);
}

}  // namespace parcast::simulate
