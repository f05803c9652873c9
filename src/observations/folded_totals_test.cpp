// SPDX-License-Identifier: Apache-2.0
// Compares traces of folded events with traces of the same events unfolded one by one.
#include "observations/folded_totals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "recording/cycle.h"
#include "recording/sample_rank.h"
#include "recording/unfold.h"

namespace parcast::program {
namespace {

using recording::Extra;
using recording::RankRecording;
using recording::Recording;
using recording::SampleRank;

constexpr std::int32_t kProcesses = 6;

struct Kind {
  std::uint16_t number;
  parcast_call_class call_class;
  parcast_pattern pattern;
  const char* name;
};
const std::vector<Kind> kKinds{{20, PARCAST_CLASS_send, PARCAST_PATTERN_none, "MPI_Ssend"},
                               {21, PARCAST_CLASS_receive, PARCAST_PATTERN_none, "MPI_Recv"},
                               {22, PARCAST_CLASS_collective, PARCAST_PATTERN_broadcast, "MPI_Bcast"},
                               {23, PARCAST_CLASS_collective, PARCAST_PATTERN_scatter, "MPI_Scatter"},
                               {24, PARCAST_CLASS_start_send, PARCAST_PATTERN_none, "MPI_Startall"},
                               {25, PARCAST_CLASS_one_sided, PARCAST_PATTERN_none, "MPI_Get_accumulate"},
                               {26, PARCAST_CLASS_test, PARCAST_PATTERN_none, "MPI_Test"},
                               {27, PARCAST_CLASS_wait, PARCAST_PATTERN_none, "MPI_Waitall"}};

/// Returns a run of many rounds in which roots advance, partners vary, polls repeat and requests complete.
Recording folded_run(unsigned seed, bool roots_advance) {
  std::mt19937 random(seed);
  const recording::Scratch scratch;
  SampleRank rank(scratch / "rank-0.rec", 0, kProcesses);
  for (const Kind& kind : kKinds)
    parcast_put_call(&rank.writer, &rank.stream, kind.number, static_cast<std::uint8_t>(kind.call_class),
                     static_cast<std::uint8_t>(kind.pattern), kind.name);
  const std::int32_t members[] = {0, 2, 4};
  parcast_put_communicator(&rank.writer, &rank.stream, 1, members, 3, nullptr, 0, 0);
  parcast_put_region(&rank.writer, &rank.stream, 1, 0, "solve");
  rank.writer.ticks_per_nanosecond = 2;
  parcast_stream events{};
  parcast_cycle_begin(&events, 0);
  const auto both = [](std::int32_t sent, std::uint64_t out, std::int32_t received, std::uint64_t in) {
    auto words = SampleRank::message(sent, 0, out);
    const auto more = SampleRank::message(received, 0, in);
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  constexpr std::uint8_t kBoth = PARCAST_HAS_MESSAGE | PARCAST_HAS_RECEIVED;
  for (int round = 0; round < 3000; ++round) {
    const std::int32_t root =
        roots_advance ? (round + 2) % kProcesses : static_cast<std::int32_t>(random() % kProcesses);
    const std::uint8_t first = round == 0 ? PARCAST_HAS_COMPUTE : 0;
    // none, a rank, or one outside the run
    const auto to = static_cast<std::int32_t>(random() % (kProcesses + 2)) - 1;
    Extra send{static_cast<std::uint8_t>(PARCAST_HAS_MESSAGE | first),
               SampleRank::message(to < kProcesses ? to : recording::kOutside, 3, random() % 900)};
    if (first) send.words.push_back(0);
    rank.event(20, 100 + random() % 9, 50, send, 0, round % 2, 0, &events);
    rank.event(21, 30, 50, {PARCAST_HAS_RECEIVED, SampleRank::message(round % 5, 3, 16)}, 0, 0, round % 2,
               &events);
    rank.event(22, 30, 50, {kBoth, both(root, root ? 0 : 64, -1, root ? 64 : 0)}, 0, 0, 0, &events);
    rank.event(23, 30, 50, {kBoth, both(1, 0, -1, 24)}, 0, 0, 1, &events);
    for (int k = 0; k < 3; ++k)
      rank.event(24, k ? 0 : 30, k ? 0 : 50,
                 {static_cast<std::uint8_t>(PARCAST_HAS_MESSAGE | (k ? PARCAST_CONTINUED : 0)),
                  SampleRank::message(k, 3, 40)},
                 0, 0, 0, &events);
    const bool put = random() % 2;
    rank.event(25, 30, 50, {kBoth, both(put ? 3 : -1, put ? 8 : 0, 4, 8)}, 0, 0, 0, &events);
    for (std::uint32_t polls = random() % 3; polls > 0; --polls) rank.event(26, 30, 50, {}, 0, 0, 0, &events);
    rank.completions({{1, 2, 0, 0, 100}, {2, -1, 0, 0, 0}, {3, recording::kOutside, 0, 0, random() % 50}},
                     &events);
    rank.event(27, 30, 50, {}, 0, 0, 0, &events);
  }
  parcast_set_live(&rank.writer, PARCAST_LIVE_FINALISED, SampleRank::now);
  parcast_writer_close(&rank.writer, &events);
  Recording recording;
  recording.processes = kProcesses;
  auto read = recording::read_rank(recording::slurp(scratch / "rank-0.rec"), "rank-0.rec", recording.calls,
                                   recording.losses);
  EXPECT_TRUE(read);
  if (read) recording.ranks.push_back(std::move(*read));
  return recording;
}

Recording unfolded(const Recording& folded) {
  Recording plain = folded;
  for (std::size_t i = 0; i < plain.ranks.size(); ++i) {
    RankRecording& rank = plain.ranks[i];
    rank.chapters.clear();
    recording::for_each_event(
        folded.ranks[i], folded.calls, [&](const recording::Event& event, auto completions) {
          rank.events.push_back(event);
          rank.events.back().first_completion = static_cast<std::uint32_t>(rank.completions.size());
          rank.completions.insert(rank.completions.end(), completions.begin(), completions.end());
        });
  }
  return plain;
}

void expect_equal(const CallTotals& a, const CallTotals& b, const std::string& name) {
  EXPECT_EQ(a.executions, b.executions) << name;
  EXPECT_EQ(a.messages, b.messages) << name;
  EXPECT_EQ(a.bytes, b.bytes) << name;
  EXPECT_EQ(a.received_bytes, b.received_bytes) << name;
  EXPECT_EQ(a.collective_bytes, b.collective_bytes) << name;
  EXPECT_EQ(a.least_members, b.least_members) << name;
  EXPECT_EQ(a.most_members, b.most_members) << name;
  EXPECT_EQ(a.peers, b.peers) << name;
  EXPECT_EQ(a.roots_advance, b.roots_advance) << name;
  EXPECT_EQ(a.first_root, b.first_root) << name;
  EXPECT_NEAR(a.seconds, b.seconds, 1e-6) << name;
}

TEST(FoldedTotals, EqualThoseOfTheEventsUnfolded) {
  for (const unsigned seed : {1u, 2u, 3u, 4u}) {
    const Recording folded = folded_run(seed, seed % 2);
    ASSERT_FALSE(folded.ranks.at(0).chapters.empty());
    for (const recording::Loss& loss : folded.losses) ADD_FAILURE() << loss.what;
    EXPECT_TRUE(folded.ranks[0].chapters[0].ordered);
    const Recording plain = unfolded(folded);
    ASSERT_EQ(plain.ranks[0].events.size(), recording::event_count(folded.ranks[0]));
    const Traces one = reduce({plain}, {0}), other = reduce({folded}, {0});
    ASSERT_EQ(one.keys.size(), other.keys.size());
    ASSERT_EQ(one.transitions.size(), other.transitions.size());
    // Numbers follow the order of first occurrence in both.
    for (std::size_t k = 0; k < one.keys.size(); ++k) {
      ASSERT_EQ(one.keys[k].name, other.keys[k].name);
      ASSERT_EQ(one.keys[k].path, other.keys[k].path);
      expect_equal(other.traces[0].calls.at(static_cast<std::int32_t>(k)),
                   one.traces[0].calls.at(static_cast<std::int32_t>(k)), one.keys[k].name);
    }
    EXPECT_EQ(one.traces[0].visits, other.traces[0].visits);
    std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> traversals[2];
    const Traces* both[] = {&one, &other};
    for (int i = 0; i < 2; ++i)
      for (const auto& [id, totals] : both[i]->traces[0].transitions) {
        const Transition& t = both[i]->transitions[static_cast<std::size_t>(id)];
        traversals[i][{t.from, t.to}] = totals.traversals;
      }
    EXPECT_EQ(traversals[0], traversals[1]);
    const auto bcast = std::find_if(other.keys.begin(), other.keys.end(),
                                    [](const CallKey& key) { return key.name == "MPI_Bcast"; });
    EXPECT_EQ(other.traces[0].calls.at(static_cast<std::int32_t>(bcast - other.keys.begin())).roots_advance,
              seed % 2 == 1);
  }
}

}  // namespace
}  // namespace parcast::program
