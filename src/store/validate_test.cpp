// SPDX-License-Identifier: Apache-2.0
#include "store/validate.h"

#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "store/instant.h"
#include "store/test_nouns.h"

namespace parcast::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Validate : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = Store::open(folder_.file("s.db"));
    ASSERT_TRUE(opened);
    store_ = std::make_unique<Store>(std::move(*opened));
  }
  void keep(const predict::Prediction& prediction) {
    ASSERT_TRUE(store_->add_prediction(prediction, small_model(prediction.program),
                                       small_machine(prediction.machine)));
  }
  Result<Validation> run(const std::string& csv, const ValidateOptions& options = {}) {
    return validate(*store_, folder_.write("runs.csv", csv), options);
  }
  std::string failure(const std::string& csv, const ValidateOptions& options = {}) {
    const auto result = run(csv, options);
    return result ? "no error" : to_string(result.error());
  }

  Folder folder_;
  std::unique_ptr<Store> store_;
};

TEST_F(Validate, ComparesTheMedianOfRepeatsWithThePrediction) {
  keep(small_prediction(256, 4, 10));  // interval 9 .. 11
  keep(small_prediction(512, 4, 40));  // interval 36 .. 44
  const auto result =
      run("program,N,p,seconds,measured_at\n"
          "wave,256,4,8,2999-01-01T00:00:02Z\n"
          "wave,512,4,50,2999-01-01T00:00:05Z\n"
          "wave,256,4,9.5,2999-01-01T00:00:01Z\n"
          "wave,256,4,30,2999-01-01T00:00:03Z\n");
  ASSERT_TRUE(result) << to_string(result.error());
  ASSERT_EQ(result->points.size(), 2u);
  const ValidatedPoint& first = result->points[0];
  EXPECT_EQ(first.runs, 3);
  EXPECT_EQ(first.measured, 9.5);
  EXPECT_EQ(first.fastest, 8);
  EXPECT_EQ(first.slowest, 30);
  EXPECT_NEAR(first.error, 0.5 / 9.5, 1e-15);
  EXPECT_TRUE(first.hit);
  EXPECT_EQ(first.measured_at, "2999-01-01T00:00:01Z");
  EXPECT_FALSE(result->points[1].hit);
  EXPECT_DOUBLE_EQ(result->points[1].error, -0.2);
  EXPECT_EQ(result->all.points, 2);
  EXPECT_EQ(result->all.runs, 4);
  EXPECT_DOUBLE_EQ(result->all.worst_error, 0.2);
  EXPECT_DOUBLE_EQ(result->all.median_error, (0.2 + 0.5 / 9.5) / 2);
  EXPECT_DOUBLE_EQ(result->all.p90_error, 0.5 / 9.5 + 0.9 * (0.2 - 0.5 / 9.5));
  EXPECT_DOUBLE_EQ(result->all.mean_error, (-0.2 + 0.5 / 9.5) / 2);
  EXPECT_DOUBLE_EQ(result->all.coverage, 0.5);
  EXPECT_DOUBLE_EQ(result->all.level, 0.9);
  // Widths are 2 / 9.5 and 8 / 50. The second interval misses by 6 of 50, times 2 / 0.1.
  EXPECT_NEAR(result->all.width, (2 / 9.5 + 8.0 / 50) / 2, 1e-12);
  EXPECT_NEAR(result->all.interval_score, (2 / 9.5 + 8.0 / 50 + 20 * 6.0 / 50) / 2, 1e-12);
  EXPECT_EQ(store_->list("measurements")->size(), 4u);
}

TEST_F(Validate, RefusesAMeasurementOlderThanItsPrediction) {
  keep(small_prediction(256, 4, 10));
  const std::string stored = store_->list("predictions")->at(0).stored_at;
  const std::string text =
      failure("N,p,seconds,measured_at\n256,4,9.5,2999-01-01T00:00:01Z\n256,4,9.6,2001-01-01T00:00:01Z\n");
  EXPECT_THAT(text, HasSubstr("runs.csv:3: error: the run was measured at 2001-01-01T00:00:01Z"));
  EXPECT_THAT(text, HasSubstr("was stored later, at " + stored));
  EXPECT_THAT(text, HasSubstr("--published"));
  EXPECT_EQ(store_->list("measurements")->size(), 0u);
}

TEST_F(Validate, PublishedDataNeedNoTime) {
  keep(small_prediction(256, 4, 10));
  EXPECT_THAT(failure("N,p,seconds\n256,4,9.5\n"),
              HasSubstr("runs.csv:2: error: the row has no measured_at"));
  const auto result = run("N,p,seconds\n256,4,9.5\n", {.published = true});
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->points[0].hit);
  EXPECT_TRUE(run("N,p,seconds,measured_at\n256,4,9.5,2001-01-01\n", {.published = true}));
}

TEST_F(Validate, ASecondWithoutFractionMayHoldThePrediction) {
  keep(small_prediction(256, 4, 10));
  const std::string second = store_->list("predictions")->at(0).stored_at.substr(0, 19);
  EXPECT_TRUE(run("N,p,seconds,measured_at\n256,4,9.5," + second + "Z\n"));
  EXPECT_THAT(failure("N,p,seconds,measured_at\n256,4,9.5," + second + ".000000Z\n"),
              HasSubstr("was stored later"));
}

TEST_F(Validate, TheLastPredictionBeforeTheFirstRunCounts) {
  keep(small_prediction(256, 4, 10));
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const std::string between = to_string(now());
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  keep(small_prediction(256, 4, 20));
  const auto early =
      run("N,p,seconds,measured_at\n256,4,9.5,2999-01-01T00:00:00Z\n256,4,9.5," + between + "\n");
  ASSERT_TRUE(early) << to_string(early.error());
  EXPECT_EQ(early->points[0].predicted, 10);
  const auto late = run("N,p,seconds,measured_at\n256,4,9.5,2999-01-01T00:00:00Z\n");
  ASSERT_TRUE(late);
  EXPECT_EQ(late->points[0].predicted, 20);
}

TEST_F(Validate, PointsWithoutPredictionAreListed) {
  keep(small_prediction(256, 4, 10));
  const auto result =
      run("N,p,seconds,measured_at\n256,4,9.5,2999-01-01\n256,8,5,2999-01-01\n256,8,6,2999-01-01\n");
  ASSERT_TRUE(result);
  ASSERT_EQ(result->unanswered.size(), 1u);
  EXPECT_EQ(result->unanswered[0].line, 3);
  EXPECT_EQ(result->unanswered[0].runs, 2);
  EXPECT_EQ(result->unanswered[0].processes, 8);
  EXPECT_THAT(failure("N,p,seconds,measured_at\n257,4,9.5,2999-01-01\n"),
              HasSubstr("the last one stored is of wave on here at p = 4, N = 256"));
}

TEST_F(Validate, SeveralAnswersToOneRowAskForTheMissingColumn) {
  keep(small_prediction(256, 4, 10));
  keep(small_prediction(512, 4, 40));
  EXPECT_THAT(failure("p,seconds,measured_at\n4,9.5,2999-01-01\n"), HasSubstr("differ in N: 256 and 512"));
  keep(small_prediction(256, 4, 10, "wave", "there"));
  EXPECT_THAT(failure("N,p,seconds,measured_at\n256,4,9.5,2999-01-01\n"),
              HasSubstr("differ in machine: here and there"));
  EXPECT_TRUE(run("N,p,seconds,measured_at\n256,4,9.5,2999-01-01\n", {.machine = "there"}));
  EXPECT_TRUE(run("N,machine,p,seconds,measured_at\n256,there,4,9.5,2999-01-01\n"));
  keep(small_prediction(256, 4, 10, "heat", "there"));
  EXPECT_THAT(failure("N,machine,p,seconds,measured_at\n256,there,4,9.5,2999-01-01\n"),
              HasSubstr("add a column program"));
}

TEST_F(Validate, ProgramsAreAveragedAsProgramsNotAsPoints) {
  keep(small_prediction(1, 1, 10, "wave"));
  keep(small_prediction(2, 1, 10, "wave"));
  keep(small_prediction(3, 1, 10, "wave"));
  keep(small_prediction(1, 1, 10, "heat"));
  const auto result =
      run("program,N,p,seconds,measured_at\nwave,1,1,8,2999-01-01\nwave,2,1,8,2999-01-01\nwave,3,1,8,2999-01-"
          "01\nheat,1,1,10,2999-01-01\n");
  ASSERT_TRUE(result) << to_string(result.error());
  ASSERT_EQ(result->programs.size(), 2u);
  EXPECT_EQ(result->programs[0].program, "heat");
  EXPECT_DOUBLE_EQ(result->programs[1].median_error, 0.25);
  EXPECT_DOUBLE_EQ(result->all.median_error, 0.25);
  EXPECT_DOUBLE_EQ(result->mean_of_programs, 0.125);
}

TEST_F(Validate, UnknownColumnsAreSaidAndNearOnesRefused) {
  keep(small_prediction(256, 4, 10));
  const auto result = run("N,p,seconds,measured_at,remark\n256,4,9.5,2999-01-01,\"quiet, warm\"\n");
  ASSERT_TRUE(result) << to_string(result.error());
  EXPECT_THAT(result->notes,
              ElementsAre(HasSubstr("column remark is no parameter"), HasSubstr("was read as UTC")));
  EXPECT_THAT(failure("n,p,seconds,measured_at\n256,4,9.5,2999-01-01\n"), HasSubstr("did you mean N?"));
  EXPECT_THAT(failure("N,p,second,measured_at\n256,4,9.5,2999-01-01\n"),
              HasSubstr("there is no column seconds"));
}

TEST_F(Validate, BadValuesNameTheirRow) {
  keep(small_prediction(256, 4, 10));
  const auto with = [&](const std::string& row) {
    return failure("N,processes,seconds,measured_at\n256,4,9,2999-01-01T00:00:00Z\n" + row + "\n");
  };
  EXPECT_THAT(with("256,4,fast,2999-01-01"),
              HasSubstr("runs.csv:3: error: seconds is \"fast\", which is not a number"));
  EXPECT_THAT(with("256,4,0,2999-01-01"), HasSubstr("runs.csv:3: error: seconds is 0, but must be positive"));
  EXPECT_THAT(with("256,4.5,1,2999-01-01"), HasSubstr("processes is 4.5, but must be a whole number"));
  EXPECT_THAT(with("big,4,1,2999-01-01"), HasSubstr("N is \"big\", which is not a number"));
  EXPECT_THAT(with("256,4,1,soon"), HasSubstr("runs.csv:3: error: measured_at: \"soon\" is not a time"));
  EXPECT_EQ(with("256,4,1,2999-01-01T00:00:00Z"), "no error");
}

TEST_F(Validate, RunningItAgainKeepsEachRunOnce) {
  keep(small_prediction(256, 4, 10));
  const std::string csv =
      "N,p,seconds,measured_at\n256,4,9.5,2999-01-01T00:00:00Z\n256,4,9.5,2999-01-01T00:00:00Z\n";
  ASSERT_TRUE(run(csv));
  ASSERT_TRUE(run(csv));
  EXPECT_EQ(store_->list("measurements")->size(), 2u);
}

TEST(Summarize, NoPointsGiveAnEmptySummary) {
  EXPECT_EQ(summarize({}).points, 0);
}

}  // namespace
}  // namespace parcast::store
