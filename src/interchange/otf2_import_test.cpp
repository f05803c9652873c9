// SPDX-License-Identifier: Apache-2.0
// Imports archives that the OTF2 library writes here with the conventions of other tools, and damaged
// archives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <otf2/otf2.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

#include "interchange/otf2.h"

namespace parcast::interchange {
namespace {

namespace fs = std::filesystem;
using recording::CallClass;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "parcast-otf2-XXXXXX").string();
    path_ = ::mkdtemp(name.data()) ? name : "";
  }
  ~Scratch() { fs::remove_all(path_); }
  fs::path operator/(const std::string& name) const { return path_ / name; }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}
OTF2_FlushCallbacks flush_callbacks{flush, nullptr};

/// The number of a name is its index here.
const std::vector<std::string> kTexts{
    "",           "MPI_Init",      "MPI_Irecv",    "MPI_Isend", "MPI_Waitall",
    "MPI_Bcast",  "MPI_Allreduce", "MPI_Finalize", "main",      "solve /fast/",
    "node3",      "process",       "world",        "MPI",       "machine",
    "node",       "MPI_Comm_rank", "metric",       "./app",     "64",
    "MPI_Not_yet"};
enum Region : OTF2_RegionRef {
  kNothing,
  kInit,
  kIrecv,
  kIsend,
  kWaitall,
  kBcast,
  kAllreduce,
  kFinalize,
  kMain,
  kSolve,
  kCommRank = 16,
  kNotYet = 20
};

/// Two processes on one host. Times are in microseconds, the unit of the archive's clock.
class HandMade {
 public:
  explicit HandMade(const fs::path& folder)
      : archive_(OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, 1 << 20, 4 << 20,
                                   OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE)) {
    OTF2_Archive_SetFlushCallbacks(archive_, &flush_callbacks, nullptr);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive_);
    OTF2_Archive_OpenEvtFiles(archive_);
    for (std::uint64_t rank : {0, 1}) write_rank(rank);
    OTF2_Archive_CloseEvtFiles(archive_);
    OTF2_Archive_OpenDefFiles(archive_);
    for (std::uint64_t location : {10, 11, 12})
      OTF2_Archive_CloseDefWriter(archive_, OTF2_Archive_GetDefWriter(archive_, location));
    OTF2_Archive_CloseDefFiles(archive_);
    write_definitions();
    OTF2_Archive_Close(archive_);
  }

 private:
  void enter(std::uint64_t time, Region region) { OTF2_EvtWriter_Enter(events_, nullptr, time, region); }
  void leave(std::uint64_t time, Region region) { OTF2_EvtWriter_Leave(events_, nullptr, time, region); }

  void write_rank(std::uint64_t rank) {
    const auto other = static_cast<std::uint32_t>(1 - rank);
    const std::uint64_t t = 1000 + 5 * rank;
    events_ = OTF2_Archive_GetEvtWriter(archive_, 10 + rank);
    const OTF2_StringRef arguments[] = {19};
    if (rank == 0) OTF2_EvtWriter_ProgramBegin(events_, nullptr, t, 18, 1, arguments);
    enter(t, kMain);
    enter(t + 10, kInit);
    leave(t + 50, kInit);
    enter(t + 60, kSolve);
    enter(t + 62, kCommRank);
    leave(t + 63, kCommRank);
    enter(t + 70, kIrecv);
    OTF2_EvtWriter_MpiIrecvRequest(events_, nullptr, t + 71, 1ull << 40);
    leave(t + 72, kIrecv);
    enter(t + 80, kIsend);
    OTF2_EvtWriter_MpiIsend(events_, nullptr, t + 81, other, 0, 7, 1000 + rank, 2);
    leave(t + 82, kIsend);
    enter(t + 90, kWaitall);
    OTF2_EvtWriter_MpiIrecv(events_, nullptr, t + 99, other, 0, 7, 1001 - rank, 1ull << 40);
    OTF2_EvtWriter_MpiIsendComplete(events_, nullptr, t + 99, 2);
    leave(t + 100, kWaitall);
    leave(t + 110, kSolve);
    write_collectives(rank, t);
    leave(t + 200, kMain);
    close();
    if (rank == 1) write_thread(t);
  }

  /// Counts bytes as Score-P does: the root sends 200 B for a broadcast of 100 B to two ranks.
  void write_collectives(std::uint64_t rank, std::uint64_t t) {
    enter(t + 120, kBcast);
    OTF2_EvtWriter_MpiCollectiveBegin(events_, nullptr, t + 120);
    OTF2_EvtWriter_MpiCollectiveEnd(events_, nullptr, t + 129, OTF2_COLLECTIVE_OP_BCAST, 0, 1,
                                    rank == 1 ? 200 : 0, 100);
    leave(t + 130, kBcast);
    enter(t + 140, kNotYet);
    leave(t + 145, kNotYet);
    OTF2_AttributeList* none = nullptr;
    const OTF2_Type type = OTF2_TYPE_UINT64;
    const OTF2_MetricValue value{.unsigned_int = 3};
    OTF2_EvtWriter_Metric(events_, none, t + 147, 0, 1, &type, &value);
    enter(t + 150, kAllreduce);
    OTF2_EvtWriter_MpiCollectiveBegin(events_, nullptr, t + 150);
    OTF2_EvtWriter_MpiCollectiveEnd(events_, nullptr, t + 159, OTF2_COLLECTIVE_OP_ALLREDUCE, 1,
                                    OTF2_UNDEFINED_UINT32, 16, 16);
    leave(t + 160, kAllreduce);
    enter(t + 170, kFinalize);
    leave(t + 180, kFinalize);
  }

  /// A second thread of rank 1, which computes.
  void write_thread(std::uint64_t t) {
    events_ = OTF2_Archive_GetEvtWriter(archive_, 12);
    enter(t + 65, kSolve);
    leave(t + 95, kSolve);
    close();
  }

  void close() {
    std::uint64_t count = 0;
    OTF2_EvtWriter_GetNumberOfEvents(events_, &count);
    counts_.push_back(count);
    OTF2_Archive_CloseEvtWriter(archive_, events_);
  }

  void write_definitions() {
    OTF2_GlobalDefWriter* to = OTF2_Archive_GetGlobalDefWriter(archive_);
    OTF2_GlobalDefWriter_WriteClockProperties(to, 1'000'000, 1000, 205, 1'700'000'000'000'000'000);
    for (OTF2_StringRef i = 0; i < kTexts.size(); ++i)
      OTF2_GlobalDefWriter_WriteString(to, i, kTexts[i].c_str());
    for (OTF2_RegionRef i = 1; i < kTexts.size(); ++i)
      OTF2_GlobalDefWriter_WriteRegion(
          to, i, i, i, 0, OTF2_REGION_ROLE_FUNCTION,
          kTexts[i].starts_with("MPI_") ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_COMPILER, OTF2_REGION_FLAG_NONE,
          0, 0, 0);
    OTF2_GlobalDefWriter_WriteSystemTreeNode(to, 0, 14, 14, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    OTF2_GlobalDefWriter_WriteSystemTreeNode(to, 1, 10, 15, 0);
    for (OTF2_LocationGroupRef i : {0, 1})
      OTF2_GlobalDefWriter_WriteLocationGroup(to, i, 11, OTF2_LOCATION_GROUP_TYPE_PROCESS, 1,
                                              OTF2_UNDEFINED_LOCATION_GROUP);
    for (std::uint64_t i : {0, 1, 2})
      OTF2_GlobalDefWriter_WriteLocation(to, 10 + i, 11, OTF2_LOCATION_TYPE_CPU_THREAD, counts_[i],
                                         i ? 1 : 0);
    const std::uint64_t locations[] = {10, 11}, ranks[] = {0, 1}, turned[] = {1, 0};
    OTF2_GlobalDefWriter_WriteGroup(to, 0, 13, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, 2, locations);
    OTF2_GlobalDefWriter_WriteGroup(to, 1, 12, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, 2, ranks);
    OTF2_GlobalDefWriter_WriteGroup(to, 2, 12, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, 2, turned);
    OTF2_GlobalDefWriter_WriteComm(to, 0, 12, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    OTF2_GlobalDefWriter_WriteComm(to, 1, 0, 2, 0, OTF2_COMM_FLAG_NONE);
    OTF2_Archive_CloseGlobalDefWriter(archive_, to);
  }

  OTF2_Archive* archive_;
  OTF2_EvtWriter* events_ = nullptr;
  std::vector<std::uint64_t> counts_;
};

struct Taken {
  Imported done;
  recording::Recording recording;
};

Taken take(const Scratch& scratch) {
  HandMade(scratch / "made");
  auto done = import_otf2(scratch / "made", scratch / "out.recording");
  EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.error().what);
  auto recording = recording::read_recording(scratch / "out.recording");
  EXPECT_TRUE(recording.ok());
  return {std::move(*done), std::move(*recording)};
}

std::vector<std::string> calls_of(const recording::Recording& recording, std::size_t rank) {
  std::vector<std::string> out;
  for (const auto& event : recording.ranks[rank].events) out.push_back(recording.calls[event.call].name);
  return out;
}

const recording::Event& event(const recording::Recording& recording, std::size_t rank,
                              const std::string& call) {
  for (const auto& each : recording.ranks[rank].events)
    if (recording.calls[each.call].name == call) return each;
  ADD_FAILURE() << "no " << call;
  return recording.ranks[rank].events.front();
}

TEST(Otf2Import, RegionsAndCallsOfAnotherToolAreEventsInTheirOrder) {
  const Scratch scratch;
  const Taken taken = take(scratch);
  EXPECT_EQ(taken.done.processes, 2);
  EXPECT_EQ(taken.done.locations, 3u);
  EXPECT_TRUE(taken.recording.losses.empty()) << taken.recording.losses[0].what;
  EXPECT_THAT(calls_of(taken.recording, 0),
              ElementsAre("parcast_region_begin", "MPI_Init", "parcast_region_begin", "MPI_Irecv",
                          "MPI_Isend", "MPI_Waitall", "parcast_region_end", "MPI_Bcast", "MPI_Allreduce",
                          "MPI_Finalize", "parcast_region_end"));
  const auto& rank = taken.recording.ranks[0];
  EXPECT_EQ(rank.regions[event(taken.recording, 0, "MPI_Isend").region],
            "main/solve \u2215"
            "fast\u2215");
  EXPECT_EQ(rank.regions[event(taken.recording, 0, "MPI_Bcast").region], "main");
  EXPECT_EQ(rank.host, "node3");
  EXPECT_EQ(taken.recording.program, "app");
  EXPECT_THAT(taken.recording.command, ElementsAre("./app", "64"));
}

TEST(Otf2Import, TimesBeginWithTheReturnOfInitAndComputingIsTheTimeBetweenCalls) {
  const Scratch scratch;
  const Taken taken = take(scratch);
  const auto& rank = taken.recording.ranks[1];
  const auto& init = event(taken.recording, 1, "MPI_Init");
  EXPECT_EQ(init.enter, -40'000);
  EXPECT_EQ(init.exit, 0);
  const auto& receive = event(taken.recording, 1, "MPI_Irecv");
  EXPECT_EQ(receive.enter, 20'000);
  EXPECT_EQ(receive.exit, 22'000);
  EXPECT_EQ(receive.compute, 10'000);  // time in MPI_Comm_rank counts as computing
  // 20 us less 5 us in a call that is only counted
  EXPECT_EQ(event(taken.recording, 1, "MPI_Allreduce").compute, 15'000);
  EXPECT_EQ(rank.wall, 120'000);
  EXPECT_TRUE(rank.complete);
  EXPECT_EQ(rank.started, "2023-11-14T22:13:20Z");
}

TEST(Otf2Import, ANonblockingReceiveIsToldByItsCompletion) {
  const Scratch scratch;
  const Taken taken = take(scratch);
  const auto& rank = taken.recording.ranks[0];
  const auto& receive = event(taken.recording, 0, "MPI_Irecv");
  EXPECT_EQ(receive.received.peer, 1);
  EXPECT_EQ(receive.received.tag, 7);
  EXPECT_EQ(receive.received.bytes, 1001u);
  const auto& send = event(taken.recording, 0, "MPI_Isend");
  EXPECT_EQ(send.message.peer, 1);
  EXPECT_EQ(send.message.bytes, 1000u);
  const auto& wait = event(taken.recording, 0, "MPI_Waitall");
  ASSERT_EQ(wait.completion_count, 2u);
  const auto& first = rank.completions[wait.first_completion];
  EXPECT_EQ(first.request, receive.request);
  EXPECT_EQ(first.source, 1);
  EXPECT_EQ(rank.completions[wait.first_completion + 1].request, send.request);
  EXPECT_NE(send.request, receive.request);
}

TEST(Otf2Import, BytesOfCollectivesAreWhatARankContributesAndGets) {
  const Scratch scratch;
  const Taken taken = take(scratch);
  const auto& root = event(taken.recording, 1, "MPI_Bcast");
  EXPECT_EQ(root.message.peer, 1);
  EXPECT_EQ(root.message.bytes, 100u);
  EXPECT_EQ(root.received.bytes, 0u);
  EXPECT_EQ(event(taken.recording, 0, "MPI_Bcast").received.bytes, 100u);
  const auto& reduction = event(taken.recording, 0, "MPI_Allreduce");
  EXPECT_EQ(reduction.message.bytes, 8u);
  EXPECT_THAT(taken.recording.ranks[0].communicators[reduction.communicator].world_ranks, ElementsAre(1, 0));
}

TEST(Otf2Import, ThreadsAreOfTheirRankAndWhatHasNoPlaceIsCounted) {
  const Scratch scratch;
  const Taken taken = take(scratch);
  EXPECT_EQ(taken.recording.ranks[1].events.size(), 13u);
  std::size_t on_second = 0;
  for (const auto& each : taken.recording.ranks[1].events) on_second += each.thread == 1;
  EXPECT_EQ(on_second, 2u);
  EXPECT_THAT(taken.done.left_out, testing::UnorderedElementsAre(testing::Pair("Metric", 2u)));
  ASSERT_THAT(taken.recording.ranks[0].unfollowed, SizeIs(1));
  EXPECT_EQ(taken.recording.ranks[0].unfollowed[0].name, "MPI_Not_yet");
  EXPECT_EQ(taken.recording.ranks[0].unfollowed[0].count, 1u);
  EXPECT_TRUE(taken.done.damage.empty());
}

TEST(Otf2Import, WhatIsNoArchiveIsRefusedInASentenceAndNothingIsLeft) {
  const Scratch scratch;
  EXPECT_THAT(import_otf2(scratch / "none", scratch / "out.recording").error().what,
              HasSubstr("there is no archive"));
  std::ofstream(scratch / "text.otf2") << "not an archive";
  EXPECT_THAT(import_otf2(scratch / "text.otf2", scratch / "out.recording").error().what,
              HasSubstr("not an archive of OTF2"));
  EXPECT_THAT(std::vector<fs::path>(fs::directory_iterator(scratch.path()), {}), SizeIs(1));
}

TEST(Otf2Import, AnExistingTargetIsLeftAlone) {
  const Scratch scratch;
  HandMade(scratch / "made");
  fs::create_directory(scratch / "out.recording");
  EXPECT_THAT(import_otf2(scratch / "made", scratch / "out.recording").error().what,
              HasSubstr("exists already"));
  EXPECT_TRUE(fs::is_empty(scratch / "out.recording"));
}

TEST(Otf2Import, ALocationThatIsCutGivesWhatComesBeforeAndIsSaid) {
  const Scratch scratch;
  HandMade(scratch / "made");
  fs::resize_file(scratch / "made/traces/11.evt", 200);
  const auto done = import_otf2(scratch / "made", scratch / "out.recording");
  ASSERT_TRUE(done.ok()) << done.error().what;
  ASSERT_THAT(done->damage, SizeIs(1));
  EXPECT_THAT(done->damage[0], HasSubstr("the events of rank 1 are not whole"));
  const auto recording = recording::read_recording(scratch / "out.recording");
  ASSERT_TRUE(recording.ok());
  EXPECT_TRUE(recording->ranks[0].complete);
  EXPECT_FALSE(recording->ranks[1].complete);
}

/// Gives the same numbers on every platform, because the standard specifies the generator.
struct Dice {
  explicit Dice(std::uint64_t seed) : next(seed) {}
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  std::mt19937_64 next;
};

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// Truncates or changes one of the files.
void damage(const fs::path& folder, Dice& random) {
  const auto files = files_in(folder);
  const fs::path& file = files[random.below(files.size())];
  std::ifstream in(file, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (random.below(4) == 0) {
    bytes.resize(random.below(bytes.size() + 1));
  } else {
    for (std::uint64_t i = 0, count = 1 + random.below(4); i < count && !bytes.empty(); ++i)
      bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
  }
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

TEST(Otf2Import, DamagedArchivesEndInARecordingOrASentenceAndNeverInThisProcess) {
  const Scratch scratch;
  HandMade(scratch / "made");
  Dice random(20261122);
  int refused = 0, taken = 0;
  for (int i = 0; i < 60; ++i) {
    const fs::path archive = scratch / "damaged", out = scratch / "out.recording";
    fs::copy(scratch / "made", archive, fs::copy_options::recursive);
    damage(archive, random);
    const auto done =
        import_otf2(archive, out, {}, {.memory = 256 << 20, .patience = std::chrono::seconds(5)});
    if (done) {
      ++taken;
      EXPECT_TRUE(recording::read_recording(out).ok()) << i;
    } else {
      ++refused;
      EXPECT_FALSE(done.error().what.empty());
      EXPECT_FALSE(fs::exists(out)) << i;
    }
    EXPECT_THAT(std::vector<fs::path>(fs::directory_iterator(scratch.path()), {}), SizeIs(done ? 3 : 2)) << i;
    fs::remove_all(archive);
    fs::remove_all(out);
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(taken, 0);
}

}  // namespace
}  // namespace parcast::interchange
