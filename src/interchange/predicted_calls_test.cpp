// SPDX-License-Identifier: Apache-2.0
#include "interchange/predicted_calls.h"

#include <gtest/gtest.h>

#include <array>

#include "predict/simulate/simulate.h"

namespace parcast::interchange {
namespace {

using trace::Item;
using trace::Kind;

class Heard : public PredictedCalls {
 public:
  using PredictedCalls::PredictedCalls;
  std::vector<PredictedCall> calls;
  std::vector<std::pair<Time, Time>> ends;

 protected:
  void call(const PredictedCall& call) override { calls.push_back(call); }
  void rank_ended(std::int32_t, Time idle_from, Time at) override { ends.emplace_back(idle_from, at); }
};

simulate::Platform platform() {
  simulate::Platform made;
  made.links = {{.latency = 1000, .send_overhead = 10, .receive_overhead = 20}};
  return made;
}

std::vector<PredictedCall> heard(const trace::Trace& trace, std::int32_t of_rank) {
  Heard heard(trace);
  const std::array<simulate::Observer*, 1> observers{&heard};
  EXPECT_TRUE(simulate::simulate(trace, platform(), simulate::Trust::none, observers));
  heard.finish();
  std::vector<PredictedCall> calls;
  for (const PredictedCall& call : heard.calls)
    if (call.rank == of_rank) calls.push_back(call);
  return calls;
}

/// Two ranks. Rank 1 receives 8 bytes from rank 0 and sends 16 bytes back in one exchange; rank 0 starts both
/// and waits.
trace::Trace exchange() {
  trace::Trace trace;
  trace.ranks = 2;
  trace.places = {{"main", "", "a.c", 3, "MPI_Isend"},
                  {"main", "", "a.c", 4, "MPI_Irecv"},
                  {"main", "", "a.c", 5, "MPI_Waitall"},
                  {"main", "", "a.c", 9, "MPI_Sendrecv"}};
  trace.request_sets = {{1, 2}};
  trace.operations = {
      {.kind = Kind::start_send, .peer = 1, .tag = 7, .bytes = 8, .place = 0},
      {.kind = Kind::start_receive, .peer = trace::kAny, .tag = trace::kAny, .bytes = 64, .place = 1},
      {.kind = Kind::wait, .requests = 0, .place = 2},
      {.kind = Kind::start_receive, .peer = -1, .tag = 7, .bytes = 8, .place = 3},
      {.kind = Kind::start_send, .peer = -1, .tag = 5, .bytes = 16, .place = 3},
      {.kind = Kind::wait, .requests = 0, .place = 3}};
  trace.sequences = {{Item::operation(0), Item::compute(50), Item::operation(1), Item::operation(2)},
                     {Item::compute(100), Item::operation(3), Item::operation(4), Item::operation(5)}};
  trace.sequence_of = {0, 1};
  return trace;
}

TEST(PredictedCalls, AnExchangeIsOneCallWithBothItsMessages) {
  const auto calls = heard(exchange(), 1);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].call->name, "MPI_Sendrecv");
  EXPECT_EQ(calls[0].idle_from, 0);
  EXPECT_EQ(calls[0].from, 100);
  EXPECT_EQ(calls[0].to, 1010 + 20);  // the message left at 10 and arrived at 1010
  EXPECT_EQ(calls[0].waiting, 1010 - 110);
  EXPECT_EQ(calls[0].sent.peer, 0);
  EXPECT_EQ(calls[0].sent.bytes, 16u);
  EXPECT_EQ(calls[0].received.peer, 0);
  EXPECT_EQ(calls[0].received.tag, 7);
  EXPECT_EQ(calls[0].received.bytes, 8u);
  EXPECT_TRUE(calls[0].begun.empty());
  EXPECT_TRUE(calls[0].completed.empty());
}

TEST(PredictedCalls, AWaitSaysWhatCame) {
  const auto calls = heard(exchange(), 0);
  ASSERT_EQ(calls.size(), 3u);
  ASSERT_EQ(calls[1].begun.size(), 1u);
  EXPECT_EQ(calls[1].begun[0].number, 2u);
  EXPECT_EQ(calls[1].begun[0].message.peer, recording::kAnySource);
  EXPECT_EQ(calls[1].idle_from, 10);
  EXPECT_EQ(calls[1].from, 60);
  ASSERT_EQ(calls[2].completed.size(), 2u);
  EXPECT_FALSE(calls[2].completed[0].receive);
  EXPECT_EQ(calls[2].completed[1].message.peer, 1);
  EXPECT_EQ(calls[2].completed[1].message.tag, 5);
  EXPECT_EQ(calls[2].completed[1].message.bytes, 16u);
  EXPECT_EQ(calls[2].messages_in, heard(exchange(), 1)[0].messages_out);
}

TEST(PredictedCalls, WhoHangsIsInItsCallUntilTheLastMomentOfTheRun) {
  trace::Trace trace = exchange();
  trace.sequences[1] = {Item::compute(100)};
  const auto calls = heard(trace, 0);
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_FALSE(calls[2].finished);
  EXPECT_EQ(calls[2].from, 60);
  EXPECT_EQ(calls[2].to, 100);
}

TEST(PredictedCalls, OperationsWithoutAPlaceGetThePlainestName) {
  trace::Trace trace;
  const std::array<std::pair<trace::Operation, std::string_view>, 5> expected{
      {{{.kind = Kind::send, .mode = trace::Mode::synchronous}, "MPI_Ssend"},
       {{.kind = Kind::start_receive}, "MPI_Irecv"},
       {{.kind = Kind::wait}, "MPI_Waitall"},
       {{.kind = Kind::collective, .pattern = recording::Pattern::scan}, "MPI_Scan"},
       {{.kind = Kind::receive}, "MPI_Recv"}}};
  for (const auto& [operation, name] : expected) EXPECT_EQ(predicted_call(trace, operation).name, name);
  // A nonblocking collective is completed by the wait, so it does not get its own name.
  trace.places = {{"", "", "", 0, "MPI_Iallreduce"}};
  EXPECT_EQ(
      predicted_call(trace, {.kind = Kind::collective, .pattern = recording::Pattern::allreduce, .place = 0})
          .name,
      "MPI_Allreduce");
}

}  // namespace
}  // namespace parcast::interchange
