// SPDX-License-Identifier: Apache-2.0
// Warnings when tables and links are used beyond their measured ranges.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "predict/equation/equation.h"
#include "predict/model_builder.h"

namespace parcast::predict {
namespace {

using namespace by_hand;
using program::PeerRelation;
using program::Synchronisation;
using recording::CallClass;
using recording::Pattern;

machine::Machine with_table() {
  machine::Machine m = simple_machine(2e-6, 3e-7, 1e-9);
  add_table(m, Pattern::allreduce, "log2", 4e-6, 1.5e-6, 3e-10, 0);
  return m;
}

// Returns the warnings about use beyond the measured range.
std::vector<std::string> gone_beyond(const program::Model& model, const machine::Machine& m,
                                     const Question& q) {
  std::vector<std::string> out;
  const auto answer = equation_engine().predict(model, m, q);
  EXPECT_TRUE(answer) << (answer ? "" : to_string(answer.error()));
  if (!answer) return out;
  for (const Warning& w : answer->warnings)
    if (w.code == "beyond-table") out.push_back(w.text);
  return out;
}

TEST(BeyondMeasured, SizesAndSubcommunicatorsBeyondATableAreSaidOnceInTheSimulationsWords) {
  machine::Machine m = with_table();
  m.patterns[0].points = {{2, 8, 1e-5, 0, 10}, {16, 1000, 1e-5, 0, 10}};
  const auto said = [&](const Expression& members, const Expression& bytes, int processes) {
    Builder b("calls");
    b.add_parameter("n", {64, 128});
    b.model.processes = {2, 4};
    for (int i = 0; i < 2; ++i)
      b.node(b.collective(0, "MPI_Allreduce", Pattern::allreduce, Synchronisation::global, 10, bytes))
          .members = exact(members);
    return gone_beyond(b.model, m, ask(processes, {{"n", 100}}));
  };
  const auto once = testing::ElementsAre(
      "allreduce was measured on paper for up to 16 processes and 1000 bytes, and is taken to go on in a "
      "straight line");
  EXPECT_THAT(said(p(), 10 * parameter("n"), 16), testing::IsEmpty());  // 1000 bytes
  EXPECT_THAT(said(p(), 10 * parameter("n") + 1, 16), once);
  EXPECT_THAT(said(p() / 2, 8, 32), testing::IsEmpty());  // 16 of 32
  EXPECT_THAT(said(p() / 2, 8, 34), once);
  EXPECT_THAT(said(p(), 60 * r(), 16), testing::IsEmpty());  // the slowest rank is the last: 900 bytes
  EXPECT_THAT(said(p(), 70 * r(), 16), once);                // 1050
}

TEST(BeyondMeasured, MessagesBeyondTheLinksLargestMeasuredOneAreSaidOnce) {
  machine::Machine m = with_table();
  machine::PatternCost messages;
  messages.name = "message-network";
  messages.points = {{2, 8, 3e-6, 0, 10}, {2, 4096, 7e-6, 0, 10}};
  m.patterns.push_back(messages);
  Builder b("ring");
  b.add_parameter("n", {64, 128});
  b.model.processes = {2, 4};
  for (int i = 0; i < 2; ++i)
    b.message(0, "MPI_Sendrecv", CallClass::send_receive, PeerRelation::offset_ring, {1}, 3,
              8 * parameter("n"));
  EXPECT_THAT(gone_beyond(b.model, m, ask(16, {{"n", 512}})), testing::IsEmpty());
  EXPECT_THAT(gone_beyond(b.model, m, ask(16, {{"n", 513}})),
              testing::ElementsAre("messages over the network link were measured on paper for up to 4096 "
                                   "bytes, and are taken to go on in a straight line"));
  // no message to another process
  EXPECT_THAT(gone_beyond(b.model, m, ask(1, {{"n", 513}})), testing::IsEmpty());
}

}  // namespace
}  // namespace parcast::predict
