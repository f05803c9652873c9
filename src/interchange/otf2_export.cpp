// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdarg>
#include <memory>

#include "base/text.h"
#include "interchange/otf2.h"
#include "interchange/otf2_events.h"
#include "interchange/unfinished_folder.h"

namespace parcast::interchange {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kPiece = 1 << 20;  // bytes of events that a location keeps before they are written

OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }
OTF2_TimeStamp flushed(void*, OTF2_FileType, OTF2_LocationRef) { return 0; }
OTF2_FlushCallbacks callbacks{flush, flushed};

OTF2_ErrorCode silent(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code, const char*, va_list) { return code; }

/// The library speaks up on stderr unless somebody listens.
class Silence {
 public:
  Silence() : before_(OTF2_Error_RegisterCallback(silent, nullptr)) {}
  ~Silence() { OTF2_Error_RegisterCallback(before_, nullptr); }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  OTF2_ErrorCallback before_;
};

struct CloseArchive {
  void operator()(OTF2_Archive* archive) const { OTF2_Archive_Close(archive); }
};

class Exporter {
 public:
  Exporter(const recording::Recording& recording, const fs::path& from, const Progress& progress)
      : recording_(recording), progress_(progress), communicators_(recording), names_(recording, communicators_), line_(time_line(recording, from)) {
    for (const auto& rank : recording.ranks) all_ += rank.events.size();
  }

  Result<Exported> write(const fs::path& folder) {
    std::unique_ptr<OTF2_Archive, CloseArchive> archive(OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, kPiece,
                                                                          OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX,
                                                                          OTF2_COMPRESSION_NONE));
    if (!archive) return failed(OTF2_ERROR_INVALID);
    outcome_(OTF2_Archive_SetFlushCallbacks(archive.get(), &callbacks, nullptr));
    outcome_(OTF2_Archive_SetSerialCollectiveCallbacks(archive.get()));
    outcome_(OTF2_Archive_SetCreator(archive.get(), "Parcast"));
    outcome_(OTF2_Archive_SetDescription(archive.get(), recording_.program.c_str()));
    write_events(archive.get());
    if (outcome_.good()) write_definitions(archive.get());
    outcome_(OTF2_Archive_Close(archive.release()));
    if (!outcome_.good()) return failed(outcome_.first());
    return report();
  }

 private:
  static Error failed(OTF2_ErrorCode code) {
    const char* why = OTF2_Error_GetDescription(code);
    return {std::string("the archive could not be written: ") + (code == OTF2_ERROR_INVALID || !why ? "the library gives no reason" : why), "",
            "is there room on the file system?"};
  }

  void write_events(OTF2_Archive* archive) {
    outcome_(OTF2_Archive_OpenEvtFiles(archive));
    names_.first = UINT64_MAX;
    std::size_t before = 0;
    for (const auto& rank : recording_.ranks) {
      const std::uint64_t zero = line_.zero[static_cast<std::size_t>(rank.rank)];
      for (const auto& event : rank.events) names_.first = std::min(names_.first, zero + static_cast<std::uint64_t>(event.enter));
      RankEvents events(recording_, rank, communicators_, zero, names_, archive, outcome_, totals_);
      events.write([&](std::size_t done) { tell(before + done, rank.rank); });
      before += rank.events.size();
      if (!outcome_.good()) return;
    }
    if (names_.first == UINT64_MAX) names_.first = 0;
    names_.last = std::max(names_.first, names_.last);
    outcome_(OTF2_Archive_CloseEvtFiles(archive));
  }

  void tell(std::size_t done, std::int32_t rank) const {
    if (progress_) progress_(static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(all_, 1)), "rank " + std::to_string(rank));
  }

  /// Of each location there is nothing to say, but readers look for the file.
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

  Exported report() const {
    Exported out;
    out.processes = recording_.processes;
    for (const auto& locations : names_.locations) out.locations += locations.size();
    out.events = totals_.events;
    out.records = totals_.records;
    out.warnings = line_.warnings;
    if (!recording_.worlds.empty())
      out.warnings.push_back("processes started later or apart are not in the archive: export " + join(recording_.worlds, " and ") + " of the recording too");
    const auto warn = [&](std::uint64_t count, const std::string& what) {
      if (count) out.warnings.push_back(std::to_string(count) + " " + what);
    };
    warn(totals_.outside, "messages have a partner that is no member of their communicator: they stand in attributes of the call alone");
    warn(communicators_.with_outsiders(), "communicators have members outside of MPI_COMM_WORLD, which are left out of them");
    warn(totals_.late, "records are set later, since time went backwards between calls");
    warn(totals_.orphans, "completions are left out: the start of their request is not in the recording");
    warn(totals_.long_lists, "lists of bytes per partner are left out: they are too long for a definition");
    return out;
  }

  const recording::Recording& recording_;
  const Progress& progress_;
  CommunicatorTable communicators_;
  Otf2Definitions names_;
  TimeLine line_;
  Outcome outcome_;
  EventTotals totals_;
  std::size_t all_ = 0;
};

}  // namespace

Result<Exported> export_otf2(const recording::Recording& recording, const fs::path& from, const fs::path& to, const Progress& progress) {
  if (recording.ranks.size() != static_cast<std::size_t>(recording.processes))
    return Error{"of " + std::to_string(recording.processes) + " processes only " + std::to_string(recording.ranks.size()) + " left a file", from.string(),
                 "record again; an archive needs all ranks"};
  PARCAST_ASSIGN(UnfinishedFolder folder, UnfinishedFolder::beside(to));
  const Silence silence;
  PARCAST_ASSIGN(Exported out, Exporter(recording, from, progress).write(folder.path()));
  PARCAST_TRY(folder.finish());
  return out;
}

}  // namespace parcast::interchange
