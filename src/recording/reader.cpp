// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <ctime>
#include <tuple>

#include "base/checked.h"
#include "recording/call_class.h"
#include "recording/chapters.h"
#include "recording/definitions.h"
#include "recording/phase_reader.h"
#include "recording/records.h"
#include "recording/time_scale.h"
#include "recording/usage_reader.h"

namespace parcast::recording {
namespace {

static_assert(static_cast<int>(CallClass::input_output) == PARCAST_CLASS_input_output);
static_assert(static_cast<int>(CallClass::region_end) == PARCAST_CLASS_region_end);
static_assert(static_cast<int>(CallClass::communicator) == PARCAST_CLASS_communicator);
static_assert(static_cast<int>(CallClass::collective) == PARCAST_CLASS_collective);
static_assert(static_cast<int>(Pattern::neighbourhood) == PARCAST_PATTERN_neighbourhood);
static_assert(static_cast<int>(Lock::shared) == PARCAST_LOCKS_TO_SHARE &&
              static_cast<int>(Lock::exclusive) == PARCAST_LOCKS_ALONE && kEpochEnded == PARCAST_EPOCH_ENDED);
static_assert(kNoPeer == PARCAST_NO_PEER && kAnySource == PARCAST_ANY_SOURCE && kOutside == PARCAST_OUTSIDE);

std::string fixed_text(const char* text, std::size_t room) {
  return clean_text({text, strnlen(text, room)});
}

std::string iso_time(std::uint64_t nanoseconds_since_1970) {
  const auto seconds = static_cast<std::time_t>(nanoseconds_since_1970 / 1000000000u);
  std::tm parts{};
  if (!gmtime_r(&seconds, &parts) || parts.tm_year > 8000) return {};
  std::array<char, 32> text;
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::vector<std::string> words_of(const char (&command)[1024]) {
  std::vector<std::string> words;
  const std::string_view all(command, sizeof command);
  for (std::size_t at = 0; at < all.size() && all[at] != 0;) {
    const std::size_t end = std::min(all.find('\0', at), all.size());
    words.push_back(clean_text(all.substr(at, end - at)));
    at = end + 1;
  }
  return words;
}

const char* clock_name(std::uint32_t clock) {
  switch (clock) {
    case PARCAST_CLOCK_TSC_RSEQ:
      return "time stamp counter; processor clock read after detected switches";
    case PARCAST_CLOCK_TSC_LONG:
      return "time stamp counter; processor clock read after intervals of 50 us and more";
    case PARCAST_CLOCK_MONOTONIC_RSEQ:
      return "monotonic clock; processor clock read after detected switches";
    case PARCAST_CLOCK_MONOTONIC_LONG:
      return "monotonic clock; processor clock read after intervals of 50 us and more";
  }
  return "";
}

// smallest share that the kernel grants (sched(7): 1024 ns of at most 4 s)
constexpr double kSmallestShare = 1e-7;

class RankReader {
 public:
  RankReader(std::string_view bytes, const parcast_header& header, const std::string& where,
             std::vector<Call>& calls, std::vector<Loss>& losses)
      : bytes_(bytes),
        header_(header),
        losses_(losses, where),
        scale_(header, losses_),
        definitions_(bytes.size(), header.processes, calls, losses_),
        chapters_(header.processes, losses_) {}

  RankRecording read(const std::optional<CountsFile>& counts, std::vector<Loss>& losses) {
    read_header_values();
    const std::uint64_t blocks = live_value(header_, PARCAST_LIVE_BLOCKS, losses_);
    const bool ended = live_value(header_, PARCAST_LIVE_FINALISED, losses_) != 0;
    const std::uint64_t counters =
        header_.version > 4 ? live_value(header_, PARCAST_LIVE_COUNTERS, losses_) : 0;
    UsageReader usage(counters, ended, losses_);
    scan_records(
        bytes_, blocks, ended,
        {[this](const RecordView& record) { take(record); }, [this] { gap(); },
         [this](std::uint32_t number, std::string_view description) { take_chapter(number, description); },
         [&](std::string_view block) { usage.take(block); }},
        losses_);
    definitions_.finish(rank_);
    chapters_.finish(definitions_, scale_, rank_);
    usage.finish(definitions_, rank_);
    phases_.finish(scale_,
                   header_.version > 5 ? live_value(header_, PARCAST_LIVE_PHASES_REFUSED, losses_) : 0,
                   counters, rank_, losses_);
    refer();
    read_unfollowed();
    close();
    if (counts)
      rank_.counted =
          read_counted(counts->bytes, counts->where, header_.rank, header_.started, definitions_, losses);
    return std::move(rank_);
  }

 private:
  /// Position of a thread in the order of its events.
  struct Thread {
    bool known = false;      // an event came before
    bool certain = true;     // no event is missing since
    std::uint64_t exit = 0;  // ticks, of the last event
    // index of the last event; SIZE_MAX when that was folded
    std::size_t last = SIZE_MAX;
    std::vector<Completion> pending;  // completions of the next event
  };

  void read_header_values() {
    rank_.rank = header_.rank;
    rank_.host = fixed_text(header_.host, sizeof header_.host);
    rank_.mpi_library = fixed_text(header_.library, sizeof header_.library);
    rank_.command = words_of(header_.command);
    rank_.started = iso_time(header_.started);
    rank_.clock = clock_name(header_.clock);
    rank_.cores = static_cast<int>(std::min(header_.cores, 1u << 20));
    rank_.clock_frequency = scale_.frequency();
    const bool sane = std::isfinite(header_.overhead) && header_.overhead >= 0 && header_.overhead < 1e-3;
    rank_.overhead_per_event = sane ? header_.overhead : 0;
    if (header_.share >= kSmallestShare && header_.share < 1) rank_.processor_share = header_.share;
    overhead_ = std::llround(rank_.overhead_per_event * 1e9);
    rank_.events.reserve(bytes_.size() / 64);
  }

  Thread& thread(std::uint16_t number) {
    if (number >= threads_.size()) threads_.resize(std::size_t{number} + 1);
    return threads_[number];
  }

  void gap() {
    for (Thread& thread : threads_) {
      thread.certain = false;
      thread.pending.clear();
    }
  }

  void take(const RecordView& record) {
    bool good = true;
    switch (record.kind()) {
      case PARCAST_EVENT:
        good = take_event(record);
        break;
      case PARCAST_COMPLETIONS:
        good = take_completions(record);
        break;
      case PARCAST_REPEAT:
        good = take_repeat(record);
        break;
      case PARCAST_PHASE_NAME:
        good = phases_.take_name(record);
        break;
      case PARCAST_PHASE:
        good = phases_.take_phase(record);
        break;
      default:
        good = definitions_.take(record);
    }
    if (good) return;
    ++bad_records_;
    gap();
  }

  void take_chapter(std::uint32_t number, std::string_view description) {
    auto end =
        number <= UINT16_MAX ? chapters_.take(static_cast<std::uint16_t>(number), description) : std::nullopt;
    if (!end) {
      losses_.add("what was folded of thread " + std::to_string(number) + " contradicts itself");
      return gap();
    }
    Thread& on = thread(static_cast<std::uint16_t>(number));
    on.known = on.certain = true;
    on.exit = end->ticks;
    on.last = SIZE_MAX;
    on.pending = std::move(end->completions);
  }

  static bool take_message(const RecordView& record, bool present, std::size_t& at, Message& into) {
    if (!present) return true;
    const auto message = record.at<parcast_message>(at);
    at += sizeof(parcast_message);
    if (message) into = {message->peer, message->tag, message->bytes};
    return message.has_value();
  }

  static bool take_word(const RecordView& record, bool present, std::size_t& at, std::uint64_t largest,
                        std::uint64_t& into) {
    if (!present) return true;
    const auto word = record.at<std::uint64_t>(at);
    at += sizeof(std::uint64_t);
    if (word) into = *word;
    return word && into <= largest;
  }

  bool take_event(const RecordView& record) {
    const auto raw = record.at<parcast_event>(0);
    if (!raw) return false;
    const unsigned flags = record.flags();
    std::size_t at = sizeof *raw;
    std::uint64_t request = 0, compute = 0, created = 0, stolen = 0;
    constexpr std::uint64_t kSmall = UINT32_MAX, kLong = std::uint64_t{1} << 62;
    Event event;
    const bool whole = take_message(record, flags & PARCAST_HAS_MESSAGE, at, event.message) &&
                       take_message(record, flags & PARCAST_HAS_RECEIVED, at, event.received) &&
                       take_word(record, flags & PARCAST_HAS_REQUEST, at, kSmall, request) &&
                       take_word(record, flags & PARCAST_HAS_COMPUTE, at, kLong, compute) &&
                       take_word(record, flags & PARCAST_HAS_CREATED, at, kSmall, created) &&
                       take_word(record, flags & PARCAST_HAS_STOLEN, at, kLong, stolen);
    if (!whole || at != record.size()) return false;
    event.call = raw->call;
    event.thread = raw->thread;
    event.site = raw->site;
    event.region = raw->region;
    event.communicator = raw->communicator;
    event.request = static_cast<std::uint32_t>(request);
    event.created = static_cast<std::uint32_t>(created);
    event.stolen = static_cast<std::int64_t>(stolen);
    event.continued = flags & PARCAST_CONTINUED;
    event.switched = flags & PARCAST_WAS_SWITCHED;
    add(event, raw->enter, raw->exit, flags & PARCAST_HAS_COMPUTE, static_cast<std::int64_t>(compute));
    return true;
  }

  void add(Event& event, std::uint64_t enter, std::uint64_t exit, bool given, std::int64_t compute) {
    Thread& on = thread(event.thread);
    if (exit < enter) exit = enter, ++backwards_;
    event.enter = scale_.at(enter);
    event.exit = scale_.at(exit);
    if (given) {
      event.compute = compute;
    } else if (on.known && on.certain) {
      event.compute = std::max<std::int64_t>(0, scale_.span(on.exit, enter) - overhead_);
    } else {
      ++uncertain_;
    }
    event.first_completion = static_cast<std::uint32_t>(rank_.completions.size());
    event.completion_count = static_cast<std::uint32_t>(on.pending.size());
    rank_.completions.insert(rank_.completions.end(), on.pending.begin(), on.pending.end());
    on.pending.clear();
    on.known = on.certain = true;
    on.exit = exit;
    on.last = rank_.events.size();
    rank_.events.push_back(event);
  }

  bool take_completions(const RecordView& record) {
    const auto head = record.at<parcast_completions>(0);
    if (!head || record.size() != sizeof *head + head->count * sizeof(parcast_completion)) return false;
    Thread& on = thread(head->thread);
    for (std::size_t i = 0; i < head->count; ++i) {
      const auto item = *record.at<parcast_completion>(sizeof *head + i * sizeof(parcast_completion));
      on.pending.push_back({item.request, item.source, item.tag, item.bytes});
    }
    return true;
  }

  bool take_repeat(const RecordView& record) {
    const auto repeat = record.at<parcast_repeat>(0);
    if (!repeat || record.size() != sizeof *repeat) return false;
    Thread& on = thread(repeat->thread);
    if (!on.known) return false;
    // the event that the polls continue was folded: a similar event represents the polls
    if (on.last == SIZE_MAX) {
      Event more = chapters_.last_event(repeat->thread);
      on.pending.clear();
      add(more, on.exit, repeat->exit, true, 0);
      rank_.events.back().repeats = repeat->count;
      return true;
    }
    Event& event = rank_.events[on.last];
    event.repeats = checked_add(event.repeats, repeat->count).value_or(UINT32_MAX);
    on.exit = std::max(on.exit, repeat->exit);
    event.exit = scale_.at(on.exit);
    return true;
  }

  /// Converts the numbers in events to indices, and checks that their definitions exist.
  void refer() {
    std::size_t kept = 0, unknown_calls = 0, unknown_references = 0, bad_peers = 0;
    for (Event& event : rank_.events) {
      const auto call = definitions_.call(event.call);
      if (!call) {
        ++unknown_calls;
        continue;
      }
      event.call = *call;
      for (const auto& [number, index] :
           {std::pair{&event.site, definitions_.site(event.site)},
            std::pair{&event.region, definitions_.region(event.region)},
            std::pair{&event.communicator, definitions_.communicator(event.communicator)},
            std::pair{&event.created, definitions_.communicator(event.created)}}) {
        unknown_references += !index;
        *number = index.value_or(0);
      }
      unknown_references += refer_to_shares(event);
      for (Message* message : {&event.message, &event.received}) bad_peers += !check_peer(message->peer);
      rank_.events[kept++] = event;
    }
    rank_.events.resize(kept);
    for (Completion& completion : rank_.completions) bad_peers += !check_peer(completion.source);
    if (unknown_calls)
      losses_.add(std::to_string(unknown_calls) + " events are left out: the name of their call is missing");
    if (unknown_references)
      losses_.add(std::to_string(unknown_references) +
                  " references of events to sites, regions, communicators or shares are missing");
    if (bad_peers) losses_.add(std::to_string(bad_peers) + " messages name a process that does not exist");
    if (threads_.size() > 1)
      std::stable_sort(rank_.events.begin(), rank_.events.end(),
                       [](const Event& a, const Event& b) { return a.enter < b.enter; });
  }

  /// Converts the tag of a collective, which is the number of its list of bytes per partner.
  int refer_to_shares(Event& event) const {
    const Call& call = definitions_.about(event.call);
    int unknown = 0;
    for (const auto& [listed, message, index] :
         {std::tuple{lists_sent(call), &event.message, &event.sent_shares},
          std::tuple{lists_received(call), &event.received, &event.received_shares}}) {
      if (!listed) continue;
      const auto found = definitions_.shares(static_cast<std::uint32_t>(message->tag));
      unknown += !found;
      *index = found.value_or(0);
      message->tag = 0;
    }
    return unknown;
  }

  bool check_peer(std::int32_t& peer) const {
    if (peer >= kOutside && peer < header_.processes) return true;
    peer = kNoPeer;
    return false;
  }

  void read_unfollowed() {
    for (std::size_t i = 0; i < PARCAST_UNFOLLOWED_SLOTS; ++i) {
      parcast_unfollowed slot;
      bytes_.copy(reinterpret_cast<char*>(&slot), sizeof slot, PARCAST_PAGE + i * sizeof slot);
      const std::uint64_t twin = slot.count.twin ^ PARCAST_TWIN ^ slot.call;
      if (slot.used == 0 && slot.call == 0 && slot.count.value == 0 && slot.count.twin == 0) continue;
      const auto call = definitions_.call(slot.call);
      if (!call || slot.used != 1 || twin != slot.count.value) {
        losses_.add("the count of a call that is not followed is damaged");
        if (!call) continue;
      }
      rank_.unfollowed.push_back({definitions_.name(*call), std::min(slot.count.value, twin)});
    }
    std::sort(rank_.unfollowed.begin(), rank_.unfollowed.end(),
              [](const UnfollowedCall& a, const UnfollowedCall& b) { return a.name < b.name; });
  }

  /// Adds a sentence for each recorder table that was full.
  void add_left_out(std::uint64_t bits) {
    static constexpr std::pair<std::uint64_t, const char*> kSentences[] = {
        {PARCAST_LEFT_OUT_REGIONS,
         "the recorder keeps 4,095 paths of regions and 256 KiB of names: events of further regions are in "
         "the region around them"},
        {PARCAST_LEFT_OUT_LEVELS,
         "the recorder keeps 64 levels of regions: events of deeper ones are in the region around them"},
        {PARCAST_LEFT_OUT_PARAMETERS,
         "the recorder keeps 64 parameters given before MPI_Init: further ones are left out"},
        {PARCAST_LEFT_OUT_SITES,
         "there were more places of calls than the recorder keeps: further calls have no place"},
        {PARCAST_LEFT_OUT_MODULES,
         "there were more libraries than the recorder keeps: calls from further ones have no place"},
        {PARCAST_LEFT_OUT_SHARES,
         "there were more different divisions of bytes in collectives than the recorder keeps: further ones "
         "have no bytes per partner"},
        {PARCAST_LEFT_OUT_COMMUNICATORS,
         "there were more communicators than the recorder keeps: calls on further ones have none"},
        {PARCAST_LEFT_OUT_REQUESTS,
         "there were more requests at a time than the recorder keeps: what completed further ones is not "
         "known"}};
    for (const auto& [bit, sentence] : kSentences)
      if (bits & bit) losses_.add(sentence);
  }

  void close() {
    const std::uint64_t finalised = live_value(header_, PARCAST_LIVE_FINALISED, losses_);
    rank_.finalised = finalised != 0;
    if (header_.version > 3) {
      rank_.summarised = live_value(header_, PARCAST_LIVE_SUMMARISED, losses_) != 0;
      rank_.own_seconds =
          1e-9 * static_cast<double>(scale_.span(0, live_value(header_, PARCAST_LIVE_OWN_TICKS, losses_)));
    }
    if (header_.version > 4) rank_.without_path = live_value(header_, PARCAST_LIVE_WITHOUT_PATH, losses_);
    for (const Chapter& chapter : rank_.chapters) {
      rank_.dropped_events += chapter.dropped;
      uncertain_ += chapter.uncertain;
    }
    for (const Chapter& chapter : rank_.chapters) rank_.wall = std::max(rank_.wall, chapter.end);
    for (const Event& event : rank_.events) rank_.wall = std::max(rank_.wall, event.exit);
    if (rank_.finalised) rank_.wall = std::max<std::int64_t>(0, scale_.at(finalised));
    clear_computing_around_the_run();
    rank_.total_compute = chapters_.computing(rank_);
    for (const Event& event : rank_.events)
      rank_.total_compute = checked_add(rank_.total_compute, event.compute).value_or(rank_.total_compute);
    rank_.peak_memory = live_value(header_, PARCAST_LIVE_PEAK_MEMORY, losses_);
    rank_.dropped_events += live_value(header_, PARCAST_LIVE_DROPPED, losses_);
    const std::uint64_t stop = live_value(header_, PARCAST_LIVE_STOP_REASON, losses_);
    if (rank_.dropped_events > 0 || stop != PARCAST_STOP_NONE)
      losses_.add(std::to_string(rank_.dropped_events) + " events were not kept: " + stop_reason(stop));
    if (header_.version > 8) add_left_out(live_value(header_, PARCAST_LIVE_LEFT_OUT, losses_));
    if (bad_records_) losses_.add(std::to_string(bad_records_) + " records do not hold what they should");
    if (backwards_) losses_.add("the clock went backwards during " + std::to_string(backwards_) + " calls");
    if (uncertain_)
      losses_.add("the computing time before " + std::to_string(uncertain_) + " events is not known");
    if (!rank_.phases.empty() && !rank_.finalised) rank_.wall = std::max(rank_.wall, rank_.phases.back().end);
    if (!rank_.finalised)
      losses_.add(std::string("the process ended without ") +
                  (calls_mpi() ? "MPI_Finalize" : "returning or calling exit") +
                  "; its events end where it did");
    rank_.complete = losses_.empty();
  }

  /// Returns whether the rank called MPI. Other tools do not record the library.
  bool calls_mpi() const {
    const auto is_call = [&](const Event& event) {
      const CallClass kind = definitions_.about(event.call).kind;
      return kind != CallClass::region_begin && kind != CallClass::region_end;
    };
    return !rank_.mpi_library.empty() || std::ranges::any_of(rank_.events, is_call);
  }

  /// Sets computing before MPI_Init's return and after MPI_Finalize's entry to 0: it is not part of the run's
  /// time.
  void clear_computing_around_the_run() {
    std::vector<std::int64_t> exits(threads_.size(), 0);
    for (Event& event : rank_.events) {
      if (event.enter <= 0 || (rank_.finalised && exits[event.thread] >= rank_.wall)) event.compute = 0;
      exits[event.thread] = event.exit;
    }
  }

  std::string_view bytes_;
  const parcast_header& header_;
  LossList losses_;
  TimeScale scale_;
  Definitions definitions_;
  Chapters chapters_;
  PhaseReader phases_;
  RankRecording rank_;
  std::vector<Thread> threads_;
  std::int64_t overhead_ = 0;
  std::uint64_t bad_records_ = 0, backwards_ = 0, uncertain_ = 0;
};

}  // namespace

Result<RankRecording> read_rank(std::string_view bytes, const std::string& where, std::vector<Call>& calls,
                                std::vector<Loss>& losses, const std::optional<CountsFile>& counts) {
  PARCAST_ASSIGN(const parcast_header header, read_header(bytes, where));
  if (header.processes < 1 || header.rank < 0 || header.rank >= header.processes)
    return Error{"rank " + std::to_string(header.rank) + " of " + std::to_string(header.processes) +
                     " processes cannot be",
                 where, "record again"};
  return RankReader(bytes, header, where, calls, losses).read(counts, losses);
}

}  // namespace parcast::recording
