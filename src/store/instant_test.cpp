// SPDX-License-Identifier: Apache-2.0
#include "store/instant.h"

#include <gtest/gtest.h>

namespace parcast::store {
namespace {

std::string read_back(std::string_view text) {
  const auto time = parse_time(text);
  return time ? to_string(time->earliest) : "error";
}

// Expected values from `date -u -d @N`.
TEST(Instant, PrintsKnownSecondsSinceTheEpoch) {
  EXPECT_EQ(to_string(Instant{0}), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(to_string(Instant{1'000'000'000'000'000}), "2001-09-09T01:46:40.000000Z");
  EXPECT_EQ(to_string(Instant{951'782'400'000'001}), "2000-02-29T00:00:00.000001Z");
  EXPECT_EQ(to_string(Instant{-1}), "1969-12-31T23:59:59.999999Z");
}

TEST(Instant, ReadsWhatItPrints) {
  for (const std::int64_t moment : {0LL, 1'795'250'147'123'456LL, -86'400'000'001LL}) {
    const auto time = parse_time(to_string(Instant{moment}));
    ASSERT_TRUE(time);
    EXPECT_EQ(time->earliest.microseconds, moment);
    EXPECT_EQ(time->latest.microseconds, moment);
    EXPECT_TRUE(time->zoned);
  }
}

TEST(Instant, OffsetsLeadToUtc) {
  EXPECT_EQ(read_back("2026-11-21T08:35:47+01:00"), "2026-11-21T07:35:47.000000Z");
  EXPECT_EQ(read_back("2026-11-21T23:35:47.5-0530"), "2026-11-22T05:05:47.500000Z");
  EXPECT_EQ(read_back("2026-11-21 08:35:47,25z"), "2026-11-21T08:35:47.250000Z");
  EXPECT_EQ(read_back("2026-11-21T08:35+02"), "2026-11-21T06:35:00.000000Z");
}

TEST(Instant, WithoutFractionAnyMomentOfTheSecondIsMeant) {
  const auto time = parse_time("2026-11-21T08:35:47");
  ASSERT_TRUE(time);
  EXPECT_FALSE(time->zoned);
  EXPECT_EQ(time->latest.microseconds - time->earliest.microseconds, 999'999);
  const auto day = parse_time("2026-11-21");
  ASSERT_TRUE(day);
  EXPECT_EQ(day->earliest, day->latest);
}

TEST(Instant, RefusesWhatIsNoTime) {
  for (const char* text :
       {"", "yesterday", "2026-13-01", "2026-02-29", "2026-11-21T", "2026-11-21T25:00", "2026-11-21T08:60:00",
        "2026-11-21T08:35:47.", "2026-11-21T08:35:47X", "2026-11-21T08:35:47Z+1", "21.11.2026", "1795250147"})
    EXPECT_EQ(read_back(text), "error") << text;
}

TEST(Instant, NowIsAfterThisWasWritten) {
  EXPECT_GT(to_string(now()), "2026-01-01");
}

}  // namespace
}  // namespace parcast::store
