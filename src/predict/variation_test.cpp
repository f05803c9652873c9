// SPDX-License-Identifier: Apache-2.0
#include "predict/variation.h"

#include <gtest/gtest.h>

namespace parcast::predict {
namespace {

RegionTime row(double seconds, double compute, Origin origin) {
  RegionTime out;
  out.seconds.value = seconds, out.parts.compute.value = compute, out.origin = origin;
  return out;
}

TEST(CoverageOf, CommunicationHasTheOriginsOfItsRows) {
  Prediction answer;
  answer.question.point.processes = 4;
  answer.seconds.value = 10, answer.parts.compute.value = 6;
  // A row of computing that waits for 1 s, and two calls.
  answer.regions = {row(7, 6, Origin::fitted), row(2, 0, Origin::fitted), row(1, 0, Origin::ambiguous)};
  ComputingKnown computing;
  computing.shares[Origin::symbolic] = 1;
  const auto shares = coverage_of({}, computing, answer);
  EXPECT_NEAR(shares.at(Origin::symbolic), .6, 1e-12);
  EXPECT_NEAR(shares.at(Origin::exact), .1, 1e-12);
  EXPECT_NEAR(shares.at(Origin::fitted), .2, 1e-12);
  EXPECT_NEAR(shares.at(Origin::ambiguous), .1, 1e-12);
}

TEST(CoverageOf, WithoutRowsTheOrderIsExact) {
  Prediction answer;
  answer.seconds.value = 10;
  const auto shares = coverage_of({}, {}, answer);
  EXPECT_EQ(shares.at(Origin::exact), 1);
  EXPECT_EQ(shares.at(Origin::fitted), 0);
}

}  // namespace
}  // namespace parcast::predict
