// SPDX-License-Identifier: Apache-2.0
#include "report/fit_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace parcast::report {
namespace {

using testing::HasSubstr;
using testing::Not;

fit::Fits some_fits() {
  fit::Fits fits{{"p"}, {}, {"line 3 was left out"}, 0.9};
  for (int k = 0; k < 12; ++k) {
    fit::KernelFit kernel;
    kernel.callpath = "main->part" + std::to_string(k);
    kernel.metric = "time";
    kernel.unit = "s";
    kernel.expression = "2.000 p";
    kernel.tier = Origin::fitted;
    kernel.validation_error = 0.021;
    kernel.predictions = {{{64}, 10.0 + k, 9, 30, 2, false}};
    kernel.warnings = {"p has 3 values"};
    fits.kernels.push_back(kernel);
  }
  fits.kernels[11].regime = fit::Break{"p", 8, 16, 1, 2, 0.005};
  return fits;
}

TEST(FitText, TheLargestComeFirstAndTheRestIsCounted) {
  const std::string text = fit_text(some_fits(), {}, false);
  EXPECT_LT(text.find("main->part11"), text.find("main->part10"));
  EXPECT_THAT(text, HasSubstr("21.0 s"));
  EXPECT_THAT(text, HasSubstr("2.1 %"));
  EXPECT_THAT(text, Not(HasSubstr("main->part1 ")));
  EXPECT_THAT(text, HasSubstr("... 2 more, --all"));
  EXPECT_THAT(fit_text(some_fits(), {}, true), HasSubstr("main->part1 "));
}

TEST(FitText, AWarningOfAllKernelsIsSaidOnce) {
  const std::string text = fit_text(some_fits(), {}, false);
  EXPECT_THAT(text, HasSubstr("  ! p has 3 values\n"));
  EXPECT_EQ(text.find("p has 3 values"), text.rfind("p has 3 values"));
  EXPECT_THAT(text, HasSubstr("the growth changes between p = 8 and 16"));
  EXPECT_THAT(text, HasSubstr("line 3 was left out"));
}

TEST(FitText, ABreakSaysWhatFollowsFromIt) {
  fit::Fits fits = some_fits();
  fits.kernels[11].regime->followed = true;
  EXPECT_THAT(fit_text(fits, {}, false), HasSubstr("rest on the points beyond alone"));
  fits.kernels[11].regime->followed = false;
  fits.kernels[11].regime->missing = 1;
  EXPECT_THAT(fit_text(fits, {}, true), HasSubstr("); measure at 1 more"));
  EXPECT_EQ(nlohmann::json::parse(fit_to_json(fits))["kernels"][11]["break"]["values_missing"], 1);
}

TEST(FitText, AMeanOverRanksStandsBesideTheLargest) {
  fit::Fits fits = some_fits();
  EXPECT_THAT(fit_text(fits, {}, true), Not(HasSubstr("largest rank")));
  fits.kernels.resize(2);
  fits.kernels[1].metric = "time_max";
  fits.kernels[1].largest_of = "time";
  fits.kernels[0].largest = "time_max";
  fits.kernels[0].predictions[0].largest = fit::Range{47, 41, 53};
  const std::string text = fit_text(fits, {}, true);
  EXPECT_THAT(text, HasSubstr("mean rank"));
  EXPECT_THAT(text, HasSubstr("largest rank"));
  EXPECT_THAT(text, HasSubstr("47.0 s"));
  EXPECT_THAT(text, HasSubstr("a run waits for its slowest rank"));
  const auto json = nlohmann::json::parse(fit_to_json(fits));
  EXPECT_EQ(json["kernels"][0]["largest_rank_metric"], "time_max");
  EXPECT_EQ(json["kernels"][0]["predictions"][0]["largest_rank"]["high"], 53);
  EXPECT_EQ(json["kernels"][1]["largest_rank_of"], "time");
  EXPECT_FALSE(json["kernels"][1]["predictions"][0].contains("largest_rank"));
}

TEST(FitText, CsvHasALinePerPrediction) {
  fit::Fits fits = some_fits();
  fits.kernels.resize(1);
  EXPECT_EQ(fit_csv(fits),
            "callpath,metric,unit,p,value,low,high,level,origin,cross_validation_error,expression\n"
            "main->part0,time,s,64,10,9,30,0.9,fitted,0.021,2.000 p\n");
}

TEST(FitText, JsonHasWhatTheContractSays) {
  const auto json = nlohmann::json::parse(fit_to_json(some_fits()));
  EXPECT_EQ(json["schema"], "parcast.fit/1");
  const auto& kernel = json["kernels"][11];
  EXPECT_EQ(kernel["callpath"], "main->part11");
  EXPECT_EQ(kernel["tier"], "fitted");
  EXPECT_EQ(kernel["cross_validation_error"], 0.021);
  EXPECT_EQ(kernel["predictions"][0]["parameters"]["p"], 64);
  EXPECT_EQ(kernel["predictions"][0]["high"], 30);
  EXPECT_EQ(kernel["break"]["first_after"], 16);
  EXPECT_TRUE(json["kernels"][0]["break"].is_null());
}

}  // namespace
}  // namespace parcast::report
