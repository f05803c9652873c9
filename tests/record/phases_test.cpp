// SPDX-License-Identifier: Apache-2.0
// Phases of real programs, with MPI and without: none is lost, they leave no gap, and the program does not
// notice.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <map>
#include <random>

#include "launch.h"

namespace parcast::record_tests {
namespace {

using namespace recording;

struct Way {
  const char* name;
  bool mpi;
};
void PrintTo(const Way& way, std::ostream* out) {
  *out << way.name;
}

class Phases : public testing::TestWithParam<Way> {
 protected:
  std::string program_of_way() const { return GetParam().mpi ? program("phases") : plain_program("phases"); }
  Job job(const std::string& arguments) const {
    return {GetParam().mpi ? 2 : 0, program_of_way() + " " + arguments};
  }

  /// Runs with and without the recorder; results must not differ except in the recorder's messages on stderr.
  Recording record(const std::string& arguments) {
    const Outcome plain = run_plain(scratch_, job(arguments));
    with_ = run_recorded(scratch_, job(arguments));
    EXPECT_EQ(with_.exit_code, plain.exit_code) << with_.errors;
    EXPECT_EQ(with_.output, plain.output);
    auto result = recorded(scratch_);
    EXPECT_TRUE(result) << (result ? "" : to_string(result.error()));
    if (!result) return {};
    EXPECT_EQ(result->processes, GetParam().mpi ? 2 : 1);
    EXPECT_EQ(result->mpi_library.empty(), !GetParam().mpi);
    for (const RankRecording& rank : result->ranks) EXPECT_TRUE(rank.finalised);
    return std::move(*result);
  }
  std::size_t said(const std::string& sentence) const {
    std::size_t times = 0;
    for (std::size_t at = 0; (at = with_.errors.find(sentence, at)) != std::string::npos; ++at) ++times;
    return times;
  }

  Scratch scratch_;
  Outcome with_;
};

void expect_no_gaps(const RankRecording& rank) {
  for (std::size_t i = 1; i < rank.phases.size(); ++i)
    ASSERT_EQ(rank.phases[i].begin, rank.phases[i - 1].end) << i;
}

std::vector<std::string> names_in(const RankRecording& rank) {
  std::vector<std::string> names;
  for (const Phase& phase : rank.phases) names.push_back(rank.phase_names[phase.name]);
  return names;
}

TEST_P(Phases, HaveTheirNamesKindsAndCounts) {
  const Recording recording = record("plain");
  EXPECT_TRUE(recording.losses.empty()) << recording.losses.front().what;
  EXPECT_EQ(with_.errors.find("parcast"), std::string::npos) << with_.errors;
  EXPECT_EQ(recording.parameters, (std::map<std::string, double>{{"n", 150}, {"steps", 3}}));
  for (const RankRecording& rank : recording.ranks) {
    std::vector<std::string> expected;
    for (int i = 0; i < 3; ++i) expected.insert(expected.end(), {"multiply", "shift", "idle"});
    expected.emplace_back("end");
    EXPECT_EQ(names_in(rank), expected);
    expect_no_gaps(rank);
    const auto sums = phase_sums(rank);
    ASSERT_EQ(sums.size(), 4u);
    EXPECT_EQ(sums[0].operations, 300);
    EXPECT_EQ(sums[0].quantums, 30);
    EXPECT_EQ(sums[1].kind, PhaseKind::communication);
    EXPECT_EQ(sums[1].quantums, 60);
    EXPECT_GE(rank.phases.front().begin, 0);
  }
  if (recording.ranks.size() < 2) return;
  const auto length = [](const RankRecording& rank) {
    return rank.phases.back().end - rank.phases.front().begin;
  };
  EXPECT_EQ(length(recording.ranks[0]), length(recording.ranks[1]));
}

TEST_P(Phases, AMillionLeaveNoGap) {
  const Recording recording = record("many 1000000");
  EXPECT_TRUE(recording.losses.empty()) << recording.losses.front().what;
  for (const RankRecording& rank : recording.ranks) {
    ASSERT_EQ(rank.phases.size(), 1000001u);
    expect_no_gaps(rank);
    for (std::size_t i = 0; i < 1000000; ++i) ASSERT_EQ(rank.phases[i].operations, static_cast<double>(i));
    EXPECT_EQ(rank.phase_names, (std::vector<std::string>{"even", "odd", "end"}));
    ASSERT_FALSE(rank.phase_samples.empty());
    EXPECT_EQ(rank.phase_samples.front().phase, 0u);
    std::uint64_t faults = 0;
    for (std::size_t i = 0; i < rank.phase_samples.size(); ++i) {
      faults += rank.phase_samples[i].usage.minor_faults;
      if (i > 0)
        EXPECT_GE(
            rank.phases[rank.phase_samples[i].phase].end - rank.phases[rank.phase_samples[i - 1].phase].end,
            199'000);
    }
    EXPECT_LE(faults, 200u);  // none of the 12,000 pages of their file counts as the program's
  }
}

TEST_P(Phases, OfANewNameEachTimeKeepIt) {
  const Recording recording = record("names 20000");
  EXPECT_TRUE(recording.losses.empty()) << recording.losses.front().what;
  for (const RankRecording& rank : recording.ranks) {
    ASSERT_EQ(rank.phases.size(), 20001u);
    expect_no_gaps(rank);
    for (std::size_t i = 0; i < 20000; ++i)
      ASSERT_EQ(rank.phase_names[rank.phases[i].name], "step " + std::to_string(i));
  }
}

TEST_P(Phases, ThatAreWrongAreRefusedWithASentenceOnce) {
  const Recording recording = record("mistakes");
  const std::size_t processes = recording.ranks.size();
  EXPECT_EQ(said("counts are finite and not below 0"), processes);
  EXPECT_EQ(said("a kind that is none"), processes);
  EXPECT_EQ(said("a process has one probe"), processes);
  EXPECT_EQ(said("before MPI_Init"), GetParam().mpi ? processes : 0);
  EXPECT_EQ(said("has no beginning without MPI"), GetParam().mpi ? 0 : 1);
  for (const RankRecording& rank : recording.ranks) {
    EXPECT_EQ(names_in(rank),
              (std::vector<std::string>{"below", "none", "endless", "below", "none", "endless", "below",
                                        "none", "endless", "good", "end"}));
    expect_no_gaps(rank);
    EXPECT_EQ(rank.phases[0].operations, 0);
    EXPECT_EQ(rank.phases[0].quantums, 5);
    EXPECT_EQ(rank.phases[1].quantums, 0);
    EXPECT_EQ(rank.phases[2].operations, 0);
    EXPECT_FALSE(rank.complete);
  }
  const auto given = [&](const std::string& text) {
    return std::any_of(recording.losses.begin(), recording.losses.end(),
                       [&](const Loss& loss) { return loss.what.find(text) != std::string::npos; });
  };
  EXPECT_TRUE(given("9 phases gave operations or quantums below 0"));
  EXPECT_TRUE(given(GetParam().mpi ? "3 calls of parcast_phase were left out"
                                   : "4 calls of parcast_phase were left out"));
}

TEST_P(Phases, OfAnotherThreadAreLeftOut) {
  const Recording recording = record("thread");
  EXPECT_EQ(said("another thread than the probe's"), recording.ranks.size());
  for (const RankRecording& rank : recording.ranks)
    EXPECT_EQ(names_in(rank), (std::vector<std::string>{"here", "here", "end"}));
  ASSERT_FALSE(recording.losses.empty());
  EXPECT_NE(recording.losses[0].what.find("5 calls of parcast_phase were left out"), std::string::npos)
      << recording.losses[0].what;
}

TEST_P(Phases, OfAForkedChildAreNotItsParents) {
  const Recording recording = record("fork");
  EXPECT_TRUE(recording.losses.empty()) << recording.losses.front().what;
  for (const RankRecording& rank : recording.ranks)
    EXPECT_EQ(names_in(rank), (std::vector<std::string>{"before", "after", "end"}));
}

TEST_P(Phases, StandBesideRegionsFoldedOrNot) {
  for (const std::size_t count : {std::size_t{4}, std::size_t{30000}}) {
    const Recording recording = record("regions " + std::to_string(count));
    EXPECT_TRUE(recording.losses.empty()) << recording.losses.front().what;
    for (const RankRecording& rank : recording.ranks) {
      EXPECT_EQ(rank.chapters.empty(), count == 4);
      std::uint64_t begins = 0;
      const auto sums = sums_by_call(rank, recording.calls);
      for (std::size_t i = 0; i < sums.size(); ++i)
        begins += recording.calls[i].kind == CallClass::region_begin ? sums[i].calls : 0;
      EXPECT_EQ(begins, count);
      EXPECT_EQ(rank.regions, (std::vector<std::string>{"", "step"}));
      EXPECT_EQ(rank.phases.size(), count + 1);
      expect_no_gaps(rank);
    }
  }
}

TEST_P(Phases, BelongToTheClassOfTheProgramsOwnMarks) {
  Job without = job("plain");
  without.environment = "PARCAST_CLASSES=mpi";
  EXPECT_EQ(run_recorded(scratch_, without).exit_code, 4);
  const auto recording = recorded(scratch_);
  ASSERT_TRUE(recording);
  for (const RankRecording& rank : recording->ranks) EXPECT_TRUE(rank.phases.empty());
}

/// Starts the program, kills it after some milliseconds, and checks what was written.
TEST_P(Phases, OfAProcessThatIsKilledAreAllThere) {
  std::mt19937 random(17);
  for (int round = 0; round < 20; ++round) {
    fs::remove_all(scratch_ / "run");
    const fs::path progress = scratch_ / "progress";
    std::ofstream(progress) << std::string(4096, '\0');
    const int file = ::open(progress.c_str(), O_RDONLY);
    const auto* given =
        static_cast<const volatile std::uint64_t*>(::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file, 0));
    ASSERT_NE(given, MAP_FAILED);
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv("LD_PRELOAD", PARCAST_RECORDER, 1);
      ::setenv("PARCAST_OUT", (scratch_ / "run").c_str(), 1);
      ::setenv("OMPI_MCA_orte_tmpdir_base", scratch_.path().c_str(), 1);
      ::execl(program_of_way().c_str(), "phases", "endless", progress.c_str(), nullptr);
      ::_exit(8);
    }
    for (int i = 0; i < 20000 && *given == 0; ++i) ::usleep(1000);
    ::usleep(random() % 60000);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
    const std::uint64_t returned = *given;
    ::munmap(const_cast<std::uint64_t*>(given), 4096);
    ::close(file);
    const auto recording = recorded(scratch_);
    ASSERT_TRUE(recording) << to_string(recording.error());
    const RankRecording& rank = recording->ranks[0];
    EXPECT_FALSE(rank.finalised);
    ASSERT_GE(returned, 1u);
    ASSERT_GE(rank.phases.size(), returned);
    // the last one may have been recorded although its call did not return
    ASSERT_LE(rank.phases.size(), returned + 1);
    expect_no_gaps(rank);
    for (std::size_t i = 0; i < rank.phases.size(); ++i)
      ASSERT_EQ(rank.phases[i].operations, static_cast<double>(i + 1));
    // the one that it did not end
    EXPECT_EQ(recording->losses.size(), 1u) << recording->losses[0].what << "\n" << recording->losses[1].what;
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, Phases, testing::Values(Way{"with MPI", true}, Way{"without MPI", false}),
                         [](const auto& way) { return way.param.mpi ? "WithMpi" : "WithoutMpi"; });

/// Returns jobs without MPI, and with each family.
std::vector<Job> jobs(const std::string& arguments, const std::string& environment = "") {
  std::vector<Job> out{{0, plain_program("phases") + " " + arguments, environment}};
  for (const Mpi mpi : families())
    out.push_back({1, program("phases", mpi) + " " + arguments, environment, "", mpi});
  return out;
}

Recording recorded_of(const Scratch& scratch, const Job& job, int exit_code) {
  const Outcome outcome = run_recorded(scratch, job);
  EXPECT_EQ(outcome.exit_code, exit_code) << job.command << outcome.errors;
  auto recording = recorded(scratch);
  EXPECT_TRUE(recording) << job.command;
  return recording ? std::move(*recording) : Recording{};
}

/// Pages of the recorder's own code and tables, and those that the C library accesses late.
constexpr std::uint64_t kFew = 25;

/// Expects the values that `uses` of programs/phases.c passes as operations of its phases.
void expect_use(const RankRecording& rank, const std::string& where) {
  SCOPED_TRACE(where);
  std::size_t next = 0;
  std::map<std::string, int> seen;
  for (std::size_t i = 0; i < rank.phases.size() && rank.phase_names[rank.phases[i].name] != "end"; ++i) {
    const Phase& phase = rank.phases[i];
    const std::string& name = rank.phase_names[phase.name];
    ASSERT_LT(next, rank.phase_samples.size());
    ASSERT_EQ(rank.phase_samples[next].phase, i);  // all are long
    const PhaseUsage& usage = rank.phase_samples[next++].usage;
    ++seen[name];
    if (name == "touch") {
      EXPECT_GE(phase.operations, 3000);
      EXPECT_GE(static_cast<double>(usage.minor_faults), phase.operations);
      EXPECT_LE(static_cast<double>(usage.minor_faults), phase.operations + kFew);
    } else if (name != "begin") {
      EXPECT_LE(usage.minor_faults, kFew) << name;
    }
    if (name == "nap") {
      EXPECT_GE(phase.operations, 20);
      EXPECT_EQ(static_cast<double>(usage.voluntary_switches), phase.operations);
    } else if (name == "spin") {
      EXPECT_EQ(usage.voluntary_switches, 0u);
    }
  }
  EXPECT_EQ(next, rank.phase_samples.size());
  EXPECT_EQ(seen, (std::map<std::string, int>{{"begin", 2}, {"nap", 3}, {"spin", 3}, {"touch", 3}}));
}

TEST(PhasesUse, PagesWhereTheyAreTouchedAndSwitchesWhereTheyNap) {
  const Scratch scratch;
  for (const Job& job : jobs("uses")) {
    const Recording recording = recorded_of(scratch, job, 4);
    EXPECT_TRUE(recording.losses.empty());
    ASSERT_EQ(recording.ranks.size(), 1u);
    expect_use(recording.ranks[0], job.command);
    for (const PhaseSum& sum : phase_sums(recording)) EXPECT_EQ(sum.usage.has_value(), sum.name != "end");
  }
}

TEST(PhasesUse, WhatTheThreadThatTellsThemUses) {
  const Scratch scratch;
  for (const Job& job : jobs("elsewhere")) {
    const Recording recording = recorded_of(scratch, job, 4);
    ASSERT_EQ(recording.ranks.size(), 1u);
    expect_use(recording.ranks[0], job.command);
  }
}

TEST(PhasesUse, StaysWhenTheProcessIsKilled) {
  const Scratch scratch;
  for (const Job& job : jobs("uses die")) {
    run_recorded(scratch, job);
    const auto recording = recorded(scratch);
    ASSERT_TRUE(recording) << job.command;
    EXPECT_FALSE(recording->ranks[0].finalised);
    expect_use(recording->ranks[0], job.command);
  }
}

/// 20 times 8 pages in phases of some microseconds: their use is read at the end of the next long phase.
TEST(PhasesUse, OfShortOnesCountsForTheNextLongOne) {
  const Scratch scratch;
  const Recording recording = recorded_of(scratch, jobs("short").front(), 4);
  ASSERT_EQ(recording.ranks.size(), 1u);
  std::uint64_t of_short = 0, of_long = 0;
  double seconds_of_short = 0;
  for (const PhaseSum& sum : phase_sums(recording)) {
    if (sum.name == "short") seconds_of_short += sum.seconds;
    if (sum.usage) (sum.name == "short" ? of_short : of_long) += sum.usage->minor_faults;
  }
  EXPECT_GE(of_long + of_short, 160u);
  EXPECT_LE(of_long + of_short, 160u + kFew);
  // A phase that was interrupted for 0.2 ms or more has its own.
  EXPECT_GE(of_long + 8 * static_cast<std::uint64_t>(seconds_of_short / 0.2e-3), 160u);
}

TEST(PhasesUse, IsOfTheClassMemory) {
  const Scratch scratch;
  const Recording recording = recorded_of(scratch, jobs("uses", "PARCAST_CLASSES=mpi,user").front(), 4);
  ASSERT_EQ(recording.ranks.size(), 1u);
  EXPECT_EQ(recording.ranks[0].phases.size(), 12u);
  EXPECT_TRUE(recording.ranks[0].phase_samples.empty());
  for (const PhaseSum& sum : phase_sums(recording)) EXPECT_FALSE(sum.usage);
}

/// Hardware counters are absent if the machine has none or forbids them.
/// While others have the processor, a mark takes no time of the computing around it.
TEST(PhasesUse, OthersMayHaveTheProcessorDuringAMark) {
  const Scratch scratch;
  const Recording recording = recorded_of(scratch, jobs("crowded").at(1), 4);
  ASSERT_EQ(recording.ranks.size(), 1u);
  const RankRecording& rank = recording.ranks[0];
  const double computing = rank.phases[rank.phases.size() - 2].operations;  // before the end
  ASSERT_GT(computing, 1e6);
  const auto last = std::find_if(rank.events.rbegin(), rank.events.rend(), [&](const Event& event) {
    return recording.calls[event.call].name == "MPI_Barrier";
  });
  ASSERT_NE(last, rank.events.rend());
  EXPECT_GT(static_cast<double>(last->compute), 0.7 * computing);
  EXPECT_LT(static_cast<double>(last->compute), 4 * computing);  // marks evict caches
}

TEST(PhasesUse, HardwareCountersAreThereOrSilentlyAbsent) {
  const Scratch scratch;
  for (const Job& job : jobs("uses", "PARCAST_COUNTERS=on")) {
    const Recording recording = recorded_of(scratch, job, 4);
    EXPECT_TRUE(recording.losses.empty());
    expect_use(recording.ranks[0], job.command);
    for (const PhaseSum& sum : phase_sums(recording))
      if (sum.usage && sum.usage->cycles && sum.name == "spin")
        EXPECT_GT(*sum.usage->cycles, 1'000'000u);  // 6 ms
  }
}

TEST(Alone, AProgramWithoutMpiIsARecordingOfOneProcess) {
  const Scratch scratch;
  const Job job{0, plain_program("no_mpi")};
  const Outcome plain = run_plain(scratch, job), with = run_recorded(scratch, job);
  EXPECT_EQ(with.exit_code, plain.exit_code);
  EXPECT_EQ(with.output, plain.output);
  EXPECT_EQ(with.errors, plain.errors);
  const auto recording = recorded(scratch);
  ASSERT_TRUE(recording) << to_string(recording.error());
  EXPECT_TRUE(recording->losses.empty()) << recording->losses.front().what;
  EXPECT_EQ(recording->processes, 1);
  EXPECT_EQ(recording->program, "no_mpi");
  EXPECT_EQ(recording->parameters, (std::map<std::string, double>{{"n", 3}}));
  EXPECT_EQ(recording->ranks[0].regions, (std::vector<std::string>{"", "all"}));
  EXPECT_EQ(recording->ranks[0].events.size(), 2u);
  EXPECT_GT(recording->ranks[0].wall, 0);
}

TEST(Alone, AForkedChildsExitDoesNotEndTheRecording) {
  const Scratch scratch;
  EXPECT_EQ(run_recorded(scratch, {0, plain_program("phases") + " fork die"}).exit_code, 128 + SIGKILL);
  const auto recording = recorded(scratch);
  ASSERT_TRUE(recording) << to_string(recording.error());
  EXPECT_FALSE(recording->ranks[0].finalised);
  EXPECT_EQ(names_in(recording->ranks[0]), (std::vector<std::string>{"before", "after"}));
}

TEST(Alone, FurtherProcessesOfALineAreRecordedApart) {
  const Scratch scratch;
  const std::string run = plain_program("phases") + " plain";
  EXPECT_EQ(run_recorded(scratch, {0, "sh -c '" + run + "; " + run + "'"}).exit_code, 4);
  const auto first = recorded(scratch);
  ASSERT_TRUE(first) << to_string(first.error());
  ASSERT_EQ(first->worlds.size(), 1u);
  const auto second = read_recording(scratch / ("run/" + first->worlds.front()));
  ASSERT_TRUE(second) << to_string(second.error());
  EXPECT_EQ(first->ranks[0].phases.size(), 10u);
  EXPECT_EQ(second->ranks[0].phases.size(), 10u);
}

#ifdef PARCAST_TEST_FORTRAN
TEST(FortranPhases, AreAsThoseOfC) {
  for (const Mpi mpi : families()) {
    const Scratch scratch;
    const Outcome outcome = run_recorded(scratch, {2, program("fortran_phases", mpi), "", "", mpi});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    const auto recording = recorded(scratch);
    ASSERT_TRUE(recording) << to_string(recording.error());
    EXPECT_TRUE(recording->losses.empty()) << recording->losses.front().what;
    EXPECT_EQ(recording->parameters, (std::map<std::string, double>{{"n", 96}, {"rr", 2}}));
    for (const RankRecording& rank : recording->ranks) {
      EXPECT_EQ(names_in(rank), (std::vector<std::string>{"multiply", "barrier", "multiply", "barrier",
                                                          "multiply", "barrier", "communication", "end"}));
      EXPECT_EQ(phase_sums(rank)[0].operations, 3000);
      EXPECT_EQ(phase_sums(rank)[1].quantums, 7);
      expect_no_gaps(rank);
    }
  }
}
#endif

}  // namespace
}  // namespace parcast::record_tests
