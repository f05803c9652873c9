// SPDX-License-Identifier: Apache-2.0
// Compares events folded while they are written with the same events written unfolded.
#include "recording/folded.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "recording/cycle.h"
#include "recording/region_sums.h"
#include "recording/sample_rank.h"
#include "recording/unfold.h"

namespace parcast::recording {
namespace {

/// An event of a test; both ways of writing use it.
struct Step {
  std::uint16_t call = 3;  // 3 MPI_Send, 5 MPI_Wait, 8 MPI_Allreduce, 11 MPI_Test
  std::uint32_t site = 0, region = 0;
  std::uint64_t gap = 100, length = 50;  // ticks
  std::int32_t peer = 1, tag = 7;
  std::uint64_t bytes = 8;
  bool starts = false;  // a request
  std::vector<parcast_completion> done = {};
  std::uint32_t more_polls = 0;
  bool continued = false, switched = false;
};

class Written {
 public:
  explicit Written(bool folded, std::uint64_t limit = 64u << 20, bool times = false)
      : rank_(scratch_ / "rank-0.rec", 0, 64, 10e-9, limit) {
    parcast_put_call(&rank_.writer, &rank_.stream, 8, PARCAST_CLASS_collective, PARCAST_PATTERN_allreduce,
                     "MPI_Allreduce");
    parcast_put_call(&rank_.writer, &rank_.stream, 11, PARCAST_CLASS_test, PARCAST_PATTERN_none, "MPI_Test");
    for (std::uint32_t i = 1; i < 40; ++i) parcast_put_site(&rank_.writer, &rank_.stream, i, 0, 16 * i);
    parcast_put_region(&rank_.writer, &rank_.stream, 1, 0, "solve");
    rank_.writer.ticks_per_nanosecond = 2;
    rank_.writer.overhead = 20;
    if (folded) parcast_cycle_begin(&events_, times);
  }

  void add(const Step& step) {
    if (!step.done.empty()) rank_.completions(step.done, &events_);
    Extra extra{PARCAST_HAS_MESSAGE, SampleRank::message(step.peer, step.tag, step.bytes)};
    if (step.starts) extra.flags |= PARCAST_HAS_REQUEST, extra.words.push_back(++serial_);
    if (first_ || step.switched) extra.flags |= PARCAST_HAS_COMPUTE, extra.words.push_back(step.gap / 2);
    if (step.switched) extra.flags |= PARCAST_WAS_SWITCHED;
    if (step.continued) extra.flags |= PARCAST_CONTINUED;
    first_ = false;
    rank_.event(step.call, step.gap, step.length, extra, step.site, step.region, 0, &events_);
    if (events_.cycle && events_.offset >= events_.next_slice) parcast_cycle_go_on(&rank_.writer, &events_);
    if (step.more_polls == 0) return;
    auto* repeat =
        static_cast<parcast_repeat*>(parcast_reserve(&rank_.writer, &events_, sizeof(parcast_repeat)));
    repeat->record.kind = PARCAST_REPEAT;
    repeat->record.flags = 0;
    repeat->exit = SampleRank::now += 500;
    repeat->count = step.more_polls;
    repeat->thread = 0;
    repeat->reserved = 0;
    parcast_commit(&events_, &repeat->record, sizeof *repeat);
  }
  std::uint32_t serial() const { return static_cast<std::uint32_t>(serial_); }
  /// Returns the file that a process would leave if it ended now.
  std::string now() const { return slurp(scratch_ / "rank-0.rec"); }
  std::string finish() {
    parcast_set_live(&rank_.writer, PARCAST_LIVE_FINALISED, SampleRank::now);
    parcast_writer_close(&rank_.writer, &events_);
    return now();
  }

 private:
  Scratch scratch_;
  SampleRank rank_;
  parcast_stream events_{};
  std::uint64_t serial_ = 0;
  bool first_ = true;
};

struct Read {
  std::vector<Call> calls;
  std::vector<Loss> losses;
  RankRecording rank;
};

std::vector<RegionSums> regions_of(const Read& given) {
  Recording recording;
  recording.calls = given.calls;
  return sums_by_region(recording, given.rank);
}

Read read(const std::string& bytes) {
  Read read;
  auto rank = read_rank(bytes, "rank-0.rec", read.calls, read.losses);
  EXPECT_TRUE(rank) << (rank ? "" : to_string(rank.error()));
  if (rank) read.rank = std::move(*rank);
  return read;
}

/// Returns all fields of events except their times.
std::vector<std::string> said(const Read& read) {
  std::vector<std::string> lines;
  const auto missing =
      for_each_event(read.rank, read.calls, [&](const Event& e, std::span<const Completion> done) {
        std::string line = read.calls[e.call].name;
        const auto add = [&line](auto... values) { ((line += ' ' + std::to_string(values)), ...); };
        add(e.thread, e.site, e.region, e.communicator, e.message.peer, e.message.tag, e.message.bytes,
            e.received.peer, e.received.bytes, e.request, e.created, e.repeats, e.continued);
        for (const Completion& c : done) add(c.request, c.source, c.tag, c.bytes);
        lines.push_back(line);
      });
  EXPECT_EQ(missing, 0u);
  return lines;
}

/// Generates nested loops of all kinds of steps, with little or much variation.
std::vector<Step> program(std::mt19937& random, std::size_t steps, bool irregular) {
  std::vector<Step> body, all;
  for (std::uint32_t i = 0; i < 3 + random() % 12; ++i) {
    Step step;
    step.site = i;
    step.region = i % 2;
    step.call = std::vector<std::uint16_t>{3, 3, 5, 8, 11}[random() % 5];
    step.peer = static_cast<std::int32_t>(random() % 65) - 1;
    step.starts = step.call == 3 && random() % 2;
    step.more_polls = step.call == 11 ? random() % 3 * 10 : 0;
    if (step.call == 8) step.tag = 0, step.peer = -1;
    body.push_back(step);
  }
  for (std::uint32_t i = 0; all.size() < steps; ++i) {
    const std::size_t inner = random() % body.size();
    for (std::size_t s = 0; s < body.size(); ++s)
      for (int times = s == inner && irregular ? static_cast<int>(random() % 4) : 1; times > 0; --times) {
        Step step = body[s];
        step.gap = 100 + random() % 50;
        step.length = 50 + random() % 10;
        step.bytes = irregular ? random() % 5000 : 8 * (1000000 - i);
        step.switched = random() % 50 == 0;
        // a further request of the same call has no time of its own
        step.continued = step.starts && times > 1;
        if (step.continued) step.gap = step.length = 0, step.switched = false;
        all.push_back(step);
      }
  }
  return all;
}

void add_with_completions(Written& to, Step step) {
  if (step.call == 5)
    for (std::uint32_t back = 0; back < std::min(3u, to.serial()); ++back)
      step.done.push_back({to.serial() - back, static_cast<std::int32_t>(back) - 1, 9, 0, step.bytes});
  to.add(step);
}

TEST(Folded, SaysWhatEventsKeptOneByOneSay) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 12; ++trial) {
    const auto steps = program(random, 20000, trial % 2);
    Written plain(false), folded(true);
    for (const Step& step : steps) add_with_completions(plain, step);
    for (const Step& step : steps) add_with_completions(folded, step);
    const Read one = read(plain.finish()), other = read(folded.finish());
    EXPECT_TRUE(one.rank.chapters.empty());
    ASSERT_FALSE(other.rank.chapters.empty());
    EXPECT_TRUE(other.rank.events.empty());
    EXPECT_TRUE(other.rank.complete) << other.losses.front().what;
    ASSERT_EQ(said(other), said(one)) << "trial " << trial;
    const auto sums = sums_by_call(one.rank, one.calls), folded_sums = sums_by_call(other.rank, other.calls);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      EXPECT_EQ(folded_sums[i].events, sums[i].events);
      EXPECT_EQ(folded_sums[i].calls, sums[i].calls);
      EXPECT_EQ(folded_sums[i].sent, sums[i].sent);
      EXPECT_EQ(folded_sums[i].sent_bytes, sums[i].sent_bytes);
      EXPECT_EQ(folded_sums[i].collective_bytes, sums[i].collective_bytes);
      EXPECT_NEAR(folded_sums[i].inside, sums[i].inside, 1 + 2 * static_cast<double>(sums[i].events));
    }
    const auto regions = regions_of(one), folded_regions = regions_of(other);
    ASSERT_EQ(folded_regions.size(), regions.size());
    for (std::size_t i = 0; i < regions.size(); ++i) {
      EXPECT_EQ(folded_regions[i].calls, regions[i].calls);
      EXPECT_EQ(folded_regions[i].messages, regions[i].messages);
      EXPECT_EQ(folded_regions[i].message_bytes, regions[i].message_bytes);
      EXPECT_EQ(folded_regions[i].collective_bytes, regions[i].collective_bytes);
      EXPECT_NEAR(folded_regions[i].inside, regions[i].inside,
                  1 + 2.0 * static_cast<double>(regions[i].calls));
      EXPECT_NEAR(folded_regions[i].compute, regions[i].compute, 1.0 * 20000);
    }
    // When all times are kept, each event is rounded to nanoseconds separately.
    EXPECT_NEAR(static_cast<double>(other.rank.total_compute), static_cast<double>(one.rank.total_compute),
                1.0 * 20000);
    EXPECT_EQ(other.rank.wall, one.rank.wall);
  }
}

/// Sites that repeat a few different events in turn for a while: up to more events, and more completions,
/// than are remembered (8 and 64).
std::vector<Step> in_turn(std::mt19937& random, std::size_t steps) {
  std::vector<std::vector<Step>> sites(3);
  const auto renew = [&random](std::vector<Step>& turn, std::uint32_t site) {
    turn.assign(1 + random() % 12, {});
    for (Step& step : turn) {
      step.site = site;
      step.call = std::vector<std::uint16_t>{3, 5, 11}[site];
      step.peer = static_cast<std::int32_t>(random() % 3);
      step.bytes = random() % 2 * 8;
      step.starts = step.call == 3 && random() % 2;
      step.more_polls = step.call == 11 && random() % 8 == 0 ? 5 : 0;
      if (step.call != 5) continue;
      const std::uint32_t completions = random() % 20 == 0 ? 70 : random() % 5;
      for (std::uint32_t i = 0; i < completions; ++i)
        step.done.push_back({i, static_cast<std::int32_t>(random() % 2), 9, 0, 8});
    }
  };
  std::vector<Step> all;
  std::vector<std::size_t> at(sites.size());
  while (all.size() < steps)
    for (std::uint32_t site = 0; site < sites.size(); ++site) {
      if (sites[site].empty() || random() % 300 == 0) renew(sites[site], site);
      all.push_back(sites[site][at[site]++ % sites[site].size()]);
    }
  return all;
}

TEST(Folded, WhatIsSaidInTurnComesBack) {
  std::mt19937 random(8);
  for (int trial = 0; trial < 8; ++trial) {
    const auto steps = in_turn(random, 20000 + random() % 20);
    Written plain(false), folded(true);
    for (Written* to : {&plain, &folded})
      for (Step step : steps) {
        for (parcast_completion& done : step.done)  // the fourth one: another thread started it later
          done.request =
              done.request == 3 ? to->serial() + 1 : to->serial() - std::min(done.request, to->serial());
        to->add(step);
      }
    const Read one = read(plain.finish()), other = read(folded.finish());
    ASSERT_FALSE(other.rank.chapters.empty());
    EXPECT_TRUE(other.rank.complete);
    ASSERT_EQ(said(other), said(one)) << "trial " << trial;
  }
}

TEST(Folded, TimesAreExactInSumAndAtTheEnds) {
  Written folded(true);
  constexpr int kRounds = 50000;
  double sum = 0;
  for (int i = 0; i < kRounds; ++i) {
    Step compute{.site = 1, .gap = 20 + 2 * static_cast<std::uint64_t>(1000 + i % 7), .length = 400};
    folded.add(compute);
    if (i > 0) sum += 1000 + i % 7;
  }
  const Read file = read(folded.finish());
  ASSERT_EQ(file.rank.chapters.size(), 1u);
  const Chapter& chapter = file.rank.chapters[0];
  ASSERT_EQ(chapter.keys.size(), 1u);
  EXPECT_EQ(chapter.keys[0].executions, 50000u);
  EXPECT_DOUBLE_EQ(chapter.keys[0].inside, 200.0 * kRounds);
  EXPECT_DOUBLE_EQ(chapter.keys[0].least, 200);
  ASSERT_EQ(chapter.transitions.size(), 2u);  // into the loop, and from round to round
  const FoldedTransition& t = chapter.transitions[1];
  EXPECT_EQ(t.count, 49999u);
  EXPECT_DOUBLE_EQ(t.time, sum);
  EXPECT_DOUBLE_EQ(t.least, 1000);
  EXPECT_DOUBLE_EQ(t.most, 1006);
  ASSERT_EQ(t.first.size(), 8u);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(t.first[static_cast<std::size_t>(i)].nanoseconds, 1000 + (i + 1) % 7);
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(t.last[static_cast<std::size_t>(i)].nanoseconds, 1000 + (kRounds - 8 + i) % 7);
  EXPECT_GT(t.samples.size(), 256u);
  EXPECT_LE(t.samples.size(), 512u);
  EXPECT_EQ(t.thinned, 7u);  // 49,999 / 2^7 = 390
  double mean = 0;
  for (const FoldedSample& s : t.samples)
    mean += static_cast<double>(s.nanoseconds) / static_cast<double>(t.samples.size());
  // values 1000 to 1006 equally often; a sample is within 0.1 %, their mean much closer
  EXPECT_NEAR(mean, 1003, 0.5);
}

TEST(Folded, KeptTimesComeBack) {
  std::mt19937 random(21);
  const auto steps = program(random, 40000, true);
  // consecutively: the clock is shared, and each begins at its zero
  const auto written = [&](bool fold) {
    Written rank(fold, 64u << 20, fold);
    for (const Step& step : steps) add_with_completions(rank, step);
    return read(rank.finish());
  };
  const Read one = written(false), other = written(true);
  ASSERT_FALSE(other.rank.chapters.empty());
  EXPECT_EQ(said(other), said(one));
  std::size_t next = 0, far = 0;
  for_each_event(other.rank, other.calls, [&](const Event& e, auto) {
    const Event& expected = one.rank.events.at(next++);
    EXPECT_FALSE(e.estimated);
    EXPECT_EQ(e.switched, expected.switched);
    if (expected.continued) return;
    // The unit is four ticks, 2 ns; both ends of a gap are rounded to it.
    far += std::abs(e.enter - expected.enter) > 2 || std::abs(e.exit - expected.exit) > 2 ||
           std::abs(e.compute - expected.compute) > 4;
  });
  EXPECT_EQ(next, one.rank.events.size());
  EXPECT_EQ(far, 0u);
}

TEST(Folded, DrawnSamplesMeetWhatComesAtRegularIntervals) {
  Written folded(true);
  for (int i = 0; i < 100000; ++i)
    folded.add({.site = 1, .gap = i % 64 == 0 ? 20u + 200000 : 20u + 2000, .length = 400});
  const Read file = read(folded.finish());
  const FoldedTransition& t = file.rank.chapters.at(0).transitions.at(1);
  const auto slow =
      std::count_if(t.samples.begin(), t.samples.end(), [](const auto& s) { return s.nanoseconds > 50000; });
  // One in 64: of n drawn at random, n / 64, plus or minus four standard deviations.
  const auto n = static_cast<double>(t.samples.size());
  EXPECT_NEAR(static_cast<double>(slow), n / 64, 4 * std::sqrt(n / 64));
}

TEST(Folded, IsWholeAtEveryMoment) {
  std::mt19937 random(7);
  const auto steps = program(random, 30000, true);
  Written plain(false), folded(true);
  std::vector<std::string> expected;
  for (const Step& step : steps) add_with_completions(plain, step);
  expected = said(read(plain.finish()));
  std::size_t next = 50;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    add_with_completions(folded, steps[i]);
    if (i != next) continue;
    next += 1 + random() % 1500;
    const Read file = read(folded.now());
    // Only the end of the process is missing.
    ASSERT_EQ(file.losses.size(), 1u) << file.losses.front().what;
    const auto got = said(file);
    ASSERT_EQ(got.size(), i + 1);
    for (std::size_t k = 0; k < got.size(); ++k)
      ASSERT_EQ(got[k], expected[k]) << "event " << k << " of " << got.size();
  }
}

TEST(Folded, DamageIsToldOrHarmless) {
  std::mt19937 random(5);
  const auto steps = program(random, 25000, false);
  Written folded(true);
  for (const Step& step : steps) add_with_completions(folded, step);
  const std::string running = folded.now(), ended = folded.finish();
  for (const std::string& good : {running, ended}) {
    const Read before = read(good);
    const auto expected = said(before);
    for (int trial = 0; trial < 100; ++trial) {
      std::string bad = good;
      bad[PARCAST_HEADER_SIZE + random() % (bad.size() - PARCAST_HEADER_SIZE)] ^=
          static_cast<char>(1u << random() % 8);
      const Read after = read(bad);
      if (after.losses.size() <= before.losses.size()) ASSERT_EQ(said(after), expected) << "trial " << trial;
    }
  }
}

TEST(Folded, AMillionRoundsTakeLittleRoom) {
  Written folded(true);
  std::mt19937 random(9);
  for (int i = 0; i < 1000000; ++i)
    for (std::uint32_t site = 1; site <= 4; ++site)
      folded.add({.site = site,
                  .gap = 2000 + random() % 1000,
                  .length = 100 + random() % 300,
                  .peer = static_cast<std::int32_t>(site),
                  .bytes = 8 * static_cast<std::uint64_t>(2000000 - i)});
  const std::string file = folded.finish();
  EXPECT_LT(file.size(), 100u << 10);
  const Read back = read(file);
  EXPECT_TRUE(back.rank.complete);
  EXPECT_EQ(event_count(back.rank), 4000000u);
  std::uint64_t events = 0, bytes = 0;
  for_each_event(back.rank, back.calls, [&](const Event& e, auto) { ++events, bytes += e.message.bytes; });
  EXPECT_EQ(events, 4000000u);
  EXPECT_EQ(bytes, 4u * 8u * (2000000ull * 1000000 - 999999ull * 1000000 / 2));
}

TEST(Folded, ShortRunsKeepTheirEvents) {
  Written folded(true);
  for (int i = 0; i < 1000; ++i) folded.add({});
  const Read file = read(folded.finish());
  EXPECT_TRUE(file.rank.chapters.empty());
  EXPECT_EQ(file.rank.events.size(), 1000u);
  EXPECT_FALSE(file.rank.events[10].estimated);
}

TEST(Folded, WhatDoesNotRepeatItselfGoesOnInChapters) {
  std::mt19937_64 random(2);
  Written plain(false, 1u << 30), folded(true, 1u << 30);
  std::vector<std::uint64_t> bytes(400000);
  for (std::uint64_t& each : bytes) each = random() >> 30;
  for (const std::uint64_t each : bytes) plain.add({.bytes = each});
  for (const std::uint64_t each : bytes) folded.add({.bytes = each});
  const Read one = read(plain.finish()), other = read(folded.finish());
  EXPECT_GT(other.rank.chapters.size(), 1u);
  EXPECT_TRUE(other.rank.complete);
  EXPECT_EQ(said(other), said(one));
}

class BeyondTheLimit : public testing::TestWithParam<std::uint64_t> {};

TEST_P(BeyondTheLimit, CountsAndSumsAreWhole) {
  std::mt19937_64 random(4);
  Written folded(true, GetParam());
  std::uint64_t sum = 0, nobody = 0;
  constexpr std::uint64_t kEvents = 600000;
  for (std::uint64_t i = 0; i < kEvents; ++i) {
    const std::uint64_t bytes = random() % 1000000;
    const std::int32_t peer = static_cast<std::int32_t>(random() % 5) - 1;
    sum += bytes;
    nobody += peer < 0;
    folded.add({.site = static_cast<std::uint32_t>(1 + random() % 3), .peer = peer, .bytes = bytes});
  }
  const std::string file = folded.finish();
  EXPECT_LE(file.size(), GetParam());
  const Read back = read(file);
  EXPECT_TRUE(back.rank.complete) << back.losses.front().what;  // all its counts are
  const auto sums = sums_by_call(back.rank, back.calls);
  EXPECT_EQ(event_count(back.rank), kEvents);
  std::uint64_t calls = 0, sent = 0, bytes = 0;
  for (const CallSums& each : sums) calls += each.calls, sent += each.sent, bytes += each.sent_bytes;
  EXPECT_EQ(calls, kEvents);
  EXPECT_EQ(sent, kEvents - nobody);
  EXPECT_EQ(bytes, sum);
  std::uint64_t visited = 0;
  const std::uint64_t missing = for_each_event(back.rank, back.calls, [&](const Event&, auto) { ++visited; });
  EXPECT_GT(missing, 0u);
  EXPECT_EQ(visited + missing, kEvents);
  EXPECT_TRUE(back.rank.summarised);
}

INSTANTIATE_TEST_SUITE_P(Bytes, BeyondTheLimit,
                         testing::Values(1u << 20, 1500000u, 2u << 20, 2600000u, 3u << 20, 5u << 20));

TEST(Folded, SamplesAreWithinAThousandth) {
  std::mt19937_64 random(8);
  EXPECT_EQ(parcast_sample_ticks(parcast_sample(0, 0)), 0);
  for (int i = 0; i < 100000; ++i) {
    const double ticks = std::exp2(static_cast<double>(random() % 6000) / 100) + 1;
    const std::uint16_t sample = parcast_sample(ticks, i % 2);
    EXPECT_NEAR(parcast_sample_ticks(sample), ticks, ticks * 0.00098);  // half of 2^-9
    EXPECT_EQ(sample >> 15, i % 2);
  }
}

}  // namespace
}  // namespace parcast::recording
