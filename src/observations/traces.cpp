// SPDX-License-Identifier: Apache-2.0
#include "observations/traces.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "base/text.h"
#include "observations/folded_totals.h"
#include "recording/call_kinds.h"
#include "recording/process_time.h"
#include "recording/site_text.h"

namespace parcast::program {
namespace {

using recording::CallClass;
using recording::Event;
using recording::RankRecording;
using recording::Recording;

// Assigns numbers to keys and transitions, in order of first occurrence.
class Register {
 public:
  Register(std::vector<CallKey>& keys, std::vector<std::string>& sites, std::vector<Transition>& transitions)
      : all_keys_(keys), all_sites_(sites), all_transitions_(transitions) {}

  std::int32_t key(const CallKey& key, const std::string& site) {
    std::string path = join(key.path, "/");
    const auto [at, is_new] = keys_.emplace(std::tuple{std::move(path), site, key.name},
                                            static_cast<std::int32_t>(all_keys_.size()));
    if (is_new) {
      all_keys_.push_back(key);
      all_sites_.push_back(site);
    }
    return at->second;
  }
  std::int32_t transition(std::int32_t from, std::int32_t to) {
    const auto id =
        (static_cast<std::uint64_t>(static_cast<std::uint32_t>(from)) << 32) | static_cast<std::uint32_t>(to);
    const auto [at, is_new] = transitions_.emplace(id, static_cast<std::int32_t>(all_transitions_.size()));
    if (is_new) all_transitions_.push_back({from, to});
    return at->second;
  }

 private:
  std::vector<CallKey>& all_keys_;
  std::vector<std::string>& all_sites_;
  std::vector<Transition>& all_transitions_;
  std::map<std::tuple<std::string, std::string, std::string>, std::int32_t> keys_;
  std::unordered_map<std::uint64_t, std::int32_t> transitions_;
};

constexpr double kMostNanoseconds = 9e18;  // fits in an integer; a damaged file may contain more

// Reads the events of one process.
class Reader {
 public:
  Reader(const Recording& recording, const RankRecording& rank, Register& numbers, Trace& trace)
      : recording_(recording),
        rank_(rank),
        register_(numbers),
        trace_(trace),
        threads_(recording::threads_of(rank)),
        counted_thread_(recording::thread_that_counts(rank)) {}

  void read() {
    for (const recording::Chapter& chapter : rank_.chapters) read_chapter(chapter);
    for (const Event& event : rank_.events) read_event(event);
    for (const std::int32_t last : previous_)
      if (last != kOutside) ++trace_.transitions[transition(last, kOutside)].traversals;
    if (threads_ == recording::Threads::beside_each_other) share_out();
    summarise_times();
    move_totals();
    read_counted();
    for (const auto& call : rank_.unfollowed)
      trace_.unfollowed[call.name] += static_cast<std::int64_t>(call.count);
  }

 private:
  /// Computing times of a transition, in order. Of each part one sample in 2^thinned was kept.
  struct Times {
    struct Part {
      std::uint32_t thinned;
      std::vector<Sample> samples;
    };
    std::vector<Part> parts;
    std::int64_t count = 0, disturbed = 0;
    double total = 0;  // nanoseconds
    double part = 1;   // part of the time that counts, since other threads computed concurrently
  };

  std::int32_t& previous(std::uint16_t thread) {
    if (thread >= previous_.size()) previous_.resize(thread + std::size_t{1}, kOutside);
    return previous_[thread];
  }

  Times& times_of(std::int32_t transition) {
    const auto id = static_cast<std::size_t>(transition);
    if (id >= times_.size()) times_.resize(id + 1);
    return times_[id];
  }

  void read_event(const Event& event) {
    const std::int32_t key = key_of(event);
    if (event.continued) {  // a further message of the previous call
      add_messages(totals(key), recording_.calls[event.call].kind, event);
      return;
    }
    std::int32_t& from = previous(event.thread);
    Times& times = times_of(transition(from, key));
    if (times.parts.empty() || times.parts.back().thinned != 0) times.parts.push_back({0, {}});
    times.parts.back().samples.push_back(
        sample(counts(event.thread) * static_cast<double>(event.compute), event.switched));
    ++times.count;
    times.disturbed += event.switched;
    times.total += static_cast<double>(times.parts.back().samples.back().nanoseconds);
    from = key;
    add(key, event);
  }

  void read_chapter(const recording::Chapter& chapter) {
    std::vector<std::int32_t> keys;
    const std::int32_t before = previous(chapter.thread);
    const double counted = counts(chapter.thread);
    for (const recording::FoldedKey& folded : chapter.keys) {
      Event like;
      like.call = static_cast<std::uint16_t>(folded.call);
      like.site = folded.site;
      like.region = folded.region;
      keys.push_back(key_of(like));
      if (folded.executions + folded[PARCAST_COLUMN_REPEATS].count > 0)
        add_folded(folded, recording_, rank_, totals(keys.back()));
      if (folded[PARCAST_COLUMN_NEXT].count < folded[PARCAST_COLUMN_FLAGS].count)
        previous(chapter.thread) = keys.back();
    }
    for (const recording::FoldedTransition& t : chapter.transitions) {
      Times& times =
          times_of(transition(t.from < 0 ? before : keys[static_cast<std::size_t>(t.from)], keys[t.to]));
      times.parts.push_back({t.thinned, {}});
      for (const recording::FoldedSample& s : t.samples)
        times.parts.back().samples.push_back(
            sample(counted * static_cast<double>(s.nanoseconds), s.disturbed));
      times.count += static_cast<std::int64_t>(t.count);
      times.disturbed += static_cast<std::int64_t>(t.disturbed);
      times.total += counted * t.time / rank_.processor_share;
    }
  }

  /// Returns 1, or 0 for a thread whose computing is left out.
  double counts(std::uint16_t thread) const {
    return thread == counted_thread_ || threads_ == recording::Threads::beside_each_other ? 1 : 0;
  }

  /// Returns a sample in time of a processor with the speed of the reserved share.
  Sample sample(double nanoseconds, bool disturbed) const {
    return {std::llround(std::min(std::max(0.0, nanoseconds) / rank_.processor_share, kMostNanoseconds)),
            disturbed};
  }

  std::int32_t key_of(const Event& event) {
    const std::uint64_t id =
        (std::uint64_t{event.region} << 40) ^ (std::uint64_t{event.site} << 16) ^ event.call;
    if (id == last_id_) return last_key_;
    const auto [at, is_new] = keys_.emplace(id, 0);
    if (is_new) at->second = make_key(event);
    last_id_ = id;
    return last_key_ = at->second;
  }

  std::int32_t make_key(const Event& event) {
    CallKey key;
    if (event.region < rank_.regions.size())
      for (const std::string& name : split(rank_.regions[event.region], '/'))
        if (!name.empty()) key.path.push_back(name);
    if (event.call < recording_.calls.size()) {
      const recording::Call& call = recording_.calls[event.call];
      key.name = call.name;
      key.call_class = call.kind;
      key.pattern = call.pattern;
    }
    std::string site;
    if (event.site < rank_.sites.size()) {
      const recording::Site& s = rank_.sites[event.site];
      if (s.module < rank_.modules.size()) {
        const recording::Module& m = rank_.modules[s.module];
        site = m.build_id.empty() ? std::filesystem::path(m.path).filename().string() : m.build_id;
      }
      site += "+" + std::to_string(s.offset);
      if (!s.file.empty())
        key.where = std::filesystem::path(s.file).filename().string() + ":" + std::to_string(s.line);
      else
        key.where = recording::function_of(s);
    }
    return register_.key(key, site);
  }

  std::int32_t transition(std::int32_t from, std::int32_t to) {
    const auto id =
        (static_cast<std::uint64_t>(static_cast<std::uint32_t>(from)) << 32) | static_cast<std::uint32_t>(to);
    if (id == last_pair_) return last_transition_;
    last_pair_ = id;
    const auto [at, is_new] = pairs_.emplace(id, 0);
    if (is_new) at->second = register_.transition(from, to);
    return last_transition_ = at->second;
  }

  std::optional<std::int32_t> known_transition(std::int32_t from, std::int32_t to) const {
    const auto at = pairs_.find((static_cast<std::uint64_t>(static_cast<std::uint32_t>(from)) << 32) |
                                static_cast<std::uint32_t>(to));
    return at == pairs_.end() ? std::nullopt : std::optional(at->second);
  }

  CallTotals& totals(std::int32_t key) {
    const auto index = static_cast<std::size_t>(key);
    if (index >= totals_.size()) totals_.resize(index + 1);
    if (totals_[index].executions == 0) trace_.visits.push_back(key);
    return totals_[index];
  }

  void add(std::int32_t key, const Event& event) {
    CallTotals& t = totals(key);
    const CallClass kind =
        event.call < recording_.calls.size() ? recording_.calls[event.call].kind : CallClass::none;
    t.seconds += static_cast<double>(event.exit - event.enter) * 1e-9;
    if (is_collective(kind))
      add_collective(t, event);
    else
      add_messages(t, kind, event);
    add_members(t, event);
    if (!event.continued) t.executions += event.repeats;
  }

  void add_members(CallTotals& t, const Event& event) const {
    std::int64_t members = recording_.processes;
    if (event.call < recording_.calls.size() &&
        recording_.calls[event.call].pattern == recording::Pattern::neighbourhood) {
      members = 0;
      if (event.sent_shares < rank_.shares.size())
        for (const recording::Share& share : rank_.shares[event.sent_shares]) members += share.count;
    } else if (event.communicator < rank_.communicators.size() &&
               !rank_.communicators[event.communicator].world_ranks.empty())
      members = static_cast<std::int64_t>(rank_.communicators[event.communicator].world_ranks.size() +
                                          joins_others(event));
    t.in_world = t.in_world && event.communicator == 0 && members == recording_.processes;
    t.least_members = t.executions == 0 ? members : std::min(t.least_members, members);
    t.most_members = std::max(t.most_members, members);
  }

  /// Returns whether this process takes part besides the listed ranks. The communicator of an
  /// intercommunicator lists the other group, but a collective on it includes this process.
  bool joins_others(const Event& event) const {
    return event.call < recording_.calls.size() && is_collective(recording_.calls[event.call].kind) &&
           is_inter_[event.communicator];
  }
  static std::vector<bool> inter_of(const RankRecording& rank) {
    std::vector<bool> out;
    for (const recording::Communicator& each : rank.communicators)
      out.push_back(!each.world_ranks.empty() &&
                    std::ranges::find(each.world_ranks, rank.rank) == each.world_ranks.end());
    return out;
  }

  void add_collective(CallTotals& t, const Event& event) const {
    t.collective_bytes +=
        static_cast<std::int64_t>(recording::collective_volume(event, recording_.calls[event.call].pattern));
    const std::int32_t root = event.message.peer;
    if (root < 0) return;
    if (t.executions == 0) t.first_root = root;
    if (t.first_root < 0 || root != (t.executions + t.first_root) % recording_.processes)
      t.roots_advance = false;
    ++t.peers[root];
  }

  void add_messages(CallTotals& t, CallClass kind, const Event& event) const {
    if (kind == CallClass::one_sided || kind == CallClass::input_output) {
      t.bytes += static_cast<std::int64_t>(event.message.bytes);
      t.received_bytes += static_cast<std::int64_t>(event.received.bytes);
      if (const std::int32_t peer = std::max(event.message.peer, event.received.peer); peer >= 0)
        ++t.peers[peer];
      return;
    }
    if (sends(kind)) {
      ++t.peers[event.message.peer];
      if (event.message.peer >= 0) {
        ++t.messages;
        t.bytes += static_cast<std::int64_t>(event.message.bytes);
      }
    }
    if (receives(kind) && event.received.peer != recording::kNoPeer)
      t.received_bytes += static_cast<std::int64_t>(event.received.bytes);
    if (kind == CallClass::receive || kind == CallClass::start_receive) ++t.peers[event.received.peer];
    const std::size_t end = std::size_t{event.first_completion} + event.completion_count;
    for (std::size_t i = event.first_completion; i < std::min(end, rank_.completions.size()); ++i)
      if (rank_.completions[i].source >= 0)
        t.received_bytes += static_cast<std::int64_t>(rank_.completions[i].bytes);
  }

  /// Divides time in which several threads computed among them, so that the parts add up to the computing of
  /// the process.
  void share_out() {
    std::vector<double> shares(times_.size(), 0);
    std::vector<std::int32_t> before(previous_.size(), kOutside);
    recording::for_each_computed(
        recording_, rank_, [&](const Event& event, auto, const recording::Computed& computed) {
          if (event.continued) return;
          std::int32_t& from = before[event.thread];
          const std::int32_t to = key_of(event);
          if (const auto id = known_transition(from, to))
            shares[static_cast<std::size_t>(*id)] += computed.share / rank_.processor_share;
          from = to;
        });
    for (std::size_t id = 0; id < times_.size(); ++id)
      if (times_[id].total > 0) times_[id].part = shares[id] / times_[id].total;
  }

  // Thins all parts like the one thinned most. Keeps the first execution of all, since it often differs.
  static std::vector<Sample> evenly_thinned(const Times& times) {
    std::uint32_t most = 0;
    std::size_t count = 0;
    for (const auto& part : times.parts) most = std::max(most, part.thinned), count += part.samples.size();
    std::vector<Sample> samples;
    samples.reserve(count);
    for (const auto& part : times.parts) {
      const std::size_t step = std::size_t{1} << std::min(most - part.thinned, 40u);
      for (std::size_t i = 0; i < part.samples.size(); ++i)
        if (i % step == step / 2 || (i == 0 && samples.empty())) samples.push_back(part.samples[i]);
    }
    return samples;
  }

  static std::vector<Sample> parts_of(std::vector<Sample> samples, double part) {
    if (part != 1)
      for (Sample& each : samples)
        each.nanoseconds = std::llround(part * static_cast<double>(each.nanoseconds));
    return samples;
  }

  void summarise_times() {
    for (std::size_t id = 0; id < times_.size(); ++id) {
      const Times& times = times_[id];
      if (times.count == 0) continue;
      TransitionTotals& totals = trace_.transitions[static_cast<std::int32_t>(id)];
      totals.traversals += times.count;
      totals.time = summarise(parts_of(evenly_thinned(times), times.part));
      totals.time.count = times.count;
      totals.time.total = times.total * times.part * 1e-9;
      totals.time.disturbed =
          static_cast<double>(times.disturbed) / static_cast<double>(std::max<std::int64_t>(1, times.count));
    }
  }

  void move_totals() {
    for (const std::int32_t key : trace_.visits)
      trace_.calls.emplace(key, std::move(totals_[static_cast<std::size_t>(key)]));
  }

  void read_counted() {
    for (const recording::CountedSet& set : rank_.counted.sets) {
      if (set.kind == recording::SetKind::start) trace_.counted[kOutside].push_back(&set);
      if (set.kind != recording::SetKind::event) continue;
      Event like;
      like.call = set.call;
      like.site = set.site;
      like.region = set.region;
      trace_.counted[key_of(like)].push_back(&set);
    }
  }

  const Recording& recording_;
  const RankRecording& rank_;
  Register& register_;
  Trace& trace_;
  const std::vector<bool> is_inter_ = inter_of(rank_);  // by communicator: it lists another group
  const recording::Threads threads_;
  const std::uint16_t counted_thread_;
  std::unordered_map<std::uint64_t, std::int32_t> keys_, pairs_;
  std::uint64_t last_id_ = ~std::uint64_t{0}, last_pair_ = ~std::uint64_t{0};
  std::int32_t last_key_ = 0, last_transition_ = 0;
  std::vector<CallTotals> totals_;
  std::vector<std::int32_t> previous_;  // key of the last event, by thread
  std::vector<Times> times_;            // by transition
};

/// Replaces the keys of the map and keeps its entries.
template <class Value>
void renumber(std::map<std::int32_t, Value>& map, const std::vector<std::int32_t>& number_of) {
  std::map<std::int32_t, Value> out;
  while (!map.empty()) {
    auto entry = map.extract(map.begin());
    if (entry.key() != kOutside) entry.key() = number_of[static_cast<std::size_t>(entry.key())];
    out.insert(std::move(entry));
  }
  map = std::move(out);
}

void join_run(RunTotals run, std::size_t number, Register& numbers, Traces& out) {
  std::vector<std::int32_t> key_of, transition_of;
  for (std::size_t key = 0; key < run.keys.size(); ++key)
    key_of.push_back(numbers.key(run.keys[key], run.sites[key]));
  const auto key = [&](std::int32_t of_run) {
    return of_run == kOutside ? kOutside : key_of[static_cast<std::size_t>(of_run)];
  };
  for (const Transition& each : run.transitions)
    transition_of.push_back(numbers.transition(key(each.from), key(each.to)));
  for (Trace& trace : run.traces) {
    trace.run = number;
    renumber(trace.calls, key_of);
    renumber(trace.transitions, transition_of);
    renumber(trace.counted, key_of);
    for (std::int32_t& visit : trace.visits) visit = key(visit);
    out.traces.push_back(std::move(trace));
  }
}

}  // namespace

RunTotals totals_of(const Recording& recording) {
  RunTotals out;
  Register numbers(out.keys, out.sites, out.transitions);
  for (const RankRecording& rank : recording.ranks) {
    Trace trace;
    trace.rank = rank.rank;
    trace.complete = rank.complete;
    Reader(recording, rank, numbers, trace).read();
    out.traces.push_back(std::move(trace));
  }
  return out;
}

Traces joined(std::vector<RunTotals> runs, const std::vector<std::size_t>& order) {
  Traces out;
  std::vector<std::string> sites;
  Register numbers(out.keys, sites, out.transitions);
  for (const std::size_t run : order) join_run(std::move(runs[run]), run, numbers, out);
  return out;
}

Traces reduce(const std::vector<Recording>& recordings, const std::vector<std::size_t>& order) {
  std::vector<RunTotals> runs(recordings.size());
  for (const std::size_t run : order) runs[run] = totals_of(recordings[run]);
  return joined(std::move(runs), order);
}

}  // namespace parcast::program
