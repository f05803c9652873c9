// SPDX-License-Identifier: Apache-2.0
#include "recording/process_time.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "recording/call_kinds.h"
#include "recording/unfold.h"

namespace parcast::recording {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// most events of a process that are examined for concurrent computing of threads
constexpr std::uint64_t kMostEvents = 4'000'000;

/// One thread on the process's time line: it is in a call, then computes until its next event.
class Strand {
 public:
  struct About {
    bool is_first = false, talks = false;  // the process's first thread; the thread calls MPI
  };
  Strand(ThreadEvents events, About which) : about(which), events_(std::move(events)) { begin_segment(); }

  const About about;

  bool computes(double now) const { return now >= begin_ && now < end_; }
  bool is_in_call(double now) const { return called_ && now < begin_; }
  /// Fraction of a processor at that moment.
  double rate(double now) const { return computes(now) ? rate_ : 0; }
  /// Returns the first moment after `now` at which the thread begins or ends computing.
  double change_after(double now) const { return now < begin_ ? begin_ : now < end_ ? end_ : kNever; }
  /// Returns whether the thread computes now or later, as far as its next event shows.
  bool is_active() const { return events_.at() && (called_ || rate_ > 0); }
  /// Returns whether the thread was off the processor for part of the time. It is unknown which part.
  bool waits() const { return rate_ < kBusy; }
  double computing() const { return computing_; }

  void add(double nanoseconds) { share_ += nanoseconds; }
  double share() const { return share_; }

  /// Continues after the thread's next event.
  void step() {
    if (!events_.at()) return;
    begin_ = std::max(begin_, static_cast<double>(events_.at()->exit));
    called_ = true;
    share_ = 0;
    events_.step();
    begin_segment();
  }

 private:
  static constexpr double kBusy = 0.9;

  void begin_segment() {
    const Event* next = events_.at();
    end_ = begin_;
    computing_ = rate_ = 0;
    if (!next) return;
    computing_ = static_cast<double>(next->continued ? 0 : std::max<std::int64_t>(next->compute, 0));
    end_ = static_cast<double>(next->enter);
    if (!called_) begin_ = end_ - computing_;
    if (end_ > begin_) rate_ = std::min(1.0, computing_ / (end_ - begin_));
  }

  ThreadEvents events_;
  bool called_ = false;         // it had an event
  double begin_ = 0, end_ = 0;  // nanoseconds: the thread computes from begin_ to end_
  double computing_ = 0;        // nanoseconds on the processor in that interval
  double rate_ = 0, share_ = 0;
};

/// Places the first thread's computing in time, when every thread has a core. A first thread that left the
/// processor is assumed to have waited for the other threads. So its computing is placed where the others do
/// not compute; only what does not fit there counts as concurrent.
class Placement {
 public:
  void begin(const Strand& first, bool has_cores) {
    is_wanted_ = has_cores && first.waits();
    left_ = is_wanted_ ? first.computing() : 0;
    beside_ = 0;
  }
  bool is_wanted() const { return is_wanted_; }
  /// Nanoseconds that can still be placed from `now` on; 0 when the clock does not resolve them.
  double left(double now) const { return now + left_ > now ? left_ : 0; }
  void place(double nanoseconds) { left_ = std::max(0.0, left_ - nanoseconds); }
  void pass(double nanoseconds_of_others) { beside_ += nanoseconds_of_others; }
  /// Nanoseconds that did not fit and exceed the computing of the others.
  double rest() const { return std::max(0.0, left_ - beside_); }

 private:
  bool is_wanted_ = false;
  double left_ = 0, beside_ = 0;
};

/// The concurrent threads of a process.
class Strands {
 public:
  Strands(const RankRecording& rank, const std::vector<Call>& calls, int cores)
      : wall_(static_cast<double>(rank.wall)) {
    std::map<std::uint16_t, std::vector<std::size_t>> places;
    std::map<std::uint16_t, bool> talks;
    for (const Chapter& chapter : rank.chapters)
      for (const FoldedKey& key : chapter.keys)
        places[chapter.thread], talks[chapter.thread] |= communicates(calls[key.call].kind);
    for (std::size_t i = 0; i < rank.events.size(); ++i) {
      const Event& event = rank.events[i];
      places[event.thread].push_back(i), talks[event.thread] |= communicates(calls[event.call].kind);
    }
    for (auto& [thread, mine] : places)
      strands_.try_emplace(thread, ThreadEvents(rank, calls, thread, std::move(mine)),
                           Strand::About{thread == 0, talks[thread]});
    for (auto& [thread, strand] : strands_) see(thread, strand);
    has_cores_ = std::cmp_less_equal(strands_.size(), cores);
    if (const auto first = strands_.find(0); first != strands_.end())
      first_ = &first->second, placement_.begin(*first_, has_cores_);
  }

  /// Returns what the process computed before a thread's next event, and moves past that event.
  Computed pass(const Event& event) {
    go_on(std::min(static_cast<double>(event.enter), wall_));
    Strand& on = strands_.at(event.thread);
    const double rest = &on == first_ ? placement_.rest() : 0;
    const Computed computed{since_ + rest, on.share() + rest};
    since_ = 0;
    on.step();
    if (&on == first_) placement_.begin(on, has_cores_);
    see(event.thread, on);
    return computed;
  }

 private:
  /// Keeps only threads that may compute: of thousands of threads few are active at a time.
  void see(std::uint16_t thread, Strand& strand) {
    if (strand.about.is_first || strand.is_active())
      active_.emplace(thread, &strand);
    else
      active_.erase(thread);
  }

  /// Returns the rate of a thread other than the first. While the first thread is in a call, the other's
  /// computing counts 0. The call's time counts already, and the other thread may use a processor while it
  /// waits for the first one. Threads that call MPI run independently and keep their rate.
  double rate_of_other(const Strand& strand) const {
    return strand.about.talks || !first_ || !first_->is_in_call(now_) ? strand.rate(now_) : 0;
  }

  double rate_of_first(double others) const {
    if (!first_ || !first_->computes(now_)) return 0;
    if (!placement_.is_wanted()) return first_->rate(now_);
    return others < kIdle && placement_.left(now_) > 0 ? 1 : 0;
  }

  void go_on(double until) {
    while (now_ < until) {
      double next = until, fastest = 0, all = 0;
      for (const auto& [thread, strand] : active_) {
        next = std::min(next, strand->change_after(now_));
        const double rate = strand == first_ ? 0 : rate_of_other(*strand);
        fastest = std::max(fastest, rate);
        all += rate;
      }
      const double own = rate_of_first(fastest);
      if (placement_.is_wanted() && own > 0) next = std::min(next, now_ + placement_.left(now_));
      if (own + fastest > 0) compute(std::max(own, fastest) * (next - now_), own, own + all);
      now_ = next;
    }
  }

  /// Adds computing and divides it among the threads by their rates; `own`: the first thread's rate, `all`:
  /// the sum.
  void compute(double nanoseconds, double own, double all) {
    since_ += nanoseconds;
    for (const auto& [thread, strand] : active_)
      strand->add(nanoseconds * ((strand == first_ ? own : rate_of_other(*strand)) / all));
    if (!first_ || !placement_.is_wanted() || !first_->computes(now_)) return;
    if (own > 0)
      placement_.place(nanoseconds);
    else
      placement_.pass(nanoseconds);
  }

  // fraction of a processor: threads that use less leave room for the first thread
  static constexpr double kIdle = 0.1;
  const double wall_;
  bool has_cores_ = false;  // every thread has a core
  std::map<std::uint16_t, Strand> strands_;
  std::map<std::uint16_t, Strand*> active_;  // the first thread, and the active ones
  Strand* first_ = nullptr;
  Placement placement_;         // of the first thread's computing
  double now_ = 0, since_ = 0;  // nanoseconds since MPI_Init's return
};

/// Returns the cores of the host per process on it; 0 when unknown.
int cores_of(const Recording& recording, const RankRecording& rank) {
  const auto neighbours = std::ranges::count_if(
      recording.ranks, [&](const RankRecording& each) { return each.host == rank.host; });
  const int cores = rank.cores > 0 ? rank.cores : recording.cores_per_host;
  return neighbours > 0 ? cores / static_cast<int>(neighbours) : 0;
}

/// Returns whether events and completions are few enough to be examined one by one.
bool has_few_events(const RankRecording& rank) {
  std::uint64_t all = rank.events.size();
  for (const Chapter& chapter : rank.chapters) {
    std::uint64_t here = chapter.events;
    for (const FoldedKey& key : chapter.keys) here = std::max(here, key[PARCAST_COLUMN_COMPLETED].count);
    if (here > kMostEvents || (all += here) > kMostEvents) return false;
  }
  return all <= kMostEvents;
}

std::uint64_t visit_one_thread(const RankRecording& rank, const std::vector<Call>& calls,
                               const ComputedVisitor& visit) {
  const std::uint16_t counts = thread_that_counts(rank);
  return for_each_event(rank, calls, [&](const Event& event, std::span<const Completion> completions) {
    const double compute =
        event.thread == counts && !event.continued ? static_cast<double>(event.compute) : 0;
    visit(event, completions, {compute, compute});
  });
}

}  // namespace

Threads threads_of(const RankRecording& rank) {
  if (rank.released_events > 0) return static_cast<Threads>(rank.released_threads);
  const bool several =
      std::ranges::any_of(rank.chapters, [](const Chapter& chapter) { return chapter.thread != 0; }) ||
      std::ranges::any_of(rank.events, [](const Event& event) { return event.thread != 0; });
  if (!several) return Threads::one;
  return std::ranges::all_of(rank.chapters, &Chapter::ordered) && has_few_events(rank)
             ? Threads::beside_each_other
             : Threads::busiest_for_all;
}

std::uint16_t thread_that_counts(const RankRecording& rank) {
  if (threads_of(rank) == Threads::one) return 0;
  std::map<std::uint16_t, double> computing;  // nanoseconds
  for (const Chapter& chapter : rank.chapters)
    for (const FoldedTransition& t : chapter.transitions) computing[chapter.thread] += t.time;
  for (const Event& event : rank.events) computing[event.thread] += static_cast<double>(event.compute);
  const auto most = std::ranges::max_element(computing, {}, [](const auto& each) { return each.second; });
  return most == computing.end() ? 0 : most->first;
}

std::uint64_t for_each_computed(const Recording& recording, const RankRecording& rank,
                                const ComputedVisitor& visit) {
  if (threads_of(rank) != Threads::beside_each_other) return visit_one_thread(rank, recording.calls, visit);
  Strands strands(rank, recording.calls, cores_of(recording, rank));
  return for_each_event(rank, recording.calls,
                        [&](const Event& event, std::span<const Completion> completions) {
                          visit(event, completions, strands.pass(event));
                        });
}

double computing_of(const Recording& recording, const RankRecording& rank) {
  double sum = 0;
  if (threads_of(rank) == Threads::beside_each_other) {
    for_each_computed(
        recording, rank,
        [&](const Event&, std::span<const Completion>, const Computed& computed) { sum += computed.since; });
    return sum;
  }
  const std::uint16_t counts = thread_that_counts(rank);
  for (const Chapter& chapter : rank.chapters)
    for (const FoldedTransition& t : chapter.transitions) sum += chapter.thread == counts ? t.time : 0;
  for (const Event& event : rank.events)
    sum += event.thread == counts ? static_cast<double>(event.compute) : 0;
  return sum;
}

double recording_share(const RankRecording& rank) {
  std::set<std::uint16_t> threads{0};
  for (const Chapter& chapter : rank.chapters) threads.insert(chapter.thread);
  for (const Event& event : rank.events)
    if (event.thread != 0) threads.insert(event.thread);
  const double time = 1e-9 * static_cast<double>(rank.wall) * static_cast<double>(threads.size());
  return time > 0 ? seconds_recording(rank) / time : 0;
}

std::string said_of_threads(const Recording& recording) {
  std::size_t several = 0;
  bool whole = true;
  for (const RankRecording& rank : recording.ranks) {
    const Threads threads = threads_of(rank);
    several += threads != Threads::one;
    whole = whole && threads != Threads::busiest_for_all;
  }
  if (several == 0) return "";
  const std::string subject = std::to_string(several) + (several == 1 ? " process has" : " processes have") +
                              " events of several threads: ";
  return subject + (whole ? "what threads compute at the same time counts once"
                          : "of some the order was given up or they are too many, so that of each process "
                            "the computing of its busiest thread alone counts");
}

}  // namespace parcast::recording
