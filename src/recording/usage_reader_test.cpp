// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "recording/cycle.h"
#include "recording/sample_rank.h"

namespace parcast::recording {
namespace {

std::string text_of(const Read& read) {
  if (!read.rank) return "";
  std::string text;
  for (const Usage& u : read.rank->usage)
    for (const std::uint64_t value :
         {std::uint64_t{u.thread}, std::uint64_t{u.region}, u.samples, u.minor_faults, u.major_faults,
          u.voluntary_switches, u.involuntary_switches, u.peak_memory, u.peak_growth, u.cycles.value_or(1),
          u.instructions.value_or(1), u.cache_misses.value_or(1)})
      text += std::to_string(value) + ' ';
  return text;
}

// after the block of definitions
constexpr std::uint64_t kUsageBlock = PARCAST_HEADER_SIZE + PARCAST_BLOCK_SIZE;
constexpr std::uint64_t kFirstPlace = kUsageBlock + sizeof(parcast_block_header);

std::uint64_t value_at(std::uint64_t place, parcast_used what) {
  return kFirstPlace + place * sizeof(parcast_usage) + offsetof(parcast_usage, values) +
         sizeof(parcast_twin) * what;
}

/// Regions 2 and 1 of threads 0 and 1; each value is 100 x place + its own number.
std::string sample_file(bool ended = true, std::uint64_t counters = 0, std::uint32_t regions = 2) {
  const Scratch scratch;
  SampleRank rank(scratch / "rank-0.rec");
  parcast_put_region(&rank.writer, &rank.stream, 1, 0, "solve");
  parcast_put_region(&rank.writer, &rank.stream, 2, 1, "halo");
  parcast_set_live(&rank.writer, PARCAST_LIVE_COUNTERS, counters);
  parcast_usage_places places[2] = {};
  std::uint64_t number = 0;
  for (std::uint32_t thread = 0; thread < 2; ++thread)
    for (std::uint32_t region = regions; region > 0; --region, number += 100) {
      parcast_usage* place = parcast_usage_place(&rank.writer, &places[thread], thread, region);
      EXPECT_NE(place, nullptr);
      EXPECT_EQ(parcast_usage_place(&rank.writer, &places[thread], thread, region), place);
      for (int i = 0; place && i < PARCAST_USED_COUNT; ++i) {
        parcast_set_usage(place, static_cast<parcast_used>(i), 5);
        parcast_add_usage(place, static_cast<parcast_used>(i), number + static_cast<std::uint64_t>(i) - 5);
      }
    }
  for (parcast_usage_places& each : places) parcast_room_clear(&each.room);
  rank.event(3, 100, 10, {PARCAST_HAS_COMPUTE, {0}});
  if (ended) rank.finish();
  return slurp(scratch / "rank-0.rec");
}

TEST(UsageReader, GivesBackWhatWasWrittenByThreadAndRegion) {
  const Read file = read(sample_file());
  ASSERT_TRUE(file.rank);
  EXPECT_TRUE(file.losses.empty()) << file.losses.front().what;
  ASSERT_EQ(file.rank->usage.size(), 4u);
  const std::pair<int, std::uint32_t> order[] = {{0, 1}, {0, 2}, {1, 1}, {1, 2}};
  const std::uint64_t first_value[] = {100, 0, 300, 200};
  for (std::size_t i = 0; i < 4; ++i) {
    const Usage& usage = file.rank->usage[i];
    EXPECT_EQ(usage.thread, order[i].first);
    EXPECT_EQ(file.rank->regions[usage.region], order[i].second == 1 ? "solve" : "solve/halo");
    EXPECT_EQ(usage.samples, first_value[i]);
    EXPECT_EQ(usage.minor_faults, first_value[i] + 1);
    EXPECT_EQ(usage.peak_growth, first_value[i] + 6);
    EXPECT_FALSE(usage.cycles || usage.instructions || usage.cache_misses);
  }
  const Read counted = read(sample_file(true, 5));
  EXPECT_EQ(counted.rank->usage[0].cycles, 107u);
  EXPECT_FALSE(counted.rank->usage[0].instructions);
  EXPECT_EQ(counted.rank->usage[0].cache_misses, 109u);
}

TEST(UsageReader, MorePlacesThanABlockHolds) {
  const Read file = read(sample_file(true, 0, 400));
  ASSERT_TRUE(file.rank);
  EXPECT_EQ(file.rank->usage.size(), 800u);
  ASSERT_EQ(file.losses.size(), 1u);  // only two regions have a name
  EXPECT_NE(file.losses[0].what.find("the regions of 796 sums"), std::string::npos) << file.losses[0].what;
}

TEST(UsageReader, AFlippedBitIsDetectedOrChangesNothing) {
  const std::string whole = sample_file(true, 7);
  const std::string truth = text_of(read(whole));
  ASSERT_EQ(whole.size(), kFirstPlace + 4 * sizeof(parcast_usage));
  for (std::uint64_t bit = 8 * kUsageBlock; bit < 8 * whole.size(); ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    const Read file = read(damaged);
    ASSERT_TRUE(file.rank);
    if (file.losses.empty())
      ASSERT_EQ(text_of(file), truth) << "bit " << bit % 8 << " of byte " << bit / 8 - kUsageBlock;
  }
}

TEST(UsageReader, AProcessThatWasKilledLeavesAtMostOneValueBehindItsTwin) {
  std::string bytes = sample_file(false);
  const std::size_t others = read(bytes).losses.size();  // no MPI_Finalize
  bytes[value_at(1, PARCAST_USED_MINOR_FAULTS)] = 127;   // was 101
  const Read torn = read(bytes);
  ASSERT_EQ(torn.rank->usage.size(), 4u);
  EXPECT_EQ(torn.rank->usage[0].minor_faults, 101u);
  EXPECT_EQ(torn.losses.size(), others);
  bytes[value_at(1, PARCAST_USED_VOLUNTARY)] = 1;  // no process leaves this
  const Read damaged = read(bytes);
  EXPECT_EQ(damaged.rank->usage.size(), 3u);
  EXPECT_EQ(damaged.losses.size(), others + 1);
}

TEST(UsageReader, AFileCutInThePlacesGivesThoseThatAreWhole) {
  const std::string whole = sample_file();
  for (std::uint64_t length = kFirstPlace; length <= kFirstPlace + 4 * sizeof(parcast_usage); ++length) {
    const Read cut = read(std::string_view(whole).substr(0, length));
    ASSERT_TRUE(cut.rank);
    ASSERT_EQ(cut.rank->usage.size(), (length - kFirstPlace) / sizeof(parcast_usage)) << length;
    ASSERT_EQ(cut.losses.empty(), length == whole.size()) << length;
  }
}

/// The end of a folded file after the newest edition is returned, but not these places.
TEST(UsageReader, PlacesMadeAtTheEndOfAFoldedRunStay) {
  const Scratch scratch;
  SampleRank rank(scratch / "rank-0.rec");
  parcast_stream events{};
  parcast_cycle_begin(&events, 0);
  const auto add = [&](int count) {
    for (int i = 0; i < count; ++i)
      rank.event(3, 100, 10, {PARCAST_HAS_MESSAGE, SampleRank::message(1, 7, 8)}, 0, 0, 0, &events);
  };
  rank.event(3, 100, 10, {PARCAST_HAS_MESSAGE | PARCAST_HAS_COMPUTE, {1, 0, 0}}, 0, 0, 0, &events);
  add(9000);
  parcast_usage_places places{};
  parcast_usage* place = parcast_usage_place(&rank.writer, &places, 0, 0);
  ASSERT_NE(place, nullptr);
  parcast_add_usage(place, PARCAST_USED_MINOR_FAULTS, 42);
  add(500);
  parcast_set_live(&rank.writer, PARCAST_LIVE_FINALISED, SampleRank::now);
  parcast_writer_close(&rank.writer, &events);
  parcast_room_clear(&places.room);
  const Read file = read(slurp(scratch / "rank-0.rec"));
  ASSERT_TRUE(file.rank);
  EXPECT_FALSE(file.rank->chapters.empty());  // events were folded
  for (const Loss& loss : file.losses) ADD_FAILURE() << loss.what;
  ASSERT_EQ(file.rank->usage.size(), 1u);
  EXPECT_EQ(file.rank->usage[0].minor_faults, 42u);
}

TEST(UsageReader, WithoutRoomInTheFileThereIsNoPlace) {
  const Scratch scratch;
  SampleRank rank(scratch / "rank-0.rec", 0, 4, 10e-9, PARCAST_HEADER_SIZE + 2 * PARCAST_BLOCK_SIZE);
  parcast_usage_places places{};
  std::size_t had = 0;
  for (std::uint32_t region = 0; region < 1000; ++region)
    had += parcast_usage_place(&rank.writer, &places, 0, region) != nullptr;
  EXPECT_EQ(had, (PARCAST_BLOCK_SIZE - sizeof(parcast_block_header)) / sizeof(parcast_usage));
  parcast_room_clear(&places.room);
  EXPECT_TRUE(rank.event(3, 100, 10, {PARCAST_HAS_COMPUTE, {0}}));  // events continue
  rank.finish();
  const Read file = read(slurp(scratch / "rank-0.rec"));
  // the regions have no names here
  for (const Loss& loss : file.losses)
    EXPECT_NE(loss.what.find("the regions of"), std::string::npos) << loss.what;
  EXPECT_EQ(file.rank->usage.size(), had);
}

}  // namespace
}  // namespace parcast::recording
