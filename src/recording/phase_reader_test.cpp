// SPDX-License-Identifier: Apache-2.0
#include "recording/phase_reader.h"

#include <gtest/gtest.h>

#include "recording/recording_file.h"
#include "recording/sample_rank.h"

namespace parcast::recording {
namespace {

/// A rank whose phases are given in ticks; a tick is half a nanosecond.
class Probe {
 public:
  explicit Probe(const std::filesystem::path& path, int rank = 0, int processes = 1)
      : rank_(path, rank, processes) {}

  std::uint32_t name(const std::string& text) {
    parcast_put_phase_name(&rank_.writer, next_, text.c_str());
    return next_++;
  }
  void phase(std::uint32_t name, PhaseKind kind, std::uint64_t ticks, double operations = 0,
             double quantums = 0, std::uint8_t flags = 0, const parcast_phase_used* used = nullptr,
             const parcast_phase_counts* counts = nullptr) {
    parcast_phase_span span{};
    span.begin = SampleRank::now;
    span.end = SampleRank::now += ticks;
    span.name = name;
    span.kind = static_cast<std::uint32_t>(kind);
    span.operations = operations;
    span.quantums = quantums;
    parcast_put_phase(&rank_.writer, &span, flags, used, counts);
  }
  /// MPI_Finalize `ticks` after the last phase.
  void finish(std::uint64_t ticks = 0) {
    SampleRank::now += ticks;
    rank_.finish();
  }
  parcast_writer& writer() { return rank_.writer; }
  /// Place of the next phase in the file.
  std::uint64_t position() const { return rank_.writer.phases.place + rank_.writer.phases.offset; }

 private:
  SampleRank rank_;
  std::uint32_t next_ = 1;
};

std::string only_loss(const Read& file) {
  return file.losses.size() == 1 ? file.losses.front().what : std::to_string(file.losses.size()) + " losses";
}

TEST(PhaseReader, GivesKindNameTimesAndCounts) {
  const Scratch scratch;
  Probe probe(scratch / "rank-0.rec");
  const auto multiply = probe.name("multiply"), shift = probe.name("shift");
  probe.phase(multiply, PhaseKind::computation, 200, 64, 32);
  probe.phase(shift, PhaseKind::communication, 50, 0, 16);
  probe.phase(multiply, PhaseKind::computation, 100, 8, 4);
  probe.finish(20);
  const Read file = read(slurp(scratch / "rank-0.rec"));
  ASSERT_TRUE(file.rank);
  EXPECT_TRUE(file.losses.empty());
  const auto& phases = file.rank->phases;
  ASSERT_EQ(phases.size(), 3u);
  EXPECT_EQ(file.rank->phase_names, (std::vector<std::string>{"multiply", "shift"}));
  EXPECT_EQ(phases[0].begin, 0);
  EXPECT_EQ(phases[0].end, 100);
  EXPECT_EQ(phases[1].begin, 100);
  EXPECT_EQ(phases[1].end, 125);
  EXPECT_EQ(phases[2].end, 175);
  EXPECT_EQ(phases[1].kind, PhaseKind::communication);
  EXPECT_EQ(phases[2].name, 0u);
  EXPECT_EQ(phases[0].operations, 64);
  EXPECT_EQ(phases[1].quantums, 16);
  const auto sums = phase_sums(*file.rank);
  ASSERT_EQ(sums.size(), 2u);
  EXPECT_EQ(sums[0].executions, 2u);
  EXPECT_DOUBLE_EQ(sums[0].seconds, 150e-9);
  EXPECT_EQ(sums[0].operations, 72);
  EXPECT_EQ(sums[0].quantums, 36);
  EXPECT_EQ(sums[1].name, "shift");
}

/// Phases of 1 us; the first, third and fifth have usage.
std::string with_usage(const Scratch& scratch, std::uint64_t counters) {
  Probe probe(scratch / "rank-0.rec");
  const auto multiply = probe.name("multiply"), shift = probe.name("shift");
  parcast_set_live(&probe.writer(), PARCAST_LIVE_COUNTERS, counters);
  const parcast_phase_used first{10, 1, 5, 2}, second{300, 0, 7, 1}, third{40, 0, 0, 0};
  const parcast_phase_counts counts{1000, 2000, 30};
  probe.phase(multiply, PhaseKind::computation, 2000, 1, 0, 0, &first, &counts);
  probe.phase(shift, PhaseKind::communication, 2000, 0, 1);
  probe.phase(multiply, PhaseKind::computation, 2000, 1, 0, 0, &second, &counts);
  probe.phase(shift, PhaseKind::communication, 2000, -1, 1);  // not a valid phase
  probe.phase(shift, PhaseKind::communication, 2000, 0, 1);
  probe.phase(multiply, PhaseKind::computation, 2000, 1, 0, 0, &third, &counts);
  probe.finish();
  return slurp(scratch / "rank-0.rec");
}

TEST(PhaseReader, GivesWhatPhasesUsedWhereItWasSampled) {
  const Scratch scratch;
  const Read file = read(with_usage(scratch, 0));
  ASSERT_TRUE(file.rank);
  const auto& samples = file.rank->phase_samples;
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_EQ(samples[0].phase, 0u);
  EXPECT_EQ(samples[1].phase, 2u);
  EXPECT_EQ(samples[2].phase, 4u);  // the phase that is left out does not count
  EXPECT_EQ(samples[1].usage.minor_faults, 300u);
  EXPECT_EQ(samples[0].usage.major_faults, 1u);
  EXPECT_FALSE(samples[0].usage.cycles);
  const auto sums = phase_sums(*file.rank);
  ASSERT_EQ(sums.size(), 2u);
  ASSERT_TRUE(sums[0].usage && sums[1].usage);
  EXPECT_EQ(sums[0].usage->minor_faults, 350u);
  EXPECT_EQ(sums[0].usage->major_faults, 1u);
  EXPECT_EQ(sums[0].usage->voluntary_switches, 12u);
  EXPECT_EQ(sums[0].usage->involuntary_switches, 3u);
  EXPECT_EQ(sums[1].usage->minor_faults, 0u);  // too short for a sample
}

TEST(PhaseReader, TakesTheCountersThatRanAllTheTime) {
  const Scratch scratch;
  const Read file = read(with_usage(scratch, 1 + 4));
  const auto sums = phase_sums(*file.rank);
  ASSERT_TRUE(sums[0].usage && sums[1].usage);
  EXPECT_EQ(sums[0].usage->cycles, 3000u);
  EXPECT_EQ(sums[0].usage->cache_misses, 90u);
  EXPECT_FALSE(sums[0].usage->instructions);
  EXPECT_EQ(sums[1].usage->cycles, 0u);
}

TEST(PhaseReader, WhatWasUsedIsUnknownWhereARankDidNotTellIt) {
  Recording recording;
  const Scratch scratch;
  recording.ranks.push_back(*read(with_usage(scratch, 4)).rank);
  EXPECT_EQ(phase_sums(recording)[0].usage->cache_misses, 90u);
  recording.ranks.push_back(recording.ranks[0]);
  for (PhaseSample& sample : recording.ranks[1].phase_samples) sample.usage.cache_misses.reset();
  EXPECT_EQ(phase_sums(recording)[0].usage->minor_faults, 700u);
  EXPECT_FALSE(phase_sums(recording)[0].usage->cache_misses);
  recording.ranks[1].phase_samples.clear();
  EXPECT_FALSE(phase_sums(recording)[0].usage);
}

TEST(PhaseReader, APhaseWhoseFlagsPromiseMoreThanItHoldsIsNoPhase) {
  const Scratch scratch;
  const parcast_phase_used used{1, 0, 0, 0};
  for (const std::uint8_t flags : {PARCAST_PHASE_USED, PARCAST_PHASE_COUNTED}) {
    std::filesystem::remove(scratch / "rank-0.rec");
    Probe probe(scratch / "rank-0.rec");
    probe.phase(probe.name("step"), PhaseKind::computation, 10, 0, 0, flags);
    probe.phase(probe.name("step"), PhaseKind::computation, 10, 0, 0, 0, &used);
    probe.finish();
    const Read file = read(slurp(scratch / "rank-0.rec"));
    ASSERT_EQ(file.rank->phases.size(), 1u);
    ASSERT_EQ(file.rank->phase_samples.size(), 1u);
    EXPECT_EQ(file.rank->phase_samples[0].phase, 0u);
  }
}

TEST(PhaseReader, PhasesOfOneNameUnderTwoNumbersAreOne) {
  const Scratch scratch;
  Probe probe(scratch / "rank-0.rec");
  probe.phase(probe.name("step"), PhaseKind::idle, 10, 1);
  probe.phase(probe.name("step"), PhaseKind::idle, 10, 2);
  probe.phase(probe.name("step"), PhaseKind::computation, 10, 4);
  probe.finish();
  const Read file = read(slurp(scratch / "rank-0.rec"));
  const auto sums = phase_sums(*file.rank);
  ASSERT_EQ(sums.size(), 2u);
  EXPECT_EQ(sums[0].kind, PhaseKind::computation);
  EXPECT_EQ(sums[1].operations, 3);
}

TEST(PhaseReader, AFileCutAnywhereKeepsThePhasesBefore) {
  const Scratch scratch;
  Probe probe(scratch / "rank-0.rec");
  const auto name = probe.name("step");
  std::vector<std::uint64_t> ends;
  for (int i = 0; i < 3000; ++i) {
    probe.phase(name, PhaseKind::computation, 7, i);
    ends.push_back(probe.position());
  }
  probe.finish();
  const std::string whole = slurp(scratch / "rank-0.rec");
  for (std::uint64_t at = 8; at <= whole.size(); at += 997 * 8) {
    const Read file = read(whole.substr(0, at));
    if (!file.rank) continue;  // truncated in the header
    const auto kept = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), at) - ends.begin());
    ASSERT_EQ(file.rank->phases.size(), kept) << at;
    for (std::size_t i = 0; i < kept; ++i) ASSERT_EQ(file.rank->phases[i].operations, static_cast<double>(i));
  }
}

TEST(PhaseReader, ADamagedPhaseIsAHoleThatIsTold) {
  const Scratch scratch;
  Probe probe(scratch / "rank-0.rec");
  const auto name = probe.name("step");
  std::uint64_t second = 0;
  for (int i = 0; i < 4; ++i) {
    if (i == 1) second = probe.position();
    probe.phase(name, PhaseKind::computation, 10, i);
  }
  probe.finish();
  std::string bytes = slurp(scratch / "rank-0.rec");
  bytes[second + 20] ^= 1;
  const Read file = read(bytes);
  ASSERT_EQ(file.rank->phases.size(), 3u);
  EXPECT_EQ(file.rank->phases[1].begin, 10);
  ASSERT_EQ(file.losses.size(), 2u);
  EXPECT_NE(file.losses[1].what.find("phases are missing in 1 places"), std::string::npos)
      << file.losses[1].what;
}

TEST(PhaseReader, WhatTheRecorderRefusedIsALoss) {
  const Scratch scratch;
  Probe probe(scratch / "rank-0.rec");
  const auto name = probe.name("step");
  probe.phase(name, PhaseKind::computation, 10, 0, 0, PARCAST_COUNT_REFUSED);
  probe.finish();
  EXPECT_NE(
      only_loss(read(slurp(scratch / "rank-0.rec"))).find("1 phases gave operations or quantums below 0"),
      std::string::npos);

  Probe other(scratch / "rank-1.rec");
  other.phase(other.name("step"), PhaseKind::computation, 10);
  parcast_add_live(&other.writer(), PARCAST_LIVE_PHASES_REFUSED, 3);
  other.finish();
  EXPECT_NE(only_loss(read(slurp(scratch / "rank-1.rec"))).find("3 calls of parcast_phase were left out"),
            std::string::npos);
}

TEST(PhaseReader, APhaseWithCountsThatAreNoneOrOfNoKindIsNoPhase) {
  const Scratch scratch;
  Probe probe(scratch / "rank-0.rec");
  const auto name = probe.name("step");
  probe.phase(name, PhaseKind::computation, 10, -1);
  probe.phase(name, PhaseKind::computation, 10, 0, 1.0 / 0.0);
  probe.phase(name, static_cast<PhaseKind>(3), 10);
  probe.finish();
  const Read file = read(slurp(scratch / "rank-0.rec"));
  EXPECT_TRUE(file.rank->phases.empty());
  EXPECT_NE(only_loss(file).find("3 records do not hold what they should"), std::string::npos);
}

/// Returns the recording of two ranks with phases.
Recording two_ranks(const Scratch& scratch, bool second_ends) {
  for (int i = 0; i < 2; ++i) {
    Probe probe(scratch / ("rank-" + std::to_string(i) + ".rec"), i, 2);
    const auto name = probe.name(i == 0 ? "work" : "end");
    SampleRank::now += i == 0 ? 0 : 6;  // the second probe begins 3 ns later
    probe.phase(name, PhaseKind::computation, i == 0 ? 100 : 40, 1);
    if (i == 0 || second_ends) probe.finish(i == 0 ? 20 : 2);
  }
  auto recording = read_recording(scratch.path());
  EXPECT_TRUE(recording);
  return std::move(*recording);
}

TEST(TimeLines, OfAllRanksAreAsLongAsTheLongest) {
  const Scratch scratch;
  const Recording recording = two_ranks(scratch, true);
  EXPECT_TRUE(recording.losses.empty());
  const auto& first = recording.ranks[0].phases;
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[1].begin, 50);
  EXPECT_EQ(first[1].end, 60);  // the rank's own MPI_Finalize
  EXPECT_EQ(first[1].kind, PhaseKind::idle);
  EXPECT_EQ(recording.ranks[0].phase_names[first[1].name], "end");
  const auto& second = recording.ranks[1].phases;
  ASSERT_EQ(second.size(), 2u);
  EXPECT_EQ(second[0].begin, 3);
  EXPECT_EQ(second[1].begin, 23);
  EXPECT_EQ(second[1].end, 63);
  const auto sums = phase_sums(recording);
  // work and the program's own "end" are computation, the rest is idle
  ASSERT_EQ(sums.size(), 3u);
  EXPECT_EQ(sums[2].kind, PhaseKind::idle);
  EXPECT_EQ(sums[2].executions, 2u);
  EXPECT_DOUBLE_EQ(sums[0].seconds + sums[1].seconds + sums[2].seconds, 120e-9);
}

TEST(TimeLines, OfAProcessThatWasKilledEndWithItsLastPhase) {
  const Scratch scratch;
  const Recording recording = two_ranks(scratch, false);
  EXPECT_EQ(recording.ranks[0].phases.size(), 2u);
  EXPECT_EQ(recording.ranks[1].phases.size(), 1u);
  EXPECT_EQ(recording.ranks[1].wall, 23);
}

}  // namespace
}  // namespace parcast::recording
