// SPDX-License-Identifier: Apache-2.0
// Models of complete recordings: parameters from their command lines, several threads per process, model
// files.
#include <gtest/gtest.h>

#include <algorithm>

#include "build_model/build.h"
#include "model/model_file.h"
#include "observations/arguments.h"
#include "observations/testing/synthetic_runs.h"

namespace parcast::program {
namespace {

using recording::Recording;

TEST(Arguments, RunsThatDifferInThemAloneAreNoRepetitions) {
  std::vector<Recording> recordings;
  for (const int n : {10, 20, 40}) {
    recordings.push_back(testing::record("app", {}, 1, [&](testing::Tape& tape) {
      for (int i = 0; i < n; ++i)
        tape.compute(1e-3),
            tape.collective("MPI_Barrier", 1, recording::Pattern::barrier, recording::kNoPeer, 0);
    }));
    recordings.back().digest += std::to_string(n);
    recordings.back().ranks[0].command = {"./app", "-n", std::to_string(n)};
  }
  take_arguments(recordings);
  const auto model = build_model(recordings);
  ASSERT_TRUE(model) << to_string(model.error());
  ASSERT_EQ(model->parameters.size(), 1u);
  const auto barrier =
      std::ranges::find_if(model->nodes, [](const Node& node) { return node.label == "MPI_Barrier"; });
  ASSERT_NE(barrier, model->nodes.end());
  EXPECT_EQ(symbolic::to_text(barrier->executions.expression), "n");
}

TEST(Traces, AModelOfThreadsTakesTheTimeOfTheRunAndSaysSo) {
  const auto model = build_model({testing::two_threads()});
  ASSERT_TRUE(model.ok());
  double all = 0;
  for (const Segment& segment : model->segments) {
    ASSERT_TRUE(segment.executions.expression.is_number());
    if (segment.to != kNone && model->nodes[static_cast<std::size_t>(segment.to)].label == "MPI_Barrier") {
      EXPECT_TRUE((segment.executions.expression - 1).is_zero());
    }
    all += segment.share;
  }
  EXPECT_NEAR(all, 1, 1e-9);
  EXPECT_TRUE(std::ranges::any_of(model->notices,
                                  [](const Notice& notice) { return notice.code == "several-threads"; }));
}

TEST(ModelFile, ModelsOfWholeProgramsAreReadAsTheyWereWritten) {
  std::vector<std::vector<recording::Recording>> programs(3);
  for (const int p : {1, 2, 4})
    for (const int n : {16, 24, 32}) programs[0].push_back(testing::shallow_water(n, 20, p, 0.05));
  for (const int n : {10, 20, 30, 40}) programs[1].push_back(testing::gauss(n, 2, 0.1));
  programs[2].push_back(testing::gauss(12, 3));
  for (const auto& recordings : programs) {
    const auto model = build_model(recordings);
    ASSERT_TRUE(model);
    const std::string json = to_json(*model);
    const auto read = model_from_json(json, "whole.model.json");
    ASSERT_TRUE(read) << to_string(read.error());
    EXPECT_EQ(to_json(*read), json);
  }
}

}  // namespace
}  // namespace parcast::program
