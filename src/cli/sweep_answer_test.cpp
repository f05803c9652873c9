// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_answer.h"

#include <gtest/gtest.h>

#include "cli/verbs.h"

namespace parcast::cli {
namespace {

Result<void> checked(std::vector<std::string> words) {
  words.insert(words.begin(), {"app", "-m", "here"});
  PARCAST_ASSIGN(const Invocation invocation, parse_words(sweep_verb(), words));
  return check_sweep_answer(invocation);
}

TEST(SweepAnswer, ContoursNeedAPictureAndTwoParameters) {
  EXPECT_TRUE(checked({"--vary", "p=1,2,4", "--vary", "N=100..800*2", "--contour", "-o", "field.svg"}));
  EXPECT_TRUE(checked({"--vary", "p=1,2,4"}));
  const auto no_file = checked({"--vary", "p=1,2,4", "--vary", "N=100..800*2", "--contour"});
  ASSERT_FALSE(no_file);
  EXPECT_EQ(no_file.error().hint, "add -o FILE.svg");
  EXPECT_FALSE(checked({"--vary", "p=1,2,4", "--vary", "N=100..800*2", "--contour", "-o", "field.csv"}));
  const auto one = checked({"--vary", "p=1,2,4", "--contour", "-o", "field.svg"});
  ASSERT_FALSE(one);
  EXPECT_EQ(one.error().what, "--contour draws over two parameters that vary, and there is 1");
  EXPECT_FALSE(
      checked({"--vary", "p=1,2", "--vary", "N=1,2", "--vary", "M=1,2", "--contour", "-o", "field.svg"}));
}

TEST(SweepAnswer, ContoursNeedSeveralValuesOfEach) {
  const auto once = checked({"--vary", "p=1,2,4", "--vary", "N=100,100", "--contour", "-o", "field.svg"});
  ASSERT_FALSE(once);
  EXPECT_EQ(once.error().what, "--contour draws between values, and N has one");
  EXPECT_TRUE(
      checked({"--vary", "L=1us..8us*2", "--vary", "G=0ns/B..1ns/B/11", "--contour", "-o", "field.svg"}));
  // reported where the list is read
  EXPECT_TRUE(checked({"--vary", "p=1,2,4", "--vary", "N=some", "--contour", "-o", "field.svg"}));
}

TEST(SweepAnswer, PicturesOfOtherKindsAreRefused) {
  const auto png = checked({"--vary", "p=1,2,4", "-o", "scaling.png"});
  ASSERT_FALSE(png);
  EXPECT_EQ(png.error().what, "pictures are written as SVG, and scaling.png is named as another kind");
  EXPECT_TRUE(png.error().hint.starts_with("write -o scaling.svg;"));
  EXPECT_TRUE(checked({"--vary", "p=1,2,4", "-o", "scaling.txt"}));
}

TEST(SweepAnswer, JsonAndCsvExcludeEachOther) {
  EXPECT_FALSE(checked({"--vary", "p=1,2,4", "--json", "--csv"}));
}

}  // namespace
}  // namespace parcast::cli
