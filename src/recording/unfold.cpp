// SPDX-License-Identifier: Apache-2.0
#include "recording/unfold.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <unordered_map>
#include <utility>

namespace parcast::recording {
namespace {

struct Unfolded {
  Event event;
  std::vector<Completion> completions;
};

/// The events of one chapter.
class ChapterEvents {
 public:
  ChapterEvents(const Chapter& chapter, const RankRecording& rank, const std::vector<Call>& calls)
      : chapter_(chapter),
        calls_(calls),
        overhead_(rank.overhead_per_event * 1e9),
        request_(chapter.request_before),
        time_(static_cast<double>(chapter.begin)) {
    keys_.reserve(chapter.keys.size());
    for (const FoldedKey& key : chapter.keys) keys_.emplace_back(key);
    double inside = 0, computing = 0;
    for (const FoldedKey& key : chapter.keys) inside += key.inside;
    for (const FoldedTransition& t : chapter.transitions) {
      means_[place(t.from, t.to)] = t.time / static_cast<double>(t.count);
      computing += t.time;
    }
    const double span = static_cast<double>(chapter.end - chapter.begin);
    stretch_ = computing > 0 ? std::max(0.0, span - inside) / computing : 0;
    from_ = chapter.carried ? 0 : -1;
    at_ = chapter.first;
  }

  std::optional<Unfolded> next() {
    if (!at_) return std::nullopt;
    std::optional<Unfolded> now = take();
    while (at_ && polls_follow()) {
      now->event.repeats += polls(keys_[*at_]);
      now->event.exit = std::llround(time_);
    }
    return now;
  }

 private:
  struct Key {
    explicit Key(const FoldedKey& folded) : gaps(folded.gaps), spans(folded.spans) {
      columns.reserve(PARCAST_COLUMNS);
      for (const Column& column : folded.columns) columns.emplace_back(column);
      const std::uint64_t calls = folded.executions - folded.continued;
      mean = calls ? folded.inside / static_cast<double>(calls) : 0;
    }
    std::vector<ColumnCursor> columns;
    std::string_view gaps, spans;
    double mean;
  };

  static std::uint64_t place(std::int32_t from, std::uint32_t to) {
    return std::uint64_t{static_cast<std::uint32_t>(from)} << 32 | to;
  }

  static std::int64_t value(Key& key, parcast_column which) {
    return key.columns[static_cast<std::size_t>(which)].next().value_or(0);
  }

  bool polls_follow() const {
    return keys_[*at_].columns[PARCAST_COLUMN_FLAGS].peek().value_or(0) & PARCAST_MORE_POLLS;
  }

  /// Returns the number of further polls that continue the previous event.
  std::uint32_t polls(Key& key) {
    value(key, PARCAST_COLUMN_FLAGS);
    const auto count = static_cast<std::uint32_t>(value(key, PARCAST_COLUMN_REPEATS));
    if (chapter_.timed) time_ += chapter_.unit * static_cast<double>(take_number(key.spans).value_or(0));
    step(key);
    return count;
  }

  void step(Key& key) {
    const auto next = key.columns[PARCAST_COLUMN_NEXT].next();
    at_ = next ? std::optional(static_cast<std::uint32_t>(*next)) : std::nullopt;
  }

  Unfolded take() {
    const std::uint32_t number = *at_;
    Key& key = keys_[number];
    Unfolded out;
    Event& event = out.event;
    describe(event, chapter_.keys[number]);
    if (polls_follow()) {  // the event that these polls continue is in the previous chapter
      event.enter = std::llround(time_);
      event.repeats = polls(key);
      event.exit = std::llround(time_);
      return out;
    }
    const auto flags = static_cast<unsigned>(value(key, PARCAST_COLUMN_FLAGS));
    event.communicator = static_cast<std::uint32_t>(value(key, PARCAST_COLUMN_COMMUNICATOR));
    event.continued = flags & PARCAST_CONTINUED;
    if (flags & PARCAST_HAS_MESSAGE) event.message = message(key, PARCAST_COLUMN_SENT_PEER);
    if (flags & PARCAST_HAS_RECEIVED) event.received = message(key, PARCAST_COLUMN_RECEIVED_PEER);
    if (flags & PARCAST_HAS_CREATED)
      event.created = static_cast<std::uint32_t>(value(key, PARCAST_COLUMN_CREATED));
    if (lists_sent(calls_[event.call]))
      event.sent_shares = static_cast<std::uint32_t>(std::exchange(event.message.tag, 0));
    if (lists_received(calls_[event.call]))
      event.received_shares = static_cast<std::uint32_t>(std::exchange(event.received.tag, 0));
    out.completions = completions(key);
    event.completion_count = static_cast<std::uint32_t>(out.completions.size());
    if (flags & PARCAST_HAS_REQUEST) {
      request_ += static_cast<std::uint64_t>(value(key, PARCAST_COLUMN_REQUEST));
      event.request = static_cast<std::uint32_t>(request_);
    }
    if (chapter_.timed) {
      note_times(event, key);
    } else {
      spend(event, number, key.mean);
    }
    step(key);
    return out;
  }

  void describe(Event& event, const FoldedKey& key) const {
    event.call = static_cast<std::uint16_t>(key.call);
    event.thread = chapter_.thread;
    event.site = key.site;
    event.region = key.region;
    event.estimated = !chapter_.timed;
  }

  static Message message(Key& key, parcast_column first) {
    const auto after = [first](int i) { return static_cast<parcast_column>(first + i); };
    const auto peer = static_cast<std::int32_t>(value(key, first));
    const auto tag = static_cast<std::int32_t>(value(key, after(1)));
    return {peer, tag, static_cast<std::uint64_t>(value(key, after(2)))};
  }

  std::vector<Completion> completions(Key& key) {
    std::vector<Completion> all(static_cast<std::size_t>(value(key, PARCAST_COLUMN_COMPLETIONS)));
    for (Completion& done : all) {
      done.request = static_cast<std::uint32_t>(
          request_ - static_cast<std::uint64_t>(value(key, PARCAST_COLUMN_COMPLETED)));
      done.source = static_cast<std::int32_t>(value(key, PARCAST_COLUMN_SOURCE));
      done.tag = static_cast<std::int32_t>(value(key, PARCAST_COLUMN_TAG));
      done.bytes = static_cast<std::uint64_t>(value(key, PARCAST_COLUMN_BYTES));
    }
    return all;
  }

  /// Sets the times that were kept. A further request of one call has the times of the previous event.
  void note_times(Event& event, Key& key) {
    if (event.continued) {
      event.enter = entered_;
      event.exit = std::llround(time_);
      return;
    }
    const std::uint64_t word = take_number(key.gaps).value_or(0);
    const double gap = chapter_.unit * static_cast<double>(word >> 1);
    const std::uint64_t given = word & 1 ? take_number(key.gaps).value_or(0) : 0;
    event.switched = given & PARCAST_TOLD_SWITCHED;
    event.compute = given & PARCAST_TOLD_COMPUTE
                        ? std::llround(chapter_.unit * static_cast<double>(take_number(key.gaps).value_or(0)))
                        : std::llround(std::max(0.0, gap - overhead_));
    if (given & PARCAST_TOLD_STOLEN)
      event.stolen = static_cast<std::int64_t>(take_number(key.gaps).value_or(0));
    event.enter = entered_ = std::llround(time_ += gap);
    event.exit =
        std::llround(time_ += chapter_.unit * static_cast<double>(take_number(key.spans).value_or(0)));
  }

  /// Sets the time before the event and in it to means.
  void spend(Event& event, std::uint32_t number, double inside) {
    if (!event.continued) {
      const auto mean = means_.find(place(from_, number));
      const double computing = mean != means_.end() ? mean->second : 0;
      event.compute = std::llround(computing);
      time_ += computing * stretch_;
      from_ = static_cast<std::int32_t>(number);
    }
    if (!event.continued) {
      entered_ = std::llround(time_);
      time_ += inside;
    }
    event.enter = entered_;
    event.exit = std::llround(time_);
  }

  const Chapter& chapter_;
  const std::vector<Call>& calls_;
  std::vector<Key> keys_;
  std::unordered_map<std::uint64_t, double> means_;  // nanoseconds of computing by transition
  double stretch_ = 1, overhead_;
  std::int64_t entered_ = 0;
  std::uint64_t request_;
  double time_;
  std::int32_t from_ = -1;
  std::optional<std::uint32_t> at_;
};

/// Iterates over a thread's chapters.
class FoldedEvents {
 public:
  FoldedEvents(const RankRecording& rank, const std::vector<Call>& calls, std::uint16_t thread)
      : rank_(rank), calls_(calls) {
    for (const Chapter& chapter : rank.chapters)
      if (chapter.thread == thread && chapter.ordered) left_.push_back(&chapter);
    std::reverse(left_.begin(), left_.end());
    step();
  }
  const std::optional<Unfolded>& at() const { return at_; }
  void step() {
    at_ = events_ ? events_->next() : std::nullopt;
    while (!at_ && !left_.empty()) {
      events_ = std::make_unique<ChapterEvents>(*left_.back(), rank_, calls_);
      left_.pop_back();
      at_ = events_->next();
    }
  }

 private:
  const RankRecording& rank_;
  const std::vector<Call>& calls_;
  std::vector<const Chapter*> left_;
  std::unique_ptr<ChapterEvents> events_;
  std::optional<Unfolded> at_;
};

void visit_event(const RankRecording& rank, const Event& event, const EventVisitor& visit) {
  const std::size_t first = std::min<std::size_t>(event.first_completion, rank.completions.size());
  const std::size_t count = std::min<std::size_t>(event.completion_count, rank.completions.size() - first);
  visit(event, std::span(rank.completions).subspan(first, count));
}

}  // namespace

std::uint64_t for_each_event(const RankRecording& rank, const std::vector<Call>& calls,
                             const EventVisitor& visit) {
  std::vector<std::unique_ptr<FoldedEvents>> threads;
  std::uint64_t missing = 0;
  for (const Chapter& chapter : rank.chapters) {
    if (!chapter.ordered) missing += chapter.events;
    while (threads.size() <= chapter.thread)
      threads.push_back(
          std::make_unique<FoldedEvents>(rank, calls, static_cast<std::uint16_t>(threads.size())));
  }
  std::size_t next = 0;
  for (;;) {
    FoldedEvents* first = nullptr;
    for (const auto& thread : threads)
      if (thread->at() && (!first || thread->at()->event.enter < first->at()->event.enter))
        first = thread.get();
    const bool plain =
        next < rank.events.size() && (!first || rank.events[next].enter < first->at()->event.enter);
    if (plain) {
      visit_event(rank, rank.events[next++], visit);
    } else if (first) {
      visit(first->at()->event, first->at()->completions);
      first->step();
    } else {
      return missing;
    }
  }
}

class ThreadEvents::Folded : public FoldedEvents {
  using FoldedEvents::FoldedEvents;
};

ThreadEvents::ThreadEvents(const RankRecording& rank, const std::vector<Call>& calls, std::uint16_t thread,
                           std::vector<std::size_t> places)
    : folded_(std::make_unique<Folded>(rank, calls, thread)), rank_(rank), places_(std::move(places)) {}

ThreadEvents::ThreadEvents(ThreadEvents&&) noexcept = default;
ThreadEvents::~ThreadEvents() = default;

const Event* ThreadEvents::at() const {
  if (folded_->at()) return &folded_->at()->event;
  return next_ < places_.size() ? &rank_.events[places_[next_]] : nullptr;
}

void ThreadEvents::step() {
  if (folded_->at()) return folded_->step();
  next_ = std::min(next_ + 1, places_.size());
}

}  // namespace parcast::recording
