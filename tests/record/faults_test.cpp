// SPDX-License-Identifier: Apache-2.0
// Hosts that do all that programs may do, and machines on which operations fail: the host never notices the
// recorder.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "launch.h"
#include "recording/unfold.h"

namespace parcast::record_tests {
namespace {

using namespace recording;

void expect_same(const Outcome& with, const Outcome& plain) {
  EXPECT_EQ(with.exit_code, plain.exit_code) << with.errors;
  EXPECT_EQ(with.output, plain.output);
}

/// A small file system; its path is empty if this user may not mount one.
class SmallDisk {
 public:
  SmallDisk(const Scratch& scratch, const std::string& options) : path_(scratch / "disk") {
    fs::create_directory(path_);
    if (::mount("tmpfs", path_.c_str(), "tmpfs", 0, options.c_str()) != 0) path_.clear();
  }
  ~SmallDisk() {
    if (!path_.empty()) ::umount2(path_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  const fs::path& path() const { return path_; }
  bool make_read_only() const {
    return ::mount("tmpfs", path_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr) == 0;
  }

 private:
  fs::path path_;
};

/// For hostile.c with 20,000 messages this is 20,002, including MPI_Init and MPI_Finalize.
std::uint64_t kept_or_dropped(const Recording& recording) {
  std::uint64_t sum = recording.ranks.front().dropped_events;
  const RankCounts counts = count(recording).front();
  for (const auto& [call, number] : counts.calls) sum += number;
  return sum;
}

class Host : public testing::TestWithParam<const char*> {};

TEST_P(Host, DoesNotNoticeTheRecorder) {
  const Scratch scratch;
  const Job job{1, program("hostile") + " " + GetParam()};
  expect_same(run_recorded(scratch, job), run_plain(scratch, job));
  const auto recording = recorded(scratch);
  ASSERT_TRUE(recording) << to_string(recording.error());
  const RankRecording& rank = recording->ranks.front();
  EXPECT_TRUE(rank.finalised);
  EXPECT_EQ(kept_or_dropped(*recording), 20002u);
  const std::string what = GetParam();
  const bool may_grow = what == "signals" || what == "folder" || what == "environment" || what == "quiet";
  EXPECT_EQ(rank.dropped_events == 0, may_grow);
  EXPECT_EQ(recording->losses.empty(), may_grow);
}

INSTANTIATE_TEST_SUITE_P(Ways, Host,
                         testing::Values("quiet", "signals", "folder", "environment", "descriptors",
                                         "file-size", "address-space"));

TEST(Disk, ThatHoldsWhatWasFoldedHoldsAll) {
  const Scratch scratch;
  const SmallDisk disk(scratch, "size=700k");
  if (disk.path().empty()) GTEST_SKIP() << "may not mount a file system";
  const Job job{1, program("hostile") + " quiet", "PARCAST_OUT=" + disk.path().string()};
  expect_same(run_recorded(scratch, job), run_plain(scratch, job));
  const auto recording = read_recording(disk.path());
  ASSERT_TRUE(recording) << to_string(recording.error());
  EXPECT_TRUE(recording->losses.empty()) << recording->losses.front().what;
  EXPECT_EQ(kept_or_dropped(*recording), 20002u);
  EXPECT_EQ(recording->ranks[0].dropped_events, 0u);
}

TEST(Disk, FullInTheMiddleOfARunStopsTheRecordingAlone) {
  const Scratch scratch;
  const SmallDisk disk(scratch, "size=350k");  // space for the first blocks, none for folded events
  if (disk.path().empty()) GTEST_SKIP() << "may not mount a file system";
  const Job job{1, program("hostile") + " quiet", "PARCAST_OUT=" + disk.path().string()};
  expect_same(run_recorded(scratch, job), run_plain(scratch, job));
  const auto recording = read_recording(disk.path());
  ASSERT_TRUE(recording) << to_string(recording.error());
  EXPECT_GT(recording::event_count(recording->ranks[0]), 1000u);
  EXPECT_GT(recording->ranks[0].dropped_events, 0u);
  ASSERT_FALSE(recording->losses.empty());
  EXPECT_NE(recording->losses[0].what.find("no space"), std::string::npos) << recording->losses[0].what;
}

TEST(Disk, FullFromTheStartMakesNoRecording) {
  const Scratch scratch;
  const SmallDisk disk(scratch, "size=4k");
  if (disk.path().empty()) GTEST_SKIP() << "may not mount a file system";
  const Job job{1, program("hostile") + " quiet 100", "PARCAST_OUT=" + disk.path().string()};
  expect_same(run_recorded(scratch, job), run_plain(scratch, job));
  EXPECT_TRUE(fs::is_empty(disk.path()));
}

TEST(Folder, ThatIsReadOnlyOrNoFolderMakesNoRecording) {
  const Scratch scratch;
  const SmallDisk disk(scratch, "size=700k");
  std::vector<std::string> folders{"/dev/null/inside", "/proc/nowhere", std::string(5000, 'x')};
  if (!disk.path().empty() && disk.make_read_only()) folders.push_back(disk.path().string());
  for (const std::string& folder : folders) {
    const Job job{1, program("hostile") + " quiet 100", "PARCAST_OUT=" + folder};
    expect_same(run_recorded(scratch, job), run_plain(scratch, job));
  }
}

TEST(Folder, ThatHoldsARecordingKeepsIt) {
  const Scratch scratch;
  fs::create_directory(scratch / "old");
  std::ofstream(scratch / "old/rank-0.rec") << "precious";
  const Job job{1, program("hostile") + " quiet 100", "PARCAST_OUT=" + (scratch / "old").string()};
  expect_same(run_recorded(scratch, job), run_plain(scratch, job));
  EXPECT_EQ(slurp(scratch / "old/rank-0.rec"), "precious");
}

TEST(Children, NeverWriteTheirParentsFile) {
  const Scratch scratch;
  const Job job{2, program("children"), "OMPI_MCA_mpi_warn_on_fork=0"};
  expect_same(run_recorded(scratch, job), run_plain(scratch, job));
  const auto recording = recorded(scratch);
  ASSERT_TRUE(recording);
  EXPECT_TRUE(recording->losses.empty());
  for (const RankCounts& counts : count(*recording)) {
    EXPECT_EQ(counts.calls, (std::map<std::string, std::uint64_t>{
                                {"MPI_Init", 1}, {"MPI_Barrier", 21}, {"MPI_Finalize", 1}}));
    EXPECT_EQ(recording->ranks[static_cast<std::size_t>(counts.rank)].regions.size(), 1u);
  }
}

TEST(Others, ShellsAreLeftAlone) {
  const Scratch scratch;
  const Job job{0, "sh -c 'echo one; ls / | head -n 1; (exit 3)'"};
  expect_same(run_recorded(scratch, job), run_plain(scratch, job));
  EXPECT_FALSE(fs::exists(scratch / "run"));
}

TEST(Others, WithoutAFolderNothingIsRecorded) {
  const Scratch scratch;
  const Job job{1, program("hostile") + " quiet 100", "PARCAST_OUT="};
  expect_same(run_recorded(scratch, job), run_plain(scratch, job));
  EXPECT_FALSE(fs::exists(scratch / "run"));
}

TEST(Others, AnotherMpiIsPassedStraightOn) {
  const Scratch scratch;
  const Job job{0, plain_program("uses_other_mpi")};
  const Outcome plain = run_plain(scratch, job);
  EXPECT_EQ(plain.exit_code, 12);
  EXPECT_EQ(plain.output, "text 4 4c000101 1 42 44000000\n");
  expect_same(run_recorded(scratch, job), plain);
  EXPECT_FALSE(fs::exists(scratch / "run"));
}

TEST(Others, MpiThatIsLoadedLateIsFound) {
  const Scratch scratch;
  const Job job{1, program("loads_mpi") + " " + program("libplugin.so")};
  const Outcome plain = run_plain(scratch, job);
  EXPECT_EQ(plain.output, "sum 0\n") << plain.errors;
  expect_same(run_recorded(scratch, job), plain);
  const auto recording = recorded(scratch);
  ASSERT_TRUE(recording) << to_string(recording.error());
  EXPECT_EQ(count(*recording).front().calls.at("MPI_Allreduce"), 1u);
}

TEST(Threads, LoseNothing) {
  const Scratch scratch;
  fs::create_directory(scratch / "shim");
  const Job job{2, program("threads") + " 1500", "SHIM_OUT=" + (scratch / "shim").string(),
                ":" + counting_shim()};
  const Outcome outcome = run_recorded(scratch, job);
  if (outcome.exit_code == 77) GTEST_SKIP() << "this MPI has no MPI_THREAD_MULTIPLE";
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
  const auto recording = recorded(scratch);
  ASSERT_TRUE(recording);
  EXPECT_TRUE(recording->losses.empty()) << recording->losses.front().what;
  for (const RankRecording& rank : recording->ranks) {
    std::map<std::uint16_t, std::int64_t> last;
    std::multiset<std::uint32_t> started, completed;
    const auto missing = for_each_event(rank, recording->calls,
                                        [&](const Event& event, std::span<const Completion> completions) {
                                          if (last.contains(event.thread))
                                            EXPECT_GE(event.enter, last[event.thread]);
                                          last[event.thread] = event.exit;
                                          if (event.request) started.insert(event.request);
                                          for (const Completion& completion : completions)
                                            completed.insert(completion.request);
                                        });
    EXPECT_EQ(missing, 0u);
    EXPECT_GE(last.size(), 2u);
    EXPECT_LE(last.size(), 5u);  // four at a time; the next four replace them
    EXPECT_EQ(started.size(), 2u * 2 * 4 * 1500);
    EXPECT_EQ(started, completed);
    EXPECT_EQ(std::set<std::uint32_t>(started.begin(), started.end()).size(), started.size());
    const auto counts = count(*recording)[static_cast<std::size_t>(rank.rank)];
    EXPECT_EQ(counts.calls.at("MPI_Isend"), 12000u);
    EXPECT_EQ(counts.calls.at("MPI_Irecv"), 12000u);
    EXPECT_EQ(counts.calls.at("MPI_Waitall"), 12000u);
    EXPECT_EQ(counts.bytes_sent, 48000u);
  }
}

/// Returns the losses of a run of limits.c.
std::vector<Loss> losses_of(const std::string& numbers) {
  const Scratch scratch;
  const Job job{1, program("limits") + " " + numbers};
  EXPECT_EQ(run_recorded(scratch, job).exit_code, 0);
  const auto recording = recorded(scratch);
  return recording ? recording->losses : std::vector<Loss>{{to_string(recording.error())}};
}

TEST(Regions, BeyondTheRecordersRoomAreALoss) {
  EXPECT_TRUE(losses_of("4000 64 64").empty());
  const auto many = losses_of("4096 0 0"), deep = losses_of("0 65 0"), early = losses_of("0 0 65");
  ASSERT_EQ(many.size(), 1u);
  EXPECT_NE(many[0].what.find("4,095 paths of regions"), std::string::npos) << many[0].what;
  ASSERT_EQ(deep.size(), 1u);
  EXPECT_NE(deep[0].what.find("64 levels of regions"), std::string::npos) << deep[0].what;
  ASSERT_EQ(early.size(), 1u);
  EXPECT_NE(early[0].what.find("64 parameters"), std::string::npos) << early[0].what;
}

TEST(Regions, HaveTheirPathsEventsAndParameters) {
  const Scratch scratch;
  const Job job{2, program("regions"), "PARCAST_PARAM=m=2.5,n=7"};
  expect_same(run_recorded(scratch, job), run_plain(scratch, job));
  const auto recording = recorded(scratch);
  ASSERT_TRUE(recording);
  EXPECT_TRUE(recording->losses.empty());
  EXPECT_EQ(recording->parameters, (std::map<std::string, double>{{"cells", 4096}, {"m", 2.5}, {"n", 7}}));
  const RankRecording& rank = recording->ranks[1];
  EXPECT_EQ(rank.parameters, (std::map<std::string, double>{{"cells", 4096}, {"n", 64}}));
  std::vector<std::string> barriers, begins;
  for (const Event& event : rank.events) {
    const Call& call = recording->calls[event.call];
    if (call.name == "MPI_Barrier") barriers.push_back(rank.regions[event.region]);
    if (call.kind == CallClass::region_begin) begins.push_back(rank.regions[event.region]);
  }
  EXPECT_EQ(barriers,
            (std::vector<std::string>{"main/step/inner", "main/step", "main/step/inner", "main/step",
                                      "main/step/inner", "main/step", "main/last", ""}));
  EXPECT_EQ(begins, (std::vector<std::string>{"main/step", "main/step/inner", "main/step", "main/step/inner",
                                              "main/step", "main/step/inner", "main/last"}));
}

TEST(Regions, ADisabledClassLeavesNoEvents) {
  const Scratch scratch;
  for (const std::string classes : {"mpi", "user"}) {
    const Job job{1, program("regions"), "PARCAST_CLASSES=" + classes};
    expect_same(run_recorded(scratch, job), run_plain(scratch, job));
    const auto recording = recorded(scratch);
    ASSERT_TRUE(recording);
    EXPECT_FALSE(recording->ranks[0].events.empty());
    for (const Event& event : recording->ranks[0].events) {
      const CallClass kind = recording->calls[event.call].kind;
      const bool is_region = kind == CallClass::region_begin || kind == CallClass::region_end;
      EXPECT_EQ(is_region, classes == "user");
    }
  }
}

TEST(Arguments, ThatAreWrongOrNotSignificantAreNotLookedAt) {
  for (const Mpi mpi : families()) {
    const Scratch scratch;
    const Job job{3, program("errors", mpi), "", "", mpi};
    const Outcome plain = run_plain(scratch, job), with = run_recorded(scratch, job);
    EXPECT_EQ(plain.exit_code, 0) << plain.errors;
    expect_same(with, plain);
    const auto recording = recorded(scratch);
    ASSERT_TRUE(recording) << to_string(recording.error());
    EXPECT_TRUE(recording->losses.empty());
    const RankRecording& rank = recording->ranks[0];
    for (const Event& event : rank.events) {
      const std::string& name = recording->calls[event.call].name;
      if (name == "MPI_Get_accumulate") {
        EXPECT_EQ(event.message.bytes, 0u);
        EXPECT_EQ(event.received.bytes, 4u);
      }
      if (name == "MPI_Reduce_scatter") EXPECT_EQ(event.message.bytes, 8u);  // of the rank's own group
    }
    EXPECT_EQ(count(*recording)[0].calls.at("MPI_Send"), 3u);  // two of them failed
  }
}

TEST(Classes, AreSwitchedWhileTheProgramRuns) {
  for (const Mpi mpi : families()) {
    const Scratch scratch;
    const Job job{1, program("switches", mpi) + " " + (scratch / "data").string(), "", "", mpi};
    expect_same(run_recorded(scratch, job), run_plain(scratch, job));
    const auto recording = recorded(scratch);
    ASSERT_TRUE(recording) << to_string(recording.error());
    EXPECT_TRUE(recording->losses.empty());
    const RankRecording& rank = recording->ranks[0];
    const auto calls = count(*recording)[0].calls;
    EXPECT_EQ(calls.at("MPI_Barrier"), 5u);
    EXPECT_EQ(calls.at("MPI_Pcontrol"), 2u);
    EXPECT_EQ(calls.at("MPI_File_write"), 2u);  // the first and the third
    EXPECT_FALSE(calls.contains("MPI_Irecv"));
    std::int64_t unseen = -1;
    std::vector<std::string> regions;
    for (const Event& event : rank.events) {
      const std::string& name = recording->calls[event.call].name;
      if (name == "MPI_Pcontrol") unseen = event.compute;  // for the second one: all since the first
      if (name == "MPI_Barrier") regions.push_back(rank.regions[event.region]);
    }
    EXPECT_EQ(regions, (std::vector<std::string>{"", "unseen", "", "", ""}));
    EXPECT_GE(unseen, 60'000'000);
    EXPECT_LT(unseen, 80'000'000);
  }
}

TEST(Classes, ThatTheEnvironmentLeavesOutStayOut) {
  const Scratch scratch;
  const Job job{1, program("switches") + " " + (scratch / "data").string(), "PARCAST_CLASSES=mpi"};
  ASSERT_EQ(run_recorded(scratch, job).exit_code, 0);
  const auto recording = recorded(scratch);
  ASSERT_TRUE(recording);
  for (const Event& event : recording->ranks[0].events) {
    const CallClass kind = recording->calls[event.call].kind;
    EXPECT_TRUE(kind != CallClass::region_begin && kind != CallClass::input_output)
        << recording->calls[event.call].name;
  }
  EXPECT_EQ(count(*recording)[0].calls.at("MPI_Barrier"), 5u);
}

// Debian's MPICH starts no processes.
TEST(Worlds, OfProcessesStartedLaterAreRecordedApart) {
  const Scratch scratch;
  const Job job{2, program("spawns")};
  expect_same(run_recorded(scratch, job), run_plain(scratch, job));
  const auto first = recorded(scratch);
  ASSERT_TRUE(first) << to_string(first.error());
  EXPECT_TRUE(first->losses.empty());
  EXPECT_EQ(count(*first).at(0).calls.at("MPI_Comm_spawn"), 2u);
  const RankRecording& parent = first->ranks[0];
  for (const Event& event : parent.events)
    if (first->calls[event.call].name == "MPI_Comm_spawn") {
      EXPECT_EQ(parent.communicators[event.created].world_ranks,
                (std::vector<std::int32_t>{kOutside, kOutside}));
    }
  ASSERT_EQ(first->worlds.size(), 2u);
  std::multiset<std::uint64_t> sums;
  for (const std::string& name : first->worlds) {
    const auto world = read_recording(scratch / ("run/" + name));
    ASSERT_TRUE(world) << to_string(world.error());
    EXPECT_EQ(world->processes, 2);
    EXPECT_TRUE(world->losses.empty());
    for (const RankCounts& counts : count(*world)) sums.insert(counts.calls.at("MPI_Allreduce"));
  }
  EXPECT_EQ(sums, (std::multiset<std::uint64_t>{3, 3, 5, 5}));
}

TEST(Worlds, AreOneThoughEachProcessHasAScriptInBetween) {
  for (const Mpi mpi : families()) {
    const Scratch scratch;
    std::ofstream(scratch / "wrapper") << "#!/bin/sh\n" + program("endings", mpi) + " return\nexit $?\n";
    fs::permissions(scratch / "wrapper", fs::perms::owner_all);
    ASSERT_EQ(run_recorded(scratch, {2, (scratch / "wrapper").string(), "", "", mpi}).exit_code, 0);
    const auto recording = recorded(scratch);
    ASSERT_TRUE(recording) << to_string(recording.error());
    EXPECT_TRUE(recording->worlds.empty()) << name_of(mpi);
    EXPECT_TRUE(recording->losses.empty());
  }
}

TEST(Worlds, OfTwoLaunchesInOneLineAreRecordedApart) {
  for (const Mpi mpi : families()) {
    const Scratch scratch;
    const std::string line = mpirun(2, mpi) + program("endings", mpi) + " return";
    ASSERT_EQ(run_recorded(scratch, {0, "sh -c '" + line + " && " + line + "'"}).exit_code, 0);
    const auto first = recorded(scratch);
    ASSERT_TRUE(first) << to_string(first.error());
    ASSERT_EQ(first->worlds.size(), 1u) << name_of(mpi);
    const auto second = read_recording(scratch / ("run/" + first->worlds.front()));
    ASSERT_TRUE(second);
    EXPECT_EQ(second->processes, 2);
    EXPECT_TRUE(second->losses.empty() && first->losses.empty());
  }
}

/// One call of the recorder to the C library fails, each in turn.
class SystemCall : public testing::TestWithParam<const char*> {};

TEST_P(SystemCall, ThatFailsIsNotNoticed) {
  const Scratch scratch;
  const Job plain_job{0, program("hostile") + " quiet 20000"};
  const Outcome plain = run_plain(scratch, plain_job);
  for (int n = 1; n <= 5; ++n) {
    fs::remove_all(scratch / "run");
    const std::string failing = std::string(GetParam()) + ":" + std::to_string(n);
    const Outcome with =
        shell(scratch, "cd " + scratch.path().string() + " && " + own_session(scratch) + "FAIL=" + failing +
                           " LD_PRELOAD=" PARCAST_FAILING ":" PARCAST_RECORDER " PARCAST_OUT=run " +
                           plain_job.command);
    expect_same(with, plain);
    if (!fs::exists(scratch / "run/rank-0.rec")) continue;
    const auto recording = recorded(scratch);
    ASSERT_TRUE(recording) << failing << to_string(recording.error());
    // a recorder that could not start has recorded nothing, and reports it
    if (recording::event_count(recording->ranks.front()) > 0 || recording->ranks.front().dropped_events > 0)
      EXPECT_EQ(kept_or_dropped(*recording), 20002u) << failing;
    else
      EXPECT_TRUE(std::any_of(recording->losses.begin(), recording->losses.end(), [](const Loss& loss) {
        return loss.what.find("0 events were not kept: there was no address space left") != std::string::npos;
      })) << failing;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, SystemCall,
                         testing::Values("open", "mmap", "posix_fallocate", "ftruncate", "fstat", "madvise",
                                         "mkdir", "getcwd", "symlink", "readlink", "read", "getrusage",
                                         "pthread_key_create"));

}  // namespace
}  // namespace parcast::record_tests
