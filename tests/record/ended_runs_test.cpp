// SPDX-License-Identifier: Apache-2.0
// Real programs that end although a receive was cancelled, a thread waited while another sent, sends were
// buffered, or recording was off on one side. The traces of their recordings end, too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launch.h"
#include "trace/from_recording.h"
#include "trace/rehearsal.h"

namespace parcast::record_tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using trace::Kind;
using trace::Mode;

class EndedRuns : public testing::TestWithParam<Mpi> {
 protected:
  /// Returns the trace of two ranks that end in that way.
  trace::FromRecording traced(const std::string& way) {
    const Scratch scratch;
    const Outcome outcome =
        run_recorded(scratch, {2, program("ended", GetParam()) + " " + way, "", "", GetParam()});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    const auto recording = recorded(scratch);
    if (!recording) return ADD_FAILURE(), trace::FromRecording{};
    auto made = trace::from_recording(*recording, trace::Matching::arrival, trace::Rehearsed::all);
    EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
    return made ? std::move(*made) : trace::FromRecording{};
  }
};

/// Returns the operations of rank 1 except collectives.
std::vector<std::pair<Kind, Mode>> words_of(const trace::Trace& of) {
  std::vector<std::pair<Kind, Mode>> out;
  for (trace::Walker walker(of.sequences[of.sequence_of[1]]); walker.next();) {
    if (walker.item().what() != trace::Item::What::operation) continue;
    const trace::Operation& operation = of.operations[walker.item().index()];
    if (operation.kind != Kind::collective) out.emplace_back(operation.kind, operation.mode);
  }
  return out;
}

void expect_end(const trace::FromRecording& made) {
  EXPECT_THAT(made.missing, IsEmpty());
  const std::vector<trace::RankLanes> one_thread(2);
  EXPECT_THAT(trace::rehearse(made.trace, one_thread).missing, IsEmpty());
}

constexpr auto kStandard = Mode::standard;

TEST_P(EndedRuns, AReceiveThatWasCancelledIsNone) {
  for (const char* way : {"cancelled", "freed"}) {
    const trace::FromRecording made = traced(way);
    expect_end(made);
    EXPECT_THAT(words_of(made.trace),
                ElementsAre(std::pair(Kind::start_receive, kStandard), std::pair(Kind::start_send, kStandard),
                            std::pair(Kind::wait, kStandard)))
        << way;
  }
}

TEST_P(EndedRuns, PersistentSendsHaveTheirModes) {
  const trace::FromRecording buffered = traced("buffered"), synchronous = traced("synchronous");
  expect_end(buffered);
  EXPECT_THAT(words_of(buffered.trace),
              ElementsAre(std::pair(Kind::start_send, Mode::buffered), std::pair(Kind::wait, kStandard),
                          std::pair(Kind::receive, kStandard)));
  expect_end(synchronous);
  EXPECT_THAT(words_of(synchronous.trace),
              ElementsAre(std::pair(Kind::start_send, Mode::synchronous),
                          std::pair(Kind::start_send, kStandard), std::pair(Kind::receive, kStandard),
                          std::pair(Kind::receive, kStandard), std::pair(Kind::wait, kStandard)));
}

TEST_P(EndedRuns, AThreadMayWaitWhileAnotherSends) {
  expect_end(traced("threads"));
}

TEST_P(EndedRuns, WhereRecordingWasOffItIsSaid) {
  const trace::FromRecording made = traced("off");
  EXPECT_THAT(made.missing,
              ElementsAre(HasSubstr(
                  "on rank 1 from rank 0: recording was off on rank 0 (MPI_Pcontrol); it is taken as come")));
  EXPECT_THAT(words_of(made.trace), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Families, EndedRuns, testing::ValuesIn(families()),
                         [](const auto& each) { return name_of(each.param); });

}  // namespace
}  // namespace parcast::record_tests
