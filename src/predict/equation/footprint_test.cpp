// SPDX-License-Identifier: Apache-2.0
#include "predict/equation/footprint.h"

#include <gtest/gtest.h>

namespace parcast::predict {
namespace {

/// Returns a fit of bytes over n and p with these terms, recorded up to n = 100 and p = 4.
program::Residence bytes_of(std::vector<statistics::GrowthTerm> terms, double residual = 0) {
  program::Residence out;
  out.arguments = {symbolic::symbol("n", symbolic::SymbolKind::parameter),
                   symbolic::symbol("p", symbolic::SymbolKind::processes)};
  out.growth.arguments = {"n", "p"};
  out.growth.ranges = {{10, 100, 3}, {1, 4, 3}};
  out.growth.residual_relative_error = residual;
  statistics::GrowthHypothesis hypothesis;
  hypothesis.weight = 1;
  hypothesis.terms = std::move(terms);
  out.growth.hypotheses.push_back(std::move(hypothesis));
  return out;
}

double at(const program::Model& model, double n, double p) {
  const auto bytes = footprint_of(model);
  return bytes ? symbolic::evaluate(*bytes, {{"n", n}, {"p", p}}).value() : -1;
}

TEST(Footprint, IsThePartThatFollowsTheParametersAndDoesNotGrowWithP) {
  program::Model model;
  model.residence = bytes_of({{5000, {0, 0}, {0, 0}}, {300, {0, 1}, {0, 0}}, {8, {2, -1}, {0, 0}}});
  EXPECT_DOUBLE_EQ(at(model, 100, 4), 8 * 100 * 100 / 4.);
  model.residence = bytes_of({{5000, {0, 0}, {0, 0}}, {300, {1, 1}, {0, 0}}});
  EXPECT_EQ(footprint_of(model), std::nullopt) << "buffers for partners are no data";
}

TEST(Footprint, TakesTheGrowthDuringTheRunBeforeThePeak) {
  program::Model model;
  model.residence = bytes_of({{12, {1, 0}, {0, 0}}});
  model.grown = bytes_of({{8, {1, 0}, {0, 0}}});
  EXPECT_DOUBLE_EQ(at(model, 100, 4), 800);
  model.grown = {};
  EXPECT_DOUBLE_EQ(at(model, 100, 4), 1200);
}

TEST(Footprint, IsUnknownWithinTheErrorOfTheFit) {
  program::Model model;
  model.residence = bytes_of({{99000, {0, 0}, {0, 0}}, {10, {1, 0}, {0, 0}}}, 0.02);
  EXPECT_EQ(footprint_of(model), std::nullopt) << "1,000 of 100,000 bytes, known to 2 %";
  model.residence.growth.residual_relative_error = 0.004;
  EXPECT_DOUBLE_EQ(at(model, 100, 4), 1000);
}

}  // namespace
}  // namespace parcast::predict
