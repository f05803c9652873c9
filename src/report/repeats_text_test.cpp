// SPDX-License-Identifier: Apache-2.0
#include "report/repeats_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace parcast::report {
namespace {

/// 1 ms, 2 ms, ..., 101 ms, not in order: quantile q is 1 + 100 q ms.
Repeats hundred_and_one() {
  Repeats out{"halo", "here", 64, 7, {}, {"noise is drawn"}};
  for (int k = 0; k < 101; ++k) out.seconds.push_back(1e-3 * (1 + k * 37 % 101));
  return out;
}

TEST(Repeats, ShowMeanSpreadAndQuantiles) {
  // sqrt(n (n + 1) / 12) / 51 = 29.30 / 51.
  EXPECT_EQ(repeats_text(hundred_and_one(), {}),
            "halo, 64 ranks, on here: 101 repeats, seeds 7 to 107\n"
            "\n"
            "  mean 51.0 ms, standard deviation 57.5 %\n"
            "\n"
            "  least  5 %  25 %  median  75 %  95 %   most\n"
            "    1.0  6.0  26.0    51.0  76.0  96.0  101.0  ms\n");
}

TEST(Repeats, JsonHasEveryTimeInTheOrderOfSeeds) {
  const auto json = nlohmann::json::parse(repeats_to_json(hundred_and_one()));
  EXPECT_EQ(json["schema"], "parcast.repeats/1");
  EXPECT_EQ(json["seconds"].size(), 101u);
  EXPECT_DOUBLE_EQ(json["seconds"][1].get<double>(), 0.038);
  EXPECT_NEAR(json["quantiles"][1]["seconds"].get<double>(), 0.006, 1e-15);
  EXPECT_EQ(json["assumptions"][0], "noise is drawn");
}

}  // namespace
}  // namespace parcast::report
