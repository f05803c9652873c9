// SPDX-License-Identifier: Apache-2.0
// Messages of a process to itself pass no link: rings of one process, and grids one process wide.
#include <gtest/gtest.h>

#include <algorithm>

#include "predict/equation/equation.h"
#include "predict/model_builder.h"

namespace parcast::predict {
namespace {

using namespace by_hand;
using program::NodeId;
using program::PeerRelation;
using recording::CallClass;

constexpr double kLatency = 2e-6, kOverhead = 3e-7, kGap = 1e-9;
const double kMessage = 2 * kOverhead + kLatency + 64 * kGap;

Prediction predict(const Builder& b, std::int32_t processes) {
  Question question;
  question.point.processes = processes;
  question.ranks_per_node = 1;
  const auto result = equation_engine().predict(b.model, simple_machine(kLatency, kOverhead, kGap), question);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : to_string(result.error()));
  return result.ok() ? result.value() : Prediction{};
}

bool says_so(const Prediction& p) {
  return std::ranges::any_of(p.warnings, [](const Warning& w) { return w.code == "own-messages"; });
}

Builder ring(std::int64_t distance) {
  Builder b;
  b.model.processes = {1, 2, 4};
  b.message(b.loop(0, 100), "MPI_Sendrecv", CallClass::send_receive, PeerRelation::offset_ring, {distance},
            100, 64);
  return b;
}

TEST(OwnMessages, OfARingOfOneCostNothing) {
  for (const std::int64_t distance : {1, -1}) {
    EXPECT_EQ(predict(ring(distance), 1).seconds.value, 0);
    EXPECT_TRUE(says_so(predict(ring(distance), 1)));
    EXPECT_NEAR(predict(ring(distance), 2).seconds.value, 100 * kMessage, 1e-12);
    EXPECT_FALSE(says_so(predict(ring(distance), 2)));
  }
}

TEST(OwnMessages, OnceRoundTheRingAndBackTooWhateverTheDistance) {
  for (const auto& [processes, own] :
       {std::pair(1, true), {2, true}, {3, false}, {4, false}, {5, false}, {6, false}})
    EXPECT_NEAR(predict(ring(2), processes).seconds.value, own ? 0 : 100 * kMessage, 1e-12) << processes;
  EXPECT_EQ(predict(ring(-6), 3).seconds.value, 0);
}

TEST(OwnMessages, AlongASideOfAGridThatIsOneProcessWide) {
  // MPI_Dims_create returns 2 x 1, 2 x 2, 3 x 1 processes.
  Builder b;
  b.model.processes = {1, 2, 4};
  b.model.grids = {{.dimensions = 2, .periodic = {true, true}}};
  const NodeId loop = b.loop(0, 100);
  b.message(loop, "MPI_Sendrecv", CallClass::send_receive, PeerRelation::grid_shift, {0, 1, 2, 1}, 100, 64);
  b.message(loop, "MPI_Sendrecv", CallClass::send_receive, PeerRelation::grid_shift, {1, 1, 2, 1}, 100, 64);
  EXPECT_EQ(predict(b, 1).seconds.value, 0);
  EXPECT_NEAR(predict(b, 2).seconds.value, 100 * kMessage, 1e-12);
  EXPECT_NEAR(predict(b, 3).seconds.value, 100 * kMessage, 1e-12);
  EXPECT_NEAR(predict(b, 4).seconds.value, 200 * kMessage, 1e-12);
}

TEST(OwnMessages, OfAWaitThatTakesInSomeThoseOfOthers) {
  Builder b;
  b.model.processes = {1, 2, 4};
  b.model.grids = {{.dimensions = 2, .periodic = {true, true}}};
  const NodeId loop = b.loop(0, 100);
  for (const std::int64_t dimension : {0, 1})
    b.message(loop, "MPI_Irecv", CallClass::start_receive, PeerRelation::grid_shift, {dimension, -1, 2, 1},
              100, 64);
  for (const std::int64_t dimension : {0, 1})
    b.message(loop, "MPI_Isend", CallClass::start_send, PeerRelation::grid_shift, {dimension, 1, 2, 1}, 100,
              64);
  b.message(loop, "MPI_Waitall", CallClass::wait, PeerRelation::none, {}, 100, 128);
  EXPECT_EQ(predict(b, 1).seconds.value, 0);
  EXPECT_NEAR(predict(b, 2).seconds.value, 100 * kMessage, 1e-12);
  EXPECT_NEAR(predict(b, 4).seconds.value, 200 * kMessage - 100 * kLatency, 1e-12);  // two at a time
}

}  // namespace
}  // namespace parcast::predict
