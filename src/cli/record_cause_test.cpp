// SPDX-License-Identifier: Apache-2.0
#include "cli/record_cause.h"

#include <gmock/gmock.h>

#include <cerrno>

namespace parcast::cli {
namespace {

using testing::HasSubstr;

const std::error_code kRoom;

Launch launch(const std::string& classes = "") {
  return {{"mpirun", "-n", "8", "./app"}, "/lib/r.so", "/runs/.app.x", classes};
}

recording::Recording one_rank() {
  recording::Recording recording;
  recording.processes = 1;
  recording.ranks.resize(1);
  return recording;
}

TEST(RecordCause, AFailedLaunchLineIsToldFromAProgramWithoutMpi) {
  const Error failed = why_nothing_was_recorded(launch(), 1, kRoom, nullptr);
  EXPECT_EQ(failed.what, "the launch line ended with exit code 1 before any process was recorded");
  EXPECT_EQ(failed.where, "mpirun -n 8 ./app");
  EXPECT_THAT(why_nothing_was_recorded(launch(), 0, kRoom, nullptr).what,
              HasSubstr("the program does not use MPI"));
}

TEST(RecordCause, WhatClearsThePreloadIsNamed) {
  Launch cleared = launch();
  cleared.command = {"mpirun", "-n", "2", "env", "-i", "./my app"};
  const Error ended = why_nothing_was_recorded(cleared, 0, kRoom, nullptr);
  EXPECT_EQ(ended.what, "no process was recorded: env -i clears LD_PRELOAD");
  EXPECT_EQ(ended.where, "mpirun -n 2 env -i './my app'");
  EXPECT_THAT(ended.hint, HasSubstr("write parcast record behind it"));
  EXPECT_THAT(why_nothing_was_recorded(cleared, 1, kRoom, nullptr).hint,
              HasSubstr("env -i clears LD_PRELOAD"));
  EXPECT_THAT(why_nothing_was_recorded(launch(), 0, kRoom, nullptr).what, HasSubstr("clears LD_PRELOAD"));
}

TEST(RecordCause, AFullFileSystemIsNamed) {
  for (const int code : {ENOSPC, EDQUOT}) {
    const Error full = why_nothing_was_recorded(launch(), 0, {code, std::generic_category()}, nullptr);
    EXPECT_EQ(full.what, "nothing was recorded: no space is left on the file system of /runs");
  }
  const std::error_code other(EMFILE, std::generic_category());
  EXPECT_THAT(why_nothing_was_recorded(launch(), 0, other, nullptr).what, HasSubstr("does not use MPI"));
}

TEST(RecordCause, ProcessesWithoutEventsLackRegionsOrSayWhatWasLost) {
  recording::Recording recording = one_rank();
  EXPECT_FALSE(holds_events(recording));
  EXPECT_THAT(why_nothing_was_recorded(launch("user"), 0, kRoom, &recording).what,
              HasSubstr("no region was recorded"));
  EXPECT_EQ(why_nothing_was_recorded(launch("user,mpi"), 0, kRoom, &recording).what, "no event was recorded");
  recording.losses = {{"rank-0.rec: 9 events were not kept"}};
  EXPECT_EQ(why_nothing_was_recorded(launch(), 0, kRoom, &recording).what,
            "no event was recorded: rank-0.rec: 9 events were not kept");
  recording.ranks[0].events.emplace_back();
  EXPECT_TRUE(holds_events(recording));
  recording.ranks[0].events.clear();
  recording.ranks[0].phases.emplace_back();
  EXPECT_TRUE(holds_events(recording));
  recording.ranks[0].phases.clear();
  recording.ranks[0].counted.sets.emplace_back();
  EXPECT_TRUE(holds_events(recording));
}

}  // namespace
}  // namespace parcast::cli
