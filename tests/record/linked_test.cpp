// SPDX-License-Identifier: Apache-2.0
// A program into which the recorder and then its MPI library are linked.
#include <gtest/gtest.h>

#include "launch.h"

namespace parcast::record_tests {
namespace {

#ifdef PARCAST_LINKED_PROGRAM

TEST(Linked, AProgramWithItsMpiInsideIsRecorded) {
  const Scratch scratch;
  const Job job{2, PARCAST_LINKED_PROGRAM " 500", "PARCAST_OUT=" + (scratch / "run").string(), "", kMpich};
  const Outcome outcome = run_plain(scratch, job);  // nothing is preloaded
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
  const auto recording = recorded(scratch);
  ASSERT_TRUE(recording) << to_string(recording.error());
  EXPECT_TRUE(recording->losses.empty());
  ASSERT_EQ(recording->ranks.size(), 2u);
  for (const recording::RankCounts& rank : recording::count(*recording)) {
    auto calls = rank.calls;
    for (const char* call : {"MPI_Irecv", "MPI_Isend", "MPI_Waitall"})
      EXPECT_EQ(calls[call], 2u * 4u * 500u) << call;
    EXPECT_EQ(calls["MPI_Barrier"], 1u);
    EXPECT_EQ(rank.messages_sent, 4000u);
    EXPECT_EQ(rank.bytes_sent, 16000u);
  }
  EXPECT_NE(recording->mpi_library.find("MPICH"), std::string::npos);
}

TEST(Linked, WithoutPlaceForARecordingItIsAsWithoutTheRecorder) {
  const Scratch scratch;
  const Outcome outcome = run_plain(scratch, {2, PARCAST_LINKED_PROGRAM " 500", "", "", kMpich});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_FALSE(fs::exists(scratch / "run"));
}

/// Preloaded as well, as by `parcast record`: only the linked recorder records.
TEST(Linked, TheRecorderInsideIsTheOneThatRecords) {
  const Scratch scratch;
  const Outcome outcome = run_recorded(scratch, {2, PARCAST_LINKED_PROGRAM " 500", "", "", kMpich});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
  const auto recording = recorded(scratch);
  ASSERT_TRUE(recording) << to_string(recording.error());
  EXPECT_TRUE(recording->losses.empty());
  EXPECT_EQ(recording::count(*recording).at(1).calls.at("MPI_Isend"), 4000u);
}

#endif

}  // namespace
}  // namespace parcast::record_tests
