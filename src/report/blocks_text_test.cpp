// SPDX-License-Identifier: Apache-2.0
#include "report/blocks_text.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "model/binding.h"

namespace parcast::report {
namespace {

using program::CountTier;
using testing::HasSubstr;
using testing::Not;

// Two blocks: n^2 / p executions of 3 additions, and one execution of a call.
program::ProgramEquations two_blocks() {
  const auto n = program::parameter_symbol("n");
  program::ProgramEquations all;
  all.program = "wave";
  all.parameters = {"n"};
  all.blocks.push_back({"src/wave.c",
                        "sweep",
                        4,
                        {{"/home/a/src/wave.c", 12}},
                        "wave.c:12",
                        {{"double_add", 3}, {"loaded_bytes", 16}},
                        n * n / program::processes_symbol(),
                        CountTier::recognised,
                        true,
                        5000,
                        0.98,
                        {{"double_add", {8, 2}}},
                        4});
  all.blocks.push_back({"src/wave.c",
                        "main",
                        0,
                        {},
                        "wave.c",
                        {{"call", 1}},
                        symbolic::Expression(1),
                        CountTier::symbolic,
                        false,
                        2,
                        0.02});
  all.loops.push_back(
      {"src/wave.c", "sweep", 0, {{"wave.c", 11}}, n, CountTier::recognised, 4, 2, "static chunked", true});
  all.notices.push_back(
      {"without-facts", "1 of 2 compiled modules have counts without the compiler's facts", "record again"});
  return all;
}

TEST(BlocksText, HasTheShareOfEachTierAndTheLargestBlocksFirst) {
  const std::string text = blocks_text(two_blocks(), {false, 160}, false);
  EXPECT_THAT(text, HasSubstr("wave, 2 blocks and 1 loop were executed"));
  EXPECT_THAT(text, testing::ContainsRegex("recognised +1 +100% +98% +1"));
  EXPECT_THAT(text, testing::ContainsRegex("symbolic +1 +<1% +2% +0"));
  EXPECT_THAT(text, testing::ContainsRegex("98% +n\\^2/p +recognised\\? +4 +sweep +wave.c:12"));
  EXPECT_LT(text.find("sweep"), text.find("main"));
  EXPECT_THAT(text, testing::ContainsRegex("wave.c:11, chunks +static chunked +sweep"));
  EXPECT_THAT(text, HasSubstr("! 1 of 2 compiled modules"));
}

TEST(BlocksText, HasNamesForDerivedQuantities) {
  program::ProgramEquations all = two_blocks();
  EXPECT_THAT(blocks_text(all, {false, 160}, false), Not(HasSubstr("derived quantity")));
  all.blocks[0].executions =
      3 * program::parameter_symbol("n") *
      (symbolic::floor(program::parameter_symbol("n") / program::processes_symbol()) + 2);
  const std::string text = blocks_text(all, {false, 160}, false);
  EXPECT_THAT(text, testing::ContainsRegex("98% +3\\*n\\*n_part +recognised"));
  EXPECT_THAT(text, testing::ContainsRegex("n_part +floor\\(n/p\\) \\+ 2 +1 +98%"));
  const auto json = nlohmann::json::parse(blocks_to_json(all));
  EXPECT_EQ(json["quantities"][0]["expression"], "floor(n/p) + 2");
  EXPECT_EQ(json["blocks"][0]["executions"], to_text(all.blocks[0].executions)) << "by itself";
}

TEST(BlocksText, HasBranchesOfWhichNothingTellsTheWay) {
  program::ProgramEquations all = two_blocks();
  EXPECT_THAT(blocks_text(all, {false, 160}, false), Not(HasSubstr("branches")));
  all.branches.push_back({"wave.c", "sweep", 4, 6, {{"wave.c", 12}}, {.25, .2, .31, false}, 5000});
  all.branches.push_back({"wave.c", "main", 0, 2, {{"wave.c", 30}}, {.5, .3, .7, true}, 20});
  const std::string text = blocks_text(all, {false, 160}, false);
  EXPECT_THAT(text, testing::ContainsRegex("5000 +25% +20% .. 31% +sweep +wave.c:12"));
  EXPECT_THAT(text, testing::ContainsRegex("20 +50% +30% .. 70% if by chance +main +wave.c:30"));
  const auto json = nlohmann::json::parse(blocks_to_json(all));
  EXPECT_EQ(json["branches"].size(), 2u);
  EXPECT_EQ(json["branches"][0]["to"], 6);
  EXPECT_EQ(json["branches"][0]["high"], .31);
  EXPECT_TRUE(json["branches"][1]["by_chance"].get<bool>());
}

TEST(BlocksText, TellsWhatPolls) {
  program::ProgramEquations asks = two_blocks();
  asks.blocks[0].polling = true;
  EXPECT_THAT(blocks_text(asks, {false, 160}, false), HasSubstr("recognised?, polls"));
  EXPECT_TRUE(nlohmann::json::parse(blocks_to_json(asks))["blocks"][0]["polling"].get<bool>());
  EXPECT_THAT(blocks_text(two_blocks(), {false, 160}, false), Not(HasSubstr("polls")));
}

TEST(BlocksText, LeavesOutWhatDoesNotMatterUnlessAllIsAskedFor) {
  program::ProgramEquations many = two_blocks();
  many.blocks[1].share = 1e-5;
  EXPECT_THAT(blocks_text(many, {false, 160}, false), HasSubstr("1 more, --all"));
  EXPECT_THAT(blocks_text(many, {false, 160}, true), Not(HasSubstr("--all")));
}

TEST(BlocksText, DefinitionsStandBehindWhatTheyAreOf) {
  const std::string code = blocks_in(two_blocks(), symbolic::Language::cpp);
  EXPECT_THAT(code, HasSubstr("#include <cmath>\n"));
  EXPECT_THAT(code, HasSubstr("// block 4 of sweep, wave.c:12: recognised\ndouble block_1(double n, double "
                              "p) { return std::pow(n, 2.0)/p; }\n"));
  EXPECT_THAT(code, HasSubstr("double block_2() { return 1.0; }\n"));
  EXPECT_THAT(code, HasSubstr("double double_add(double n, double p) { return 3.0*std::pow(n, 2.0)/p; }\n"));
  const std::string maple = blocks_in(two_blocks(), symbolic::Language::maple);
  EXPECT_THAT(maple, HasSubstr("# block 4 of sweep, wave.c:12: recognised\nblock_1 := (n, p) -> n^2/p:\n"));
}

TEST(BlocksText, JsonHasEverything) {
  const auto json = nlohmann::json::parse(blocks_to_json(two_blocks()));
  EXPECT_EQ(json["schema"], "parcast.blocks/1");
  EXPECT_EQ(json["tiers"]["recognised"]["blocks"], 1);
  EXPECT_EQ(json["tiers"]["measured"]["executions"], 0);
  EXPECT_NEAR(json["tiers"]["recognised"]["executions"].get<double>(), 5000.0 / 5002, 1e-12);
  EXPECT_EQ(json["blocks"][0]["executions"], "n^2/p");
  EXPECT_EQ(json["blocks"][0]["at"][0]["line"], 12);
  EXPECT_TRUE(json["blocks"][0]["ambiguous"].get<bool>());
  EXPECT_EQ(json["loops"][0]["iterations"], "n");
  EXPECT_EQ(json["blocks"][0]["width"], 4);
  EXPECT_EQ(json["blocks"][0]["packed"]["double_add"], (nlohmann::json{8, 2}));
  EXPECT_FALSE(json["blocks"][1].contains("width") || json["blocks"][1].contains("packed"));
  EXPECT_EQ(json["loops"][0]["width"], 4);
  EXPECT_EQ(json["loops"][0]["interleave"], 2);
  EXPECT_EQ(json["loops"][0]["shared"], "static chunked");
  EXPECT_TRUE(json["loops"][0]["chunks"].get<bool>());
  EXPECT_EQ(json["operations"]["loaded_bytes"], "16*n^2/p");
  EXPECT_EQ(json["notices"][0]["code"], "without-facts");
}

}  // namespace
}  // namespace parcast::report
