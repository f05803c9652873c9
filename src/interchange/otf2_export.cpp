// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdarg>
#include <optional>

#include "base/child.h"
#include "base/text.h"
#include "interchange/otf2.h"
#include "interchange/otf2_events.h"
#include "interchange/otf2_handles.h"
#include "interchange/otf2_phases.h"
#include "interchange/otf2_read_back.h"
#include "interchange/unfinished_folder.h"

namespace parcast::interchange {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kPiece = 1 << 20;  // size in bytes of the buffer for events of a location

OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}
OTF2_TimeStamp flushed(void*, OTF2_FileType, OTF2_LocationRef) {
  return 0;
}
OTF2_FlushCallbacks callbacks{flush, flushed};

class Exporter {
 public:
  Exporter(const recording::Recording& recording, TimeLine line, const ChildVoice& voice)
      : recording_(recording),
        voice_(voice),
        communicators_(recording),
        names_(recording, communicators_),
        line_(std::move(line)) {
    for (const auto& rank : recording.ranks) all_ += recording::event_count(rank);
  }

  /// On failure the archive is left open, because closing it crashes the library.
  void write(const fs::path& folder) {
    OTF2_Archive* archive =
        OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, kPiece,
                          OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!archive) return fail(OTF2_ERROR_INVALID);
    outcome_(OTF2_Archive_SetFlushCallbacks(archive, &callbacks, nullptr));
    outcome_(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
    outcome_(OTF2_Archive_SetCreator(archive, "Parcast"));
    outcome_(OTF2_Archive_SetDescription(archive, recording_.program.c_str()));
    write_events(archive);
    if (outcome_.good()) write_definitions(archive);
    if (outcome_.good()) outcome_(OTF2_Archive_Close(archive));
    if (!outcome_.good()) return fail(outcome_.first());
    const auto note_so = [&] { voice_.say({"progress", "1", "reading it back"}); };
    if (const std::string why = missing_in(folder / "traces.otf2", records(), note_so); !why.empty())
      return voice_.say({"error", "the archive could not be written: " + why});
    report();
  }

 private:
  std::map<OTF2_LocationRef, std::uint64_t> records() const {
    std::map<OTF2_LocationRef, std::uint64_t> out;
    for (const auto& rank : recording_.ranks)
      for (const LocationEvents& each : names_.locations[static_cast<std::size_t>(rank.rank)])
        out.emplace(location_of(rank.rank, each.thread), each.records);
    return out;
  }

  void fail(OTF2_ErrorCode code) const {
    const char* why = OTF2_Error_GetDescription(code);
    voice_.say({"error", std::string("the archive could not be written: ") +
                             (code == OTF2_ERROR_INVALID || !why ? "the library gives no reason" : why)});
  }

  void write_events(OTF2_Archive* archive) {
    outcome_(OTF2_Archive_OpenEvtFiles(archive));
    names_.first = UINT64_MAX;
    std::size_t before = 0;
    for (const auto& rank : recording_.ranks) {
      const std::uint64_t zero = line_.zero[static_cast<std::size_t>(rank.rank)];
      for (const auto& chapter : rank.chapters)
        names_.first = std::min(names_.first, zero + static_cast<std::uint64_t>(chapter.begin));
      for (const auto& event : rank.events)
        names_.first = std::min(names_.first, zero + static_cast<std::uint64_t>(event.enter));
      RankEvents events(recording_, rank, communicators_, zero, names_, archive, outcome_, totals_);
      events.write([&](std::size_t done) { tell(before + done, rank.rank); });
      write_phases(rank, zero, names_, archive, outcome_, totals_);
      before += recording::event_count(rank);
      if (!outcome_.good()) return;
    }
    if (names_.first == UINT64_MAX) names_.first = 0;
    names_.last = std::max(names_.first, names_.last);
    outcome_(OTF2_Archive_CloseEvtFiles(archive));
  }

  void tell(std::size_t done, std::int32_t rank) const {
    voice_.say(
        {"progress",
         std::to_string(static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(all_, 1))),
         "rank " + std::to_string(rank)});
  }

  /// Writes empty local definitions, because readers look for the file.
  void write_local_definitions(OTF2_Archive* archive) {
    outcome_(OTF2_Archive_OpenDefFiles(archive));
    for (const auto& rank : recording_.ranks)
      for (const LocationEvents& location : names_.locations[static_cast<std::size_t>(rank.rank)]) {
        OTF2_DefWriter* writer = OTF2_Archive_GetDefWriter(archive, location_of(rank.rank, location.thread));
        if (!writer) return outcome_(OTF2_ERROR_INVALID);
        outcome_(OTF2_Archive_CloseDefWriter(archive, writer));
      }
    outcome_(OTF2_Archive_CloseDefFiles(archive));
  }

  void write_definitions(OTF2_Archive* archive) {
    write_local_definitions(archive);
    OTF2_GlobalDefWriter* writer = OTF2_Archive_GetGlobalDefWriter(archive);
    if (!writer) return outcome_(OTF2_ERROR_INVALID);
    names_.write(writer, line_, outcome_);
    outcome_(OTF2_Archive_CloseGlobalDefWriter(archive, writer));
  }

  void report() const {
    for (const std::string& text : line_.warnings) voice_.say({"warning", text});
    if (!recording_.worlds.empty())
      voice_.say({"warning", "processes started later or apart are not in the archive: export " +
                                 join(recording_.worlds, " and ") + " of the recording too"});
    warn(communicators_.with_outsiders(),
         "communicators have members outside of MPI_COMM_WORLD, which are left out of them");
    warn(totals_.outside,
         "messages have a partner that is no member of their communicator: they are in attributes of the "
         "call alone");
    warn(totals_.late, "records are set later, since time went backwards between calls");
    warn(totals_.estimated,
         "events were folded while they were recorded: their times are means; parcast record --keep-times "
         "keeps every one");
    warn(totals_.unordered, "events are left out: their order did not fit into the recording");
    warn(totals_.orphans, "completions are left out: the start of their request is not in the recording");
    warn(totals_.long_lists, "lists of bytes per partner are left out: they are too long for a definition");
    for (const auto& [kind, count] : totals_.records) voice_.say({"records", kind, std::to_string(count)});
    std::size_t locations = 0;
    for (const auto& each : names_.locations) locations += each.size();
    voice_.say({"done", std::to_string(locations), std::to_string(totals_.events)});
  }

  void warn(std::uint64_t count, const std::string& what) const {
    if (count) voice_.say({"warning", std::to_string(count) + " " + what});
  }

  const recording::Recording& recording_;
  const ChildVoice& voice_;
  trace::CommunicatorTable communicators_;
  Otf2Definitions names_;
  TimeLine line_;
  Outcome outcome_;
  EventTotals totals_;
  std::size_t all_ = 0;
};

/// Receives the messages of the child.
struct Heard {
  Exported result;
  std::optional<Error> error;
  bool done = false;
  const Progress& progress;

  void operator()(const std::vector<std::string>& words) {
    const auto word = [&](std::size_t i) { return i < words.size() ? words[i] : std::string(); };
    const auto number = [&](std::size_t i) {
      return static_cast<std::uint64_t>(parse_integer(word(i)).value_or(0));
    };
    if (word(0) == "progress" && progress) progress(parse_double(word(1)).value_or(0), word(2));
    if (word(0) == "error") error = Error{word(1), "", "is there room on the file system?"};
    if (word(0) == "warning") result.warnings.push_back(word(1));
    if (word(0) == "records") result.records[word(1)] = number(2);
    if (word(0) != "done") return;
    done = true;
    result.locations = number(1);
    result.events = number(2);
  }
};

}  // namespace

Result<Exported> export_otf2(const recording::Recording& recording, const fs::path& from, const fs::path& to,
                             const Progress& progress) {
  if (recording.ranks.size() != static_cast<std::size_t>(recording.processes))
    return Error{"of " + std::to_string(recording.processes) + " processes only " +
                     std::to_string(recording.ranks.size()) + " left a file",
                 from.string(), "record again; an archive needs all ranks"};
  return export_otf2(recording, time_line(recording, from), to, progress);
}

Result<Exported> export_otf2(const recording::Recording& recording, const TimeLine& line, const fs::path& to,
                             const Progress& progress) {
  PARCAST_ASSIGN(UnfinishedFolder folder, UnfinishedFolder::beside(to));
  Heard heard{{}, std::nullopt, false, progress};
  const auto ended = run_in_child(
      "writing the archive", {.patience = std::chrono::minutes(2)},
      [&](const ChildVoice& voice) {
        OTF2_Error_RegisterCallback(silent, nullptr);
        Exporter(recording, line, voice).write(folder.path());
      },
      [&](const std::vector<std::string>& words) { heard(words); });
  if (heard.error) return *heard.error;
  if (!ended)
    return Error{ended.error().what, to.string(), "is there room on the file system? Nothing was kept"};
  if (!heard.done) return Error{"writing the archive ended before its time", to.string(), "nothing was kept"};
  heard.result.processes = recording.processes;
  PARCAST_TRY(folder.finish());
  return heard.result;
}

}  // namespace parcast::interchange
