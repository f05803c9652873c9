// SPDX-License-Identifier: Apache-2.0
#include "report/arrays_text.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace parcast::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A part of 8 n / p bytes, three lists of 40 bytes, a flag of one byte, and one of unknown size.
program::ProgramArrays four_arrays() {
  const auto n = program::parameter_symbol("n");
  program::ProgramArrays all;
  all.program = "wave";
  all.parameters = {"n"};
  all.largest = {{{"n", 1000}}, 4};
  all.arrays = {{"wave.c:12", "main", 1, 8 * n / program::processes_symbol(), Origin::symbolic},
                {"wave.c:20", "_Z5listsv", 3, 40, Origin::constant},
                {"wave.c:30", "main", 1, 1, Origin::symbolic},
                {"wave.c:31", "main", 1, 0, Origin::unknown}};
  all.sizes = {{2000, 2000, 8000}, {120, 120, 480}, {1, 1, 4}, {0, 0, 0}};
  return all;
}

TEST(ArraysText, ListsTheArraysWithTheirFormulas) {
  const auto arrays = four_arrays();
  const auto sizes = sized(arrays, {});
  ASSERT_TRUE(sizes);
  const std::string text = arrays_text(*sizes, {}, false);
  EXPECT_THAT(text, HasSubstr("wave, 4 arrays as allocated"));
  EXPECT_THAT(text, HasSubstr("p = 4, n = 1000"));
  EXPECT_THAT(text, HasSubstr("wave.c:12  8*n/p"));
  EXPECT_THAT(text, HasSubstr("3 x 40"));
  EXPECT_THAT(text, HasSubstr("lists()"));
  EXPECT_THAT(text, HasSubstr("no formula"));
  EXPECT_THAT(text, Not(HasSubstr("wave.c:30"))) << "4 of 8484 bytes";
  EXPECT_THAT(text, HasSubstr("... 1 more, --all"));
  EXPECT_THAT(text, HasSubstr("2.12 kB in the process with most, 8.48 kB in 4 processes"));
  EXPECT_THAT(arrays_text(*sizes, {}, true), HasSubstr("wave.c:30"));
}

TEST(ArraysText, EvaluatesAtTheAskedPoint) {
  const auto arrays = four_arrays();
  const auto sizes = sized(arrays, program::Point{{{"n", 6000}}, 8});
  ASSERT_TRUE(sizes);
  EXPECT_EQ(sizes->sizes[0].most, 6000);
  EXPECT_EQ(sizes->sizes[0].all, 48000);
  EXPECT_EQ(sizes->sizes[1].most, 120);
}

TEST(ArraysText, JsonHasTheFormulasAndTheBytes) {
  const auto arrays = four_arrays();
  const auto json = nlohmann::json::parse(arrays_to_json(*sized(arrays, {})));
  EXPECT_EQ(json["schema"], "parcast.arrays/1");
  EXPECT_EQ(json["p"], 4);
  EXPECT_EQ(json["parameters"]["n"], 1000);
  EXPECT_EQ(json["arrays"][0]["bytes"], "8*n/p");
  EXPECT_EQ(json["arrays"][0]["all_ranks"], 8000);
  EXPECT_EQ(json["arrays"][1]["allocations"], "3");
  EXPECT_EQ(json["arrays"][3]["found"], "unknown");
  EXPECT_EQ(json["total"]["most"], 2121);
}

}  // namespace
}  // namespace parcast::report
