// SPDX-License-Identifier: Apache-2.0
// Counts sessions of known start times, by hand.
#include "observations/sessions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parcast::program {
namespace {

using testing::HasSubstr;

struct Made {
  std::string started;
  std::int32_t processes = 1;
};

struct Case {
  std::vector<recording::Recording> recordings;
  std::vector<Run> runs;
  Sessions sessions() const { return program::sessions(recordings, runs); }
};

Case made(const std::vector<Made>& all, bool on_virtual = true) {
  Case out;
  for (const Made& each : all) {
    out.recordings.emplace_back();
    out.recordings.back().started = each.started;
    out.recordings.back().virtual_machine = on_virtual;
    out.runs.push_back({{64}, each.processes});
  }
  return out;
}

TEST(Sessions, AreApartBySoManySecondsAtOnePoint) {
  const Sessions close =
      made({{"2026-03-01T23:55:00Z"}, {"2026-03-02T00:05:00Z"}, {"2026-03-01T23:50:00Z"}}).sessions();
  EXPECT_EQ(close.most, 1u) << "600 s are not enough";
  EXPECT_EQ(close.seconds, 900);
  EXPECT_EQ(made({{"2026-03-01T23:55:00Z"}, {"2026-03-02T00:05:01Z"}}).sessions().most, 2u);
  EXPECT_EQ(made({{"2026-03-01T10:00:00Z"}, {"2026-03-02T10:00:00Z", 2}, {"2026-03-03T10:00:00Z", 4}})
                .sessions()
                .most,
            1u)
      << "no run was repeated";
  EXPECT_EQ(made({{"2026-03-01T10:00:00Z"},
                  {"2026-03-01T11:00:00Z", 2},
                  {"2026-03-01T12:00:00Z", 2},
                  {"2026-03-01T13:00:00Z", 2}})
                .sessions()
                .most,
            3u);
}

TEST(Sessions, WhereStartsAreNotKnownThereIsNone) {
  const Sessions none = made({{""}, {"yesterday"}}).sessions();
  EXPECT_EQ(none.most, 0u);
  EXPECT_DOUBLE_EQ(unseen_deviation(none), kVirtualDeviation);
  EXPECT_THAT(unseen_notice(none, 2)->text, HasSubstr("2 recordings within 1 min, on a virtual machine"));
}

TEST(Sessions, EachOneMoreTakesAThirdOfWhatIsAssumed) {
  const std::vector<Made> all{{"2026-03-01T10:00:00Z"},
                              {"2026-03-01T11:00:00Z"},
                              {"2026-03-01T12:00:00Z"},
                              {"2026-03-01T13:00:00Z"},
                              {"2026-03-01T14:00:00Z"}};
  const double expected[] = {.15, .1, .05, 0, 0};
  for (std::size_t count = 1; count <= all.size(); ++count)
    EXPECT_NEAR(
        unseen_deviation(made({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)}).sessions()),
        expected[count - 1], 1e-15)
        << count;
  EXPECT_FALSE(unseen_notice(made(all).sessions(), all.size()));
}

TEST(Sessions, ProcessorsOfOnesOwnHaveNothingUnseen) {
  const Sessions own = made({{"2026-03-01T10:00:00Z"}}, false).sessions();
  EXPECT_EQ(unseen_deviation(own), 0);
  EXPECT_FALSE(unseen_notice(own, 1));
}

TEST(Sessions, TheNoticeSaysWhatIsAssumed) {
  EXPECT_EQ(unseen_notice(made({{"2026-03-01T10:00:00Z"}}).sessions(), 1)->text,
            "one recording, on a virtual machine: how much slower or faster its host is at other times is "
            "not known, and intervals assume a standard deviation of 15 % for it");
  EXPECT_EQ(unseen_notice(made({{"2026-03-01T10:00:00Z"}, {"2026-03-01T13:30:00Z"}}).sessions(), 2)->text,
            "2 recordings within 3.5 h, the same run at 2 sessions at most, on a virtual machine: how much "
            "slower or faster its host is at other times is hardly known, and intervals assume a standard "
            "deviation of 10 % for it");
}

}  // namespace
}  // namespace parcast::program
