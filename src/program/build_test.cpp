// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <set>

#include "program/binding.h"
#include "program/synthetic_runs.h"

namespace parcast::program {
namespace {

using recording::Recording;

// Counts of one process straight from its events.
struct Truth {
  std::map<std::string, double> calls;
  double messages = 0, bytes = 0, collective_bytes = 0;
};
Truth truth_of(const Recording& recording, const recording::RankRecording& rank) {
  Truth truth;
  for (const auto& event : rank.events) {
    const auto& call = recording.calls[event.call];
    using recording::CallClass;
    if (call.kind == CallClass::region_begin || call.kind == CallClass::region_end) continue;
    ++truth.calls[call.name];
    if (call.kind == CallClass::collective) truth.collective_bytes += static_cast<double>(event.message.bytes);
    if ((call.kind == CallClass::send_receive || call.kind == CallClass::send) && event.message.peer >= 0) {
      ++truth.messages;
      truth.bytes += static_cast<double>(event.message.bytes);
    }
  }
  return truth;
}

void expect_counts(const Model& model, const Recording& unseen) {
  const auto predicted = predict_counts(model, {unseen.parameters, unseen.processes});
  ASSERT_TRUE(predicted) << to_string(predicted.error());
  ASSERT_EQ(predicted->size(), unseen.ranks.size());
  for (const auto& rank : unseen.ranks) {
    const PredictedCounts& p = (*predicted)[static_cast<std::size_t>(rank.rank)];
    const Truth truth = truth_of(unseen, rank);
    std::map<std::string, double> calls;
    for (const auto& [name, value] : p.calls) calls[name] = value.value;
    EXPECT_EQ(calls, truth.calls) << "rank " << rank.rank << " of " << unseen.processes;
    EXPECT_EQ(p.messages_sent.value, truth.messages);
    EXPECT_EQ(p.bytes_sent.value, truth.bytes) << "rank " << rank.rank << " of " << unseen.processes;
    EXPECT_EQ(p.collective_bytes.value, truth.collective_bytes) << "rank " << rank.rank << " of " << unseen.processes;
    EXPECT_EQ(p.bytes_sent.low, p.bytes_sent.high);
  }
}

TEST(Build, ShallowWaterCountsAreExactAtUnseenSizesAndGrids) {
  std::vector<Recording> recordings;
  for (const int p : {1, 2, 3, 4, 6, 8, 9})
    for (const int n : {32, 45, 64, 100}) recordings.push_back(testing::shallow_water(n, 20, p));
  const auto model = build_model(recordings);
  ASSERT_TRUE(model) << to_string(model.error());
  for (const int p : {16, 25})
    for (const int n : {50, 128}) expect_counts(*model, testing::shallow_water(n, 20, p));
}

TEST(Build, GaussianEliminationCountsAreExactAtUnseenSizes) {
  std::vector<Recording> recordings;
  for (const int p : {1, 2, 3, 4, 6, 8, 9})
    for (const int n : {24, 36, 48, 65}) recordings.push_back(testing::gauss(n, p));
  const auto model = build_model(recordings);
  ASSERT_TRUE(model) << to_string(model.error());
  EXPECT_NEAR(model->share_by_origin.at("exact"), 1, 1e-9);
  for (const int p : {16, 25}) expect_counts(*model, testing::gauss(50, p));
}

}  // namespace
}  // namespace parcast::program
