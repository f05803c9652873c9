// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string_view>

#include "recording/call_kinds.h"
#include "recording/process_time.h"
#include "recording/recording.h"
#include "recording/region_sums.h"

namespace parcast::recording {
namespace {

bool marks_region(CallClass kind) {
  return kind == CallClass::region_begin || kind == CallClass::region_end;
}

std::uint64_t sum_of(const FoldedKey& key, parcast_column column) {
  return static_cast<std::uint64_t>(key[column].sum);
}

void add_key(const FoldedKey& key, const Call& call, CallSums& sums) {
  sums.events += key.executions;
  sums.calls += key.executions - key.continued + sum_of(key, PARCAST_COLUMN_REPEATS);
  sums.sent += key[PARCAST_COLUMN_SENT_PEER].count - key.to_none;
  sums.sent_bytes += sum_of(key, PARCAST_COLUMN_SENT_BYTES);
  sums.received_bytes += sum_of(key, PARCAST_COLUMN_RECEIVED_BYTES);
  sums.collective_bytes += is_collective(call.kind) ? collective_volume(key, call.pattern) : 0;
  sums.inside += key.inside;
}

void add_event(const Event& event, const Call& call, CallSums& sums) {
  ++sums.events;
  sums.calls += event.continued ? 0 : event.repeats;
  sums.sent += event.message.peer != kNoPeer;
  sums.sent_bytes += event.message.bytes;
  sums.received_bytes += event.received.bytes;
  sums.collective_bytes += is_collective(call.kind) ? collective_volume(event, call.pattern) : 0;
  // a continued event has the times of the call that it continues
  if (!event.continued) sums.inside += static_cast<double>(event.exit - event.enter);
}

template <class Counts>
std::vector<CallSums> sum_calls(const RankRecording& rank, const std::vector<Call>& calls,
                                const Counts& counts) {
  std::vector<CallSums> sums(calls.size());
  for (const Chapter& chapter : rank.chapters)
    for (const FoldedKey& key : chapter.keys)
      if (counts(chapter.thread) && key.call < calls.size()) add_key(key, calls[key.call], sums[key.call]);
  for (const Event& event : rank.events)
    if (counts(event.thread) && event.call < calls.size())
      add_event(event, calls[event.call], sums[event.call]);
  return sums;
}

void add_region(const CallSums& of_call, const Call& call, RegionSums& sums) {
  if (!communicates(call.kind)) return;
  sums.calls += of_call.calls;
  sums.messages += sends(call.kind) ? of_call.sent : 0;
  sums.message_bytes += sends(call.kind) ? of_call.sent_bytes : 0;
  sums.collective_bytes += of_call.collective_bytes;
  sums.inside += of_call.inside;
}

/// Returns the enclosing region of each region.
std::vector<std::uint32_t> regions_around(const RankRecording& rank) {
  std::map<std::string_view, std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < rank.regions.size(); ++i) numbers.try_emplace(rank.regions[i], i);
  std::vector<std::uint32_t> around(rank.regions.size());
  for (std::uint32_t i = 0; i < around.size(); ++i) {
    if (i < rank.path_parts.size()) {
      around[i] = rank.path_parts[i].parent;
      continue;
    }
    const std::string_view path = rank.regions[i];
    const auto at =
        numbers.find(path.substr(0, path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/')));
    around[i] = at == numbers.end() ? 0 : at->second;
  }
  return around;
}

/// Sums computing by region. Computing before a call counts in the region of the call; computing before a
/// region's begin counts in the enclosing region.
class RegionComputing {
 public:
  RegionComputing(const Recording& recording, const RankRecording& rank, std::vector<RegionSums>& sums)
      : recording_(recording), rank_(rank), around_(regions_around(rank)), sums_(sums) {}

  void add() {
    if (threads_of(rank_) == Threads::beside_each_other) {
      for_each_computed(recording_, rank_, [&](const Event& event, auto, const Computed& computed) {
        at(event.call, event.region) += computed.share;
      });
      return;
    }
    const std::uint16_t counts = thread_that_counts(rank_);
    for (const Chapter& chapter : rank_.chapters)
      for (const FoldedTransition& t : chapter.transitions)
        if (chapter.thread == counts) at(chapter.keys[t.to].call, chapter.keys[t.to].region) += t.time;
    for (const Event& event : rank_.events)
      if (event.thread == counts) at(event.call, event.region) += static_cast<double>(event.compute);
  }

 private:
  double& at(std::uint32_t call, std::uint32_t region) {
    return sums_[recording_.calls[call].kind == CallClass::region_begin ? around_[region] : region].compute;
  }

  const Recording& recording_;
  const RankRecording& rank_;
  const std::vector<std::uint32_t> around_;
  std::vector<RegionSums>& sums_;
};

RankCounts count_rank(const Recording& recording, const RankRecording& rank) {
  const std::vector<Call>& calls = recording.calls;
  RankCounts counts;
  counts.rank = rank.rank;
  double communication = 0;
  const std::vector<CallSums> all = sums_by_call(rank, calls);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Call& call = calls[i];
    const CallSums& sums = all[i];
    if (sums.events == 0) continue;
    counts.events += sums.events;
    if (!marks_region(call.kind)) counts.calls[call.name] += sums.calls;
    if (sends(call.kind)) counts.messages_sent += sums.sent, counts.bytes_sent += sums.sent_bytes;
    counts.collective_bytes += sums.collective_bytes;
    if (call.kind == CallClass::one_sided)
      counts.put_bytes += sums.sent_bytes, counts.got_bytes += sums.received_bytes;
    if (call.kind == CallClass::input_output)
      counts.written_bytes += sums.sent_bytes, counts.read_bytes += sums.received_bytes;
    if (communicates(call.kind)) communication += sums.inside;
  }
  for (const UnfollowedCall& call : rank.unfollowed) counts.calls[call.name] += call.count;
  counts.compute_seconds = computing_of(recording, rank) * 1e-9;
  counts.communication_seconds = communication * 1e-9;
  return counts;
}

/// Returns a usage of 0, with the counters that the rank's samples have.
PhaseUsage none_of(const RankRecording& rank) {
  PhaseUsage none = rank.phase_samples.front().usage;
  none.minor_faults = none.major_faults = none.voluntary_switches = none.involuntary_switches = 0;
  for (auto* counter : {&none.cycles, &none.instructions, &none.cache_misses})
    if (*counter) *counter = 0;
  return none;
}

/// Returns whether the program reported the phase. The last phase of a finalised rank was added by the
/// reader, and only its time is known.
bool is_given(const RankRecording& rank, const Phase& phase) {
  return !rank.finalised || &phase != &rank.phases.back() || phase.kind != PhaseKind::idle ||
         rank.phase_names[phase.name] != "end";
}

/// Sums phases by kind and name. Times are whole nanoseconds until all are added.
class PhaseTable {
 public:
  void add(const RankRecording& rank) {
    std::map<std::pair<PhaseKind, std::uint32_t>, std::size_t> places;  // by index of the rank's names
    const bool sampled = !rank.phase_samples.empty();
    const PhaseUsage none = sampled ? none_of(rank) : PhaseUsage{};
    std::size_t next = 0;  // next sample
    for (const Phase& phase : rank.phases) {
      const auto [at, is_new] = places.try_emplace({phase.kind, phase.name}, 0);
      if (is_new) at->second = place_of(phase.kind, rank.phase_names[phase.name]);
      PhaseSum& sum = sums_[at->second];
      ++sum.executions;
      times_[at->second] += phase.end - phase.begin;
      sum.operations += phase.operations;
      sum.quantums += phase.quantums;
      const bool is_sample =
          next < rank.phase_samples.size() &&
          rank.phase_samples[next].phase == static_cast<std::size_t>(&phase - rank.phases.data());
      if (is_given(rank, phase))
        add_usage(sampled, is_sample ? rank.phase_samples[next].usage : none, usages_[at->second]);
      next += is_sample;
    }
  }
  std::vector<PhaseSum> by_kind() {
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      sums_[i].seconds = 1e-9 * static_cast<double>(times_[i]);
      if (!usages_[i].missing) sums_[i].usage = usages_[i].sum;
    }
    std::stable_sort(sums_.begin(), sums_.end(),
                     [](const PhaseSum& a, const PhaseSum& b) { return a.kind < b.kind; });
    return std::move(sums_);
  }

 private:
  struct UsageSum {
    std::optional<PhaseUsage> sum;
    bool missing = false;  // some rank has no usage
  };

  static void add_usage(bool sampled, const PhaseUsage& more, UsageSum& into) {
    into.missing |= !sampled;
    into.sum = into.sum ? *into.sum + more : more;
  }

  std::size_t place_of(PhaseKind kind, const std::string& name) {
    const auto [at, is_new] = places_.try_emplace({kind, name}, sums_.size());
    if (is_new) {
      sums_.push_back({kind, name});
      times_.push_back(0);
      usages_.emplace_back();
    }
    return at->second;
  }

  std::map<std::pair<PhaseKind, std::string>, std::size_t> places_;
  std::vector<PhaseSum> sums_;
  std::vector<std::int64_t> times_;
  std::vector<UsageSum> usages_;
};

}  // namespace

PhaseUsage operator+(const PhaseUsage& a, const PhaseUsage& b) {
  const auto both = [](const std::optional<std::uint64_t>& x, const std::optional<std::uint64_t>& y) {
    return x && y ? std::optional(*x + *y) : std::nullopt;
  };
  return {.minor_faults = a.minor_faults + b.minor_faults,
          .major_faults = a.major_faults + b.major_faults,
          .voluntary_switches = a.voluntary_switches + b.voluntary_switches,
          .involuntary_switches = a.involuntary_switches + b.involuntary_switches,
          .cycles = both(a.cycles, b.cycles),
          .instructions = both(a.instructions, b.instructions),
          .cache_misses = both(a.cache_misses, b.cache_misses)};
}

std::vector<PhaseSum> phase_sums(const RankRecording& rank) {
  PhaseTable table;
  table.add(rank);
  return table.by_kind();
}

std::vector<PhaseSum> phase_sums(const Recording& recording) {
  PhaseTable table;
  for (const RankRecording& rank : recording.ranks) table.add(rank);
  return table.by_kind();
}

bool Recording::oversubscribed() const {
  std::map<std::string, double> processors_on;
  int given = 0;
  for (const RankRecording& rank : ranks)
    if (!rank.host.empty() && rank.cores > 0) processors_on[rank.host] += rank.processor_share, ++given;
  if (given < processes) return cores_per_host > 0 && processes > cores_per_host;
  return std::any_of(ranks.begin(), ranks.end(),
                     [&](const RankRecording& rank) { return processors_on[rank.host] > rank.cores; });
}

std::uint64_t collective_volume(const Event& event, Pattern pattern) {
  if (pattern == Pattern::broadcast) return std::max(event.message.bytes, event.received.bytes);
  if (pattern == Pattern::scatter) return event.received.bytes;
  return event.message.bytes;
}

std::uint64_t collective_volume(const FoldedKey& key, Pattern pattern) {
  const std::uint64_t sent = sum_of(key, PARCAST_COLUMN_SENT_BYTES),
                      received = sum_of(key, PARCAST_COLUMN_RECEIVED_BYTES);
  if (pattern == Pattern::scatter) return received;
  return pattern == Pattern::broadcast ? sent + received : sent;  // one of the two is 0 in each broadcast
}

std::uint64_t event_count(const RankRecording& rank) {
  std::uint64_t count = rank.released_events + rank.events.size();
  for (const Chapter& chapter : rank.chapters) count += chapter.events;
  return count;
}

void release_events(RankRecording& rank) {
  rank.released_threads = static_cast<std::uint8_t>(threads_of(rank));
  rank.released_events = event_count(rank);
  const auto release = [](auto& list) { std::remove_reference_t<decltype(list)>().swap(list); };
  release(rank.chapters);
  release(rank.events);
  release(rank.completions);
  release(rank.shares);
  release(rank.phases);
  release(rank.phase_samples);
}

double seconds_recording(const RankRecording& rank) {
  return rank.overhead_per_event * static_cast<double>(event_count(rank)) + rank.own_seconds;
}

std::vector<CallSums> sums_by_call(const RankRecording& rank, const std::vector<Call>& calls) {
  return sum_calls(rank, calls, [](std::uint16_t) { return true; });
}

std::vector<CallSums> first_thread_by_call(const RankRecording& rank, const std::vector<Call>& calls) {
  return sum_calls(rank, calls, [](std::uint16_t thread) { return thread == 0; });
}

std::vector<RegionSums> sums_by_region(const Recording& recording, const RankRecording& rank) {
  const std::vector<Call>& calls = recording.calls;
  std::vector<RegionSums> sums(rank.regions.size());
  const auto add = [&](CallSums of_call, std::uint16_t thread, std::uint32_t call, std::uint32_t region) {
    if (thread != 0) of_call.inside = 0;
    add_region(of_call, calls[call], sums[region]);
  };
  for (const Chapter& chapter : rank.chapters)
    for (const FoldedKey& key : chapter.keys) {
      CallSums of_call;
      add_key(key, calls[key.call], of_call);
      add(of_call, chapter.thread, key.call, key.region);
    }
  for (const Event& event : rank.events) {
    CallSums of_call;
    add_event(event, calls[event.call], of_call);
    add(of_call, event.thread, event.call, event.region);
  }
  RegionComputing(recording, rank, sums).add();
  return sums;
}

std::vector<RankCounts> count(const Recording& recording) {
  std::vector<RankCounts> counts;
  counts.reserve(recording.ranks.size());
  for (const RankRecording& rank : recording.ranks) counts.push_back(count_rank(recording, rank));
  return counts;
}

}  // namespace parcast::recording
