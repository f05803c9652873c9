// SPDX-License-Identifier: Apache-2.0
// Receives and probes of a real program that depend on chance, in its recording and in the trace made from
// it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launch.h"
#include "recording/unfold.h"
#include "trace/from_recording.h"

namespace parcast::record_tests {
namespace {

using namespace recording;
using ::testing::HasSubstr;
using trace::Kind;
using trace::Matching;
using Lines = std::vector<std::string>;

std::string asked(bool source, bool tag) {
  return source && tag ? "anything" : source ? "any source" : tag ? "any tag" : "named";
}

/// Returns the calls of rank 0 that received, or that found a message, with their arguments.
Lines asked_by(const Recording& recording) {
  Lines lines;
  for_each_event(recording.ranks[0], recording.calls, [&](const Event& event, std::span<const Completion>) {
    const Call& call = recording.calls[event.call];
    const bool receives = call.kind == CallClass::receive || call.kind == CallClass::send_receive ||
                          call.kind == CallClass::start_receive;
    const bool found =
        call.kind == CallClass::probe || (call.kind == CallClass::poll && event.received.peer != kNoPeer);
    if (receives || found)
      lines.push_back(call.name + " " + asked(asks_any_source(call, event), asks_any_tag(call, event)));
  });
  return lines;
}

/// Returns the receives and probes of rank 0.
Lines looks_of(const trace::Trace& trace) {
  Lines lines;
  for (trace::Walker walker(trace.sequences[trace.sequence_of[0]]); walker.next();) {
    if (walker.item().what() != trace::Item::What::operation) continue;
    const trace::Operation& operation = trace.operations[walker.item().index()];
    if (!trace::looks_for_envelope(operation.kind)) continue;
    lines.push_back((operation.kind == Kind::probe     ? "probe "
                     : operation.kind == Kind::receive ? "receive "
                                                       : "start receive ") +
                    asked(operation.peer == trace::kAny, operation.tag == trace::kAny));
  }
  return lines;
}

Lines twice(const Lines& each) {
  Lines all = each;
  all.insert(all.end(), each.begin(), each.end());
  return all;
}

Lines joined(std::initializer_list<Lines> parts) {
  Lines all;
  for (const Lines& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

class Wildcards : public testing::TestWithParam<Mpi> {};

TEST_P(Wildcards, AreRecordedAndMatchedAsTheyArrive) {
  const Scratch scratch;
  const Outcome outcome = run_recorded(scratch, {3, program("wildcards", GetParam()), "", "", GetParam()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
  const auto recording = recorded(scratch);
  ASSERT_TRUE(recording);
  EXPECT_EQ(asked_by(*recording),
            joined({twice({"MPI_Probe anything", "MPI_Recv named"}), twice({"MPI_Recv any source"}),
                    twice({"MPI_Recv any tag"}), twice({"MPI_Recv named"}), twice({"MPI_Sendrecv anything"}),
                    twice({"MPI_Mprobe any source", "MPI_Mrecv named"}),
                    twice({"MPI_Iprobe any source", "MPI_Recv named"}), twice({"MPI_Irecv any source"})}));
  const auto made = trace::from_recording(*recording);
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_TRUE(trace::check(made->trace));
  EXPECT_EQ(looks_of(made->trace),
            joined({twice({"probe anything", "receive anything"}), twice({"receive any source"}),
                    twice({"receive any tag"}), twice({"receive named"}), twice({"start receive anything"}),
                    twice({"probe any source", "receive any source"}), twice({"receive any source"}),
                    twice({"start receive any source"})}));
  EXPECT_THAT(made->trace.assumptions,
              ::testing::Contains(HasSubstr("18 receives and probes from any source or with any tag")));
  EXPECT_THAT(made->trace.assumptions, ::testing::Not(::testing::Contains(HasSubstr("blocking receive"))));
  const auto as_recorded = trace::from_recording(*recording, Matching::recorded);
  ASSERT_TRUE(as_recorded);
  for (const std::string& line : looks_of(as_recorded->trace)) EXPECT_THAT(line, HasSubstr("named"));
}

INSTANTIATE_TEST_SUITE_P(Families, Wildcards, testing::ValuesIn(families()),
                         [](const auto& each) { return name_of(each.param); });

}  // namespace
}  // namespace parcast::record_tests
