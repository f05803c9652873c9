// SPDX-License-Identifier: Apache-2.0
#include "report/recording_text.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace parcast::report {
namespace {

std::string events_text(const recording::Recording& recording) {
  std::string all;
  EXPECT_EQ(write_events(recording, [&](const std::string& text) { all += text; }), 0u);
  return all;
}

using recording::CallClass;
using recording::Pattern;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kMillisecond = 1'000'000;

recording::Event event(std::uint16_t call, std::int64_t enter, std::int64_t exit, std::int64_t compute,
                       recording::Message message = {}) {
  recording::Event e;
  e.call = call, e.enter = enter * kMillisecond, e.exit = exit * kMillisecond,
  e.compute = compute * kMillisecond;
  e.message = message;
  return e;
}

/// Rank 0 computes 70 of 100 ms, sends for 10 and reduces for 20. Rank 1 computes 30, receives for 50 and
/// reduces for 20.
recording::Recording two_ranks() {
  recording::Recording out;
  out.program = "wave";
  out.command = {"mpirun", "-n", "2", "wave"};
  out.parameters = {{"N", 64}};
  out.processes = 2;
  out.mpi_library = "Open MPI v4.1.4";
  out.started = "2026-11-21T08:00:00Z";
  out.machine_summary = "some processor, 2 cores";
  out.cores_per_host = 2;
  out.calls = {{"MPI_Send", CallClass::send, Pattern::none},
               {"MPI_Recv", CallClass::receive, Pattern::none},
               {"MPI_Allreduce", CallClass::collective, Pattern::allreduce},
               {"parcast_region_begin", CallClass::region_begin, Pattern::none}};
  for (int i = 0; i < 2; ++i) {
    recording::RankRecording rank;
    rank.rank = i, rank.host = "node7", rank.finalised = true, rank.overhead_per_event = 40e-9;
    rank.wall = 100 * kMillisecond, rank.peak_memory = 11'100'000;
    rank.regions = {"", "main/halo"};
    rank.sites = {{0, 0, "halo", "wave.c", 12}};
    out.ranks.push_back(rank);
  }
  out.ranks[0].events = {event(3, 0, 0, 0), event(0, 70, 80, 70, {1, 5, 8000}),
                         event(2, 80, 100, 0, {recording::kNoPeer, 0, 8})};
  out.ranks[0].total_compute = 70 * kMillisecond;
  auto receive = event(1, 30, 80, 30);
  receive.received = {0, 5, 8000};
  receive.region = 1;
  out.ranks[1].events = {receive, event(2, 80, 100, 0, {recording::kNoPeer, 0, 8})};
  out.ranks[1].total_compute = 30 * kMillisecond;
  return out;
}

TEST(RecordSummary, SaysInThreeLinesWhatCameOutAndWhatIsNext) {
  EXPECT_EQ(record_summary(two_ranks(), "wave-1.recording"),
            "parcast: 2 processes, 100 ms, recorded in wave-1.recording (5 events, 0.0001 % overhead)\n"
            "parcast:   compute 50.0 ms 50 % · point to point 30.0 ms 30 % · collectives 20.0 ms 20 % (rank "
            "1 waits most)\n"
            "parcast:   next: parcast model wave-1.recording, or record another size first: --param N=...\n");
}

TEST(RecordSummary, SaysTheSizeAndWhatIsWrong) {
  auto recording = two_ranks();
  recording.processes = 5;
  recording.losses = {{"rank 1: the last block is incomplete"}};
  recording.ranks[0].total_compute = recording.ranks[1].total_compute = 0;
  const auto folder = std::filesystem::temp_directory_path() / ("report-test-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "rank-0.rec") << std::string(2500, 'x');
  const std::string text = record_summary(recording, folder.string());
  std::filesystem::remove_all(folder);
  EXPECT_THAT(text, HasSubstr("(2.50 kB, 5 events"));
  EXPECT_THAT(text, HasSubstr("more processes than cores"));
  EXPECT_THAT(text, HasSubstr("parcast:   ! rank 1: the last block is incomplete\n"));
  EXPECT_THAT(text, HasSubstr("off the processor 50.0 ms 50 %"));
}

TEST(RecordingText, ShowsRanksCallsAndDamage) {
  auto recording = two_ranks();
  recording.ranks[1].finalised = false;
  recording.ranks[1].unfollowed = {{"MPI_Pack", 12}};
  recording.ranks[1].dropped_events = 1000;
  recording.losses = {{"rank 1: 3 events after byte 400 are lost"}};
  EXPECT_EQ(recording_text(recording, {}),
            "wave, 2 processes, N = 64\n"
            "\n"
            "  command   mpirun -n 2 wave\n"
            "  started   2026-11-21T08:00:00Z\n"
            "  hosts     node7\n"
            "  machine   some processor, 2 cores\n"
            "  MPI       Open MPI v4.1.4\n"
            "  time      compute 50.0 ms 50 % · point to point 30.0 ms 30 % · collectives 20.0 ms 20 %\n"
            "\n"
            "  rank  host   events  messages  bytes  compute  in calls     ms   memory\n"
            "     0  node7       3         1  8,000     70.0      30.0  100.0  11.1 MB\n"
            "     1  node7       2         0      0     30.0      70.0  100.0  11.1 MB  not finalised\n"
            "\n"
            "  call           all ranks  fewest  most  bytes     ms\n"
            "  MPI_Send               1       0     1  8,000  10.00\n"
            "  MPI_Recv               1       0     1      0  50.00\n"
            "  MPI_Allreduce          2       1     1     16  40.00\n"
            "\n"
            "  seen but not followed in detail: MPI_Pack 12\n"
            "\n"
            "  ! rank 1: 3 events after byte 400 are lost\n"
            "  ! 1,000 events were not kept because a limit was reached\n");
}

TEST(RecordingText, ARankWithoutAFileHasNoHostAndAProblemIsOneSentence) {
  auto recording = two_ranks();
  recording.ranks[1].host.clear();
  recording.losses = {
      {"w.recording/rank-1.rec: error: the file ends inside its header, at byte 700\n  record again"}};
  const std::string text = recording_text(recording, {});
  EXPECT_THAT(text, HasSubstr("  hosts     node7\n"));
  EXPECT_THAT(
      text,
      HasSubstr("  ! w.recording/rank-1.rec: the file ends inside its header, at byte 700; record again\n"));
}

TEST(RecordingText, SaysWhichShareOfACoreWasReserved) {
  auto recording = two_ranks();
  EXPECT_EQ(recording_text(recording, {}).find("reserved"), std::string::npos);
  recording.ranks[0].processor_share = 0.05;
  recording.ranks[1].processor_share = 0.25;
  EXPECT_NE(recording_text(recording, {}).find("  share     5.0 to 25 % of a core reserved"),
            std::string::npos)
      << recording_text(recording, {});
}

TEST(RecordingText, CallsOfOneNameAreOneRow) {
  auto recording = two_ranks();
  recording.calls.push_back({"MPI_Startall", CallClass::send, Pattern::none});
  recording.calls.push_back({"MPI_Startall", CallClass::receive, Pattern::none});
  for (const std::uint16_t call : {4, 5, 5}) recording.ranks[0].events.push_back(event(call, 90, 91, 0));
  recording.ranks[1].events.push_back(event(4, 90, 91, 0));
  const std::string text = recording_text(recording, {});
  EXPECT_THAT(text, HasSubstr("  MPI_Startall           4       1     3 "));
  EXPECT_EQ(text.find("MPI_Startall"), text.rfind("MPI_Startall"));
}

TEST(RecordingText, ManyRanksAreCutAndCountsShowThemAll) {
  auto recording = two_ranks();
  while (recording.ranks.size() < 40) {
    recording.ranks.push_back(recording.ranks[0]);
    recording.ranks.back().rank = static_cast<std::int32_t>(recording.ranks.size()) - 1;
  }
  EXPECT_THAT(recording_text(recording, {}), HasSubstr("... 25 more ranks, --counts"));
  EXPECT_THAT(counts_text(recording, {}), HasSubstr("\n    39       3         1  8,000"));
}

TEST(EventsText, HasALinePerEvent) {
  EXPECT_EQ(events_text(two_ranks()),
            "rank=0 thread=0 enter=0 exit=0 compute=0 parcast_region_begin at=wave.c:12\n"
            "rank=0 thread=0 enter=70000000 exit=80000000 compute=70000000 MPI_Send send peer=1 tag=5 "
            "bytes=8000 at=wave.c:12\n"
            "rank=0 thread=0 enter=80000000 exit=100000000 compute=0 MPI_Allreduce root=- bytes=8 "
            "communicator=0 at=wave.c:12\n"
            "rank=1 thread=0 enter=30000000 exit=80000000 compute=30000000 MPI_Recv region=main/halo receive "
            "peer=0 tag=5 bytes=8000 at=wave.c:12\n"
            "rank=1 thread=0 enter=80000000 exit=100000000 compute=0 MPI_Allreduce root=- bytes=8 "
            "communicator=0 at=wave.c:12\n");
}

TEST(EventsText, ACallIsPartOfWhatItWasInlinedInto) {
  auto recording = two_ranks();
  recording.ranks[0].events = {event(0, 0, 0, 0)};
  recording.ranks[0].sites[0].inlined_into = {{"exchange", "wave.h", 30}, {"main", "wave.c", 99}};
  EXPECT_THAT(events_text(recording),
              HasSubstr(" at=wave.c:12 inlined into exchange at wave.h:30 inlined into main at wave.c:99\n"));
}

TEST(EventsText, WithoutSymbolsACallIsModuleAndOffset) {
  auto recording = two_ranks();
  recording.ranks[0].modules = {{"/opt/bin/wave", "ab"}};
  recording.ranks[0].sites = {{0, 0x14f2, "", "", 0}};
  EXPECT_THAT(events_text(recording), HasSubstr(" at=wave+0x14f2\n"));
}

TEST(EventsText, BadReferencesAreAQuestionMark) {
  auto recording = two_ranks();
  recording.ranks[0].events = {event(99, 1, 2, 0)};
  recording.ranks[0].events[0].site = 77;
  recording.ranks[0].events[0].first_completion = 5, recording.ranks[0].events[0].completion_count = 3;
  EXPECT_THAT(events_text(recording), HasSubstr("compute=0 ? at=?\n"));
}

TEST(RecordingText, WhatRegionsUsedIsSummedOverRanksAndThreads) {
  recording::Recording run = two_ranks();
  EXPECT_THAT(recording_text(run, {}), Not(HasSubstr("page faults")));
  const auto usage = [](std::uint16_t thread, std::uint32_t region, std::uint64_t faults) {
    return recording::Usage{.thread = thread,
                            .region = region,
                            .samples = 1,
                            .minor_faults = faults,
                            .major_faults = 3,
                            .voluntary_switches = 20,
                            .involuntary_switches = 5,
                            .peak_growth = 1'500'000};
  };
  run.ranks[0].usage = {usage(0, 0, 100), usage(0, 1, 4000), usage(1, 1, 96)};
  run.ranks[1].usage = {usage(0, 1, 4)};
  const std::string text = recording_text(run, {});
  EXPECT_THAT(text, testing::ContainsRegex("main/halo +4,100 +9 +60 +15 +4.50 MB"));
  EXPECT_THAT(text, testing::ContainsRegex("- +100 +3 +20 +5 +1.50 MB"));
  EXPECT_LT(text.find("main/halo "), text.find("  -  "));
  EXPECT_THAT(text, Not(HasSubstr("cycle")));
  run.ranks[0].usage[1].cycles = 2'000'000;
  run.ranks[0].usage[1].instructions = 3'000'000;
  run.ranks[0].usage[1].cache_misses = 777;
  EXPECT_THAT(recording_text(run, {}),
              testing::ContainsRegex("main/halo +4,100 +9 +60 +15 +4.50 MB +1.50 +777"));
}

}  // namespace
}  // namespace parcast::report
