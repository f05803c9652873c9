// SPDX-License-Identifier: Apache-2.0
#include "report/simulation_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>

namespace parcast::report {
namespace {

using testing::HasSubstr;
using trace::Item;
using trace::Kind;

constexpr trace::Time kSecond = 1'000'000'000'000;

/// Rank 0 computes 3 s, sends to rank 1 and computes 1 s; a message takes 1 s. Rank 1 computes 2 s after its
/// receive.
class Halo : public testing::Test {
 protected:
  Halo() {
    trace_.program = "halo";
    trace_.ranks = 2;
    trace_.operations = {{.kind = Kind::send, .peer = 1, .bytes = 1000, .place = 0},
                         {.kind = Kind::receive, .peer = -1, .bytes = 1000, .place = 1}};
    trace_.sequences = {{Item::compute(3 * kSecond), Item::operation(0), Item::compute(kSecond)},
                        {Item::operation(1), Item::compute(2 * kSecond)}};
    trace_.sequence_of = {0, 1};
    trace_.places = {{"main/out", "step", "halo.c", 12, "MPI_Send"},
                     {"main/in", "step", "halo.c", 15, "MPI_Recv"}};
    platform_.name = "slow";
    platform_.links = {{.latency = kSecond}};
    profile_.emplace(trace_);
    pairs_.emplace(2);
    finder_.emplace(trace_, platform_);
    const std::array<simulate::Observer*, 3> observers{&*profile_, &*pairs_, &*finder_};
    outcome_ = *simulate::simulate(trace_, platform_, simulate::Trust::none, observers);
    path_ = finder_->path();
  }
  Simulated simulated() const {
    return {trace_, platform_.name, platform_.assumptions, outcome_, &*profile_, &*pairs_, &path_};
  }

  trace::Trace trace_;
  simulate::Platform platform_;
  std::optional<simulate::Profile> profile_;
  std::optional<simulate::Pairs> pairs_;
  std::optional<simulate::PathFinder> finder_;
  simulate::Outcome outcome_;
  simulate::CriticalPath path_;
};

TEST_F(Halo, RegionsAreMeansOverRanks) {
  const std::string text = regions_text(simulated(), *profile_, {}, false);
  // Rank 1: 4 s of waiting and 2 s of computing after it; that is half of 2 ranks x 6 s.
  EXPECT_THAT(text, testing::ContainsRegex("main/in +3.000 +50% +1.000 +0.000 +2.000 +1 "));
  EXPECT_THAT(text, testing::ContainsRegex("main/out +2.000 +33% +2.000 +0.000 +0.000 +1 +1 +1.00 kB"));
  // rank 0 waits 2 s
  EXPECT_THAT(text, testing::ContainsRegex("after a rank's end. +- +1.000 +17% +0.000 +0.000 +1.000"));
  EXPECT_THAT(text, testing::ContainsRegex("MPI_Recv +main/in .*halo.c:15"));
  EXPECT_THAT(regions_csv(trace_, *profile_),
              HasSubstr("main/in,MPI_Recv,halo.c:15,1,1,2,0,4,0,0,0,0,1,6,0,0\n"));
}

TEST_F(Halo, ThePathSaysWhatTheRunIsMadeOf) {
  const std::string text = path_text(simulated(), path_, {}, false);
  EXPECT_THAT(text, HasSubstr("ends on rank 1: compute 83 %, transfer 17 %"));
  EXPECT_THAT(text, testing::ContainsRegex("compute +3.000 +50% +1 +MPI_Send +main/out +halo.c:12"));
  EXPECT_THAT(text, testing::ContainsRegex("0 +1 +1 +1.000"));
}

TEST_F(Halo, JsonHoldsTheSame) {
  const auto json = nlohmann::json::parse(simulation_to_json(simulated(), true));
  EXPECT_EQ(json["profile"]["calls"][0]["call"], "MPI_Recv");
  EXPECT_DOUBLE_EQ(json["profile"]["calls"][0]["idle"], 4);
  EXPECT_EQ(json["profile"]["calls"][0]["longest"]["rank"], 1);
  EXPECT_DOUBLE_EQ(json["profile"]["after_end"], 2);
  EXPECT_DOUBLE_EQ(json["profile"]["ranks"][0]["calls"][0]["compute"], 4);
  EXPECT_EQ(json["pairs"][0]["offset"], 1);
  EXPECT_EQ(json["pairs"][0]["bytes"], 1000);
  EXPECT_DOUBLE_EQ(json["critical_path"]["seconds"], 6);
  EXPECT_EQ(json["critical_path"]["parts"][0]["kind"], "compute");
  EXPECT_EQ(json["critical_path"]["hand_overs"][0]["to"], 1);
  EXPECT_FALSE(
      nlohmann::json::parse(simulation_to_json({trace_, platform_.name, platform_.assumptions, outcome_}))
          .contains("profile"));
}

TEST_F(Halo, PairsAreToldByRelativePartner) {
  EXPECT_THAT(pairs_text(*pairs_, {}, false), testing::ContainsRegex("0 +\\+1 +1 +1,000 +messages"));
  EXPECT_EQ(pairs_csv(*pairs_),
            "first,length,every,blocks,offset,collectives,messages,bytes\n0,1,0,1,1,0,1,1000\n");
}

}  // namespace
}  // namespace parcast::report
