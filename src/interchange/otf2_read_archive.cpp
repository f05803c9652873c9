// SPDX-License-Identifier: Apache-2.0
#include "interchange/otf2_read_archive.h"

#include <algorithm>
#include <cstdarg>
#include <ctime>
#include <memory>

#include "base/text.h"
#include "interchange/otf2_archive.h"
#include "interchange/otf2_handles.h"
#include "interchange/otf2_location.h"
#include "interchange/rank_communicators.h"
#include "interchange/rank_writer.h"
#include "recording/recording_file.h"

namespace parcast::interchange {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostCounted = 10'000'000;  // largest count of a call that is only counted
constexpr std::size_t kMostDamage = 20;             // largest number of sentences

std::string iso_time(std::uint64_t nanoseconds) {
  const auto seconds = static_cast<std::time_t>(nanoseconds / 1'000'000'000);
  std::tm parts{};
  char text[32];
  if (nanoseconds == 0 || !gmtime_r(&seconds, &parts)) return "";
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

/// Returns the values of the properties PREFIX0, PREFIX1, ...
std::vector<std::string> words_under(const Properties& properties, std::string_view prefix) {
  std::vector<std::string> words;
  for (std::string key; properties.contains(key = std::string(prefix) + std::to_string(words.size()));)
    words.push_back(text(properties, key));
  return words;
}

template <class Take>
void each_under(const Properties& properties, std::string_view prefix, const Take& take) {
  for (auto at = properties.lower_bound(std::string(prefix));
       at != properties.end() && at->first.starts_with(prefix); ++at)
    take(at->first.substr(prefix.size()), at->first);
}

class Importer {
 public:
  Importer(OTF2_Reader* reader, Otf2Archive archive, Otf2Ranks ranks, const fs::path& folder,
           std::uint64_t limit, const ChildVoice& voice)
      : reader_(reader),
        archive_(std::move(archive)),
        ranks_(std::move(ranks)),
        communicators_(archive_, ranks_),
        folder_(folder),
        limit_(limit),
        voice_(voice) {
    for (const ArchiveLocation& each : archive_.locations) declared_[each.number] = each.records;
    for (const auto& [location, rank] : ranks_.rank_of)
      all_ += std::min(declared_[location], UINT64_MAX - all_);
  }

  Result<void> run() {
    PARCAST_TRY(open_files());
    for (std::size_t i = 0; i < ranks_.ranks.size(); ++i)
      PARCAST_TRY(write_rank(static_cast<std::int32_t>(i)));
    PARCAST_TRY(write_run());
    tell();
    return {};
  }

 private:
  /// Opens the files of the locations. Local definitions map a location's numbers and clock to those of the
  /// archive.
  Result<void> open_files() {
    for (const auto& [location, rank] : ranks_.rank_of) OTF2_Reader_SelectLocation(reader_, location);
    if (OTF2_Reader_OpenDefFiles(reader_) == OTF2_SUCCESS) {
      for (const auto& [location, rank] : ranks_.rank_of) {
        OTF2_DefReader* definitions = OTF2_Reader_GetDefReader(reader_, location);
        std::uint64_t read = 0;
        if (definitions && OTF2_Reader_ReadAllLocalDefinitions(reader_, definitions, &read) != OTF2_SUCCESS)
          damaged("the local definitions of rank " + std::to_string(rank) + " are damaged");
        if (definitions) OTF2_Reader_CloseDefReader(reader_, definitions);
        voice_.say({"progress", "0", "definitions"});
      }
      OTF2_Reader_CloseDefFiles(reader_);
    }
    if (OTF2_Reader_OpenEvtFiles(reader_) != OTF2_SUCCESS)
      return Error{"the events of the archive cannot be opened", "",
                   "the folder traces belongs into the folder of traces.otf2"};
    return {};
  }

  void damaged(const std::string& what) {
    if (++damages_ <= kMostDamage) voice_.say({"damage", what});
  }

  const Properties& of_process(std::int32_t rank) const {
    static const Properties none;
    const auto at = archive_.of_processes.find(ranks_.ranks[static_cast<std::size_t>(rank)].process);
    return at == archive_.of_processes.end() ? none : at->second;
  }

  const Properties& of_run() const {
    static const Properties none;
    const auto at = archive_.of_nodes.find(0);
    return at == archive_.of_nodes.end() ? none : at->second;
  }

  /// Returns the thread numbers: the high half of the locations where that is valid, otherwise their order.
  std::vector<std::uint16_t> thread_numbers(const std::vector<OTF2_LocationRef>& threads) const {
    std::vector<std::uint16_t> by_half, by_order;
    bool good = threads.front() >> 32 == 0;
    for (std::size_t i = 0; i < threads.size(); ++i) {
      const std::uint64_t half = threads[i] >> 32;
      good = good && half <= UINT16_MAX && (i == 0 || half > threads[i - 1] >> 32);
      by_half.push_back(static_cast<std::uint16_t>(half));
      by_order.push_back(static_cast<std::uint16_t>(i));
    }
    return good ? by_half : by_order;
  }

  RankFacts facts_of(std::int32_t rank, const RankState& state) {
    const Properties& about = of_process(rank);
    RankFacts facts;
    facts.rank = rank;
    facts.processes = static_cast<std::int32_t>(ranks_.ranks.size());
    facts.host = archive_.host_of(ranks_.ranks[static_cast<std::size_t>(rank)].process);
    facts.library = text(about, kLibrary);
    facts.command = words_under(about, kArgument);
    if (facts.command.empty()) facts.command = state.command;
    facts.cores =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(number(about, kCores).value_or(0), 1 << 20));
    facts.share = std::clamp(real(about, kShare).value_or(1), 0.0, 1.0);
    facts.overhead = real(about, kOverhead).value_or(0);
    facts.peak_memory = number(about, kPeakMemory).value_or(0);
    const auto zero = number(about, kZero);
    uninitialised_ += !zero && !state.initialised && state.calls_mpi;
    without_mpi_ += !zero && !state.calls_mpi;
    accelerated_ += 1e-9 * static_cast<double>(state.accelerated);
    facts.zero = zero ? archive_.ticks(*zero) : state.initialised.value_or(state.first.value_or(kShift));
    const std::uint64_t offset = archive_.ticks(archive_.offset);
    if (archive_.day != OTF2_UNDEFINED_TIMESTAMP && archive_.day < (std::uint64_t{1} << 62) &&
        archive_.day + facts.zero > offset)
      facts.started = archive_.day + facts.zero - offset;
    return facts;
  }

  void read_threads(std::int32_t rank, RankState& state) {
    const auto& threads = ranks_.ranks[static_cast<std::size_t>(rank)].threads;
    const auto numbers = thread_numbers(threads);
    for (std::size_t i = 0; i < threads.size(); ++i) {
      state.writer.begin_thread(numbers[i]);
      LocationReader location(archive_, state, totals_, i == 0);
      const std::string why = read_location(reader_, threads[i], declared_[threads[i]], location, [&] {
        const double part = std::min(1.0, static_cast<double>(totals_.records) /
                                              static_cast<double>(std::max<std::uint64_t>(all_, 1)));
        voice_.say({"progress", std::to_string(part), "rank " + std::to_string(rank)});
      });
      location.finish();
      if (why.empty()) continue;
      whole_ = false;
      damaged("the events of rank " + std::to_string(rank) +
              (i ? ", thread " + std::to_string(numbers[i]) : "") + " are not whole: " + why);
    }
  }

  void count_calls(const Properties& about, const RankState& state) {
    std::map<std::string, std::uint64_t> named = state.unknown;
    for (const auto& [call, times] : state.counted) named[std::string(call->name)] += times;
    each_under(about, kUnfollowed, [&](const std::string& name, const std::string& key) {
      named[name] = number(about, key).value_or(0);
    });
    std::vector<MpiCall> rows;
    rows.reserve(named.size());
    for (const auto& [name, times] : named) {
      const MpiCall* known = find_mpi_call(name);
      rows.push_back(known && known->name == name ? *known
                                                  : MpiCall{name, recording::CallClass::none,
                                                            recording::Pattern::none, Treatment::counted});
      if (times > kMostCounted)
        voice_.say({"warning", name + " was called more than " + format_integer(kMostCounted) +
                                   " times; the others are not counted"});
      state.writer.count(rows.back(), std::min(times, kMostCounted));
    }
  }

  Result<void> write_rank(std::int32_t rank) {
    RankFacts first;
    first.rank = rank;
    first.processes = static_cast<std::int32_t>(ranks_.ranks.size());
    PARCAST_ASSIGN(auto writer,
                   RankWriter::create(folder_ / ("rank-" + std::to_string(rank) + ".rec"), first, limit_));
    RankCommunicators communicators(communicators_, rank, *writer);
    RankState state{.writer = *writer, .communicators = communicators, .rank = rank};
    whole_ = true;
    read_threads(rank, state);
    const Properties& about = of_process(rank);
    each_under(about, kOwnParameter, [&](const std::string& name, const std::string& key) {
      if (const auto value = real(about, key)) writer->parameter(name, *value);
    });
    count_calls(about, state);
    const RankFacts facts = facts_of(rank, state);
    if (rank == 0) first_ = facts;
    unknown_peers_ += communicators.unknown_peers();
    events_ += writer->events();
    std::optional<std::uint64_t> finalised = state.finalised;
    if (!state.calls_mpi && !number(about, kZero)) finalised = std::max(state.last, facts.zero);
    if (const auto given = number(about, kFinalised)) finalised = archive_.ticks(*given);
    return writer->finish(facts, whole_ ? finalised : std::nullopt);
  }

  Result<void> write_run() {
    const Properties& about = of_run();
    recording::Recording run;
    run.program = text(about, kProgram);
    if (run.program.empty() && !first_.command.empty())
      run.program = fs::path(first_.command.front()).filename().string();
    if (run.program.empty()) run.program = "program";
    run.command = words_under(about, kWord);
    if (run.command.empty()) run.command = first_.command;
    run.processes = static_cast<std::int32_t>(ranks_.ranks.size());
    run.mpi_library = text(about, kMpiLibrary);
    run.machine_summary = text(about, kMachineSummary);
    run.executable_digest = text(about, kExecutableDigest);
    run.started = text(about, kStarted).empty() ? iso_time(first_.started) : text(about, kStarted);
    run.cores_per_host =
        static_cast<int>(std::min<std::uint64_t>(number(about, kCoresPerHost).value_or(0), 1 << 20));
    run.virtual_machine = number(about, kVirtualMachine).value_or(0) != 0;
    run.exit_code = static_cast<int>(std::clamp(real(about, kExitCode).value_or(0), -1e6, 1e6));
    run.launch_seconds = real(about, kLaunchSeconds).value_or(0);
    run.outside = outside();
    run.accelerator_seconds = std::max(0.0, real(about, kAcceleratorSeconds).value_or(accelerated()));
    each_under(about, kParameter, [&](const std::string& name, const std::string& key) {
      if (const auto value = real(about, key)) run.parameters[name] = *value;
    });
    return recording::write_meta(folder_, run);
  }

  void warn(std::uint64_t count, const std::string& what) const {
    if (count) voice_.say({"warning", std::to_string(count) + " " + what});
  }

  /// Returns the seconds in regions of accelerators, mean over the processes.
  double accelerated() const { return accelerated_ / static_cast<double>(ranks_.ranks.size()); }

  /// Returns what is outside the recording. Activity of accelerators is no part of it.
  std::vector<std::string> outside() const {
    std::vector<std::string> out = words_under(of_run(), kOutsideOfRun);
    if (ranks_.streams > 0)
      out.push_back(
          "the archive holds " + format_integer(static_cast<long long>(ranks_.streams)) +
          (ranks_.streams == 1 ? " stream" : " streams") + " of accelerators with " +
          format_integer(static_cast<long long>(std::min<std::uint64_t>(ranks_.stream_records, INT64_MAX))) +
          " records: kernels and copies there are outside the recording and every model of it");
    if (accelerated_ > 0)
      out.push_back("a process spends " + format_significant(accelerated(), 3) +
                    " s (mean) in calls that start accelerators or wait for them: a model takes that time as "
                    "computing, as long as with the accelerators of this run");
    return out;
  }

  void tell() const {
    for (const std::string& text : ranks_.warnings) voice_.say({"warning", text});
    for (const std::string& text : outside()) voice_.say({"warning", text});
    for (const auto& [kind, count] : totals_.left_out) voice_.say({"left out", kind, std::to_string(count)});
    warn(without_mpi_,
         "processes call no MPI: their times are those from their first record to the first thread's last");
    warn(uninitialised_, "ranks have no return of MPI_Init: their times begin with their first record");
    warn(unknown_peers_, "messages name a partner that is not in their communicator: they have none");
    warn(totals_.unmatched, "regions are left without being entered, or not left");
    warn(totals_.unfinished, "calls are not left: the threads end within them");
    warn(totals_.backwards, "records are before the one before: they are set later");
    warn(totals_.unresolved,
         "nonblocking calls are not completed, or long after: who and how much is not known");
    warn(totals_.too_deep,
         "regions are nested too deep or too many: what is in them counts for the region around");
    warn(totals_.outside, "messages or requests are in no call of MPI and are left out");
    if (damages_ > kMostDamage)
      voice_.say({"damage", std::to_string(damages_ - kMostDamage) + " more parts are damaged"});
    voice_.say({"done", std::to_string(ranks_.ranks.size()), std::to_string(ranks_.rank_of.size()),
                std::to_string(totals_.records), std::to_string(events_)});
  }

  OTF2_Reader* reader_;
  const Otf2Archive archive_;
  const Otf2Ranks ranks_;
  const ArchiveCommunicators communicators_;
  const fs::path& folder_;
  std::uint64_t limit_;
  const ChildVoice& voice_;
  std::map<OTF2_LocationRef, std::uint64_t> declared_;
  LocationTotals totals_;
  RankFacts first_;
  std::uint64_t all_ = 0, events_ = 0, uninitialised_ = 0, without_mpi_ = 0, unknown_peers_ = 0;
  double accelerated_ = 0;  // seconds, sum over ranks
  std::size_t damages_ = 0;
  bool whole_ = true;
};

Result<void> import_with(OTF2_Reader* reader, const fs::path& anchor, const fs::path& folder,
                         std::uint64_t size, const ChildVoice& voice) {
  OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  PARCAST_ASSIGN(Otf2Archive archive, read_definitions(reader, anchor.string()));
  PARCAST_ASSIGN(Otf2Ranks ranks, ranks_of(archive, anchor.string()));
  // largest size of a rank's file in bytes
  constexpr std::uint64_t kAlways = std::uint64_t{1} << 30, kPerByte = 64;
  return Importer(reader, std::move(archive), std::move(ranks), folder, kAlways + kPerByte * size, voice)
      .run();
}

}  // namespace

void read_archive(const fs::path& anchor, const fs::path& folder, std::uint64_t size,
                  const ChildVoice& voice) {
  OTF2_Error_RegisterCallback(silent, nullptr);
  voice.say({"progress", "0", "definitions"});
  std::unique_ptr<OTF2_Reader, CloseReader> reader(OTF2_Reader_Open(anchor.c_str()));
  if (!reader)
    return voice.say({"error", "this is not an archive of OTF2, or a damaged one", anchor.string(),
                      "give its .otf2 file, or the folder that holds it"});
  const auto done = import_with(reader.get(), anchor, folder, size, voice);
  if (!done)
    voice.say({"error", done.error().what, done.error().where.empty() ? anchor.string() : done.error().where,
               done.error().hint});
}

}  // namespace parcast::interchange
