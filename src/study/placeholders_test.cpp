// SPDX-License-Identifier: Apache-2.0
#include "study/placeholders.h"

#include <gtest/gtest.h>

namespace parcast::study {
namespace {

using Names = std::vector<std::string>;

std::string of(const std::string& text, const Values& values = {{"p", 2}, {"N", 96}}) {
  const auto out = filled(text, values, "here");
  return out ? *out : out.error().where + ": " + out.error().what;
}

TEST(Placeholders, NamesInBracesBecomeValues) {
  EXPECT_EQ(of("mpirun -n {p} ./app {N}"), "mpirun -n 2 ./app 96");
  EXPECT_EQ(of("{N}{N}x{p}"), "9696x2");
  EXPECT_EQ(of("--size={N}"), "--size=96");
  EXPECT_EQ(of(""), "");
}

TEST(Placeholders, OtherBracesAreText) {
  for (const std::string text :
       {"{}", "{", "}", "{1..4}", "{\"a\": 1}", "{ N }", "{N", "a{b c}", "{{", "}}", "{N-1}"})
    EXPECT_EQ(of(text), text) << text;
  EXPECT_EQ(of("{\"N\": {N}}"), "{\"N\": 96}");
}

TEST(Placeholders, VariablesOfShellsStay) {
  EXPECT_EQ(of("${N} $N {N}"), "${N} $N 96");
}

TEST(Placeholders, DoubledBracesAreTheTextItself) {
  EXPECT_EQ(of("{{N}} {N} {{other}}"), "{N} 96 {other}");
  EXPECT_TRUE(placeholders_in("{{N}} ${M}").empty());
}

TEST(Placeholders, AreListedOnceInTheirOrder) {
  EXPECT_EQ(placeholders_in("{N} {p} {N} {_a1}"), (Names{"N", "p", "_a1"}));
}

TEST(Placeholders, NamesWithoutValuesAreErrorsWithTheirPlace) {
  EXPECT_EQ(of("{M}"), "here: the placeholder {M} has no values");
  EXPECT_EQ(of("one\ntwo {N} {M}\n"), "here:2:9: the placeholder {M} has no values");
  const auto near = filled("{steqs}", {{"steps", 1}}, "");
  ASSERT_FALSE(near);
  EXPECT_EQ(near.error().hint, "did you mean steps?");
}

TEST(Placeholders, NamesAreShortWordsOfLettersAndDigits) {
  for (const char* good : {"p", "N", "n_x2", "_"}) EXPECT_TRUE(is_name(good)) << good;
  for (const char* bad : {"", "2n", "a/b", "../x", "a b", "a=b", "N\n", "\u00e4"})
    EXPECT_FALSE(is_name(bad)) << bad;
  EXPECT_TRUE(is_name(std::string(64, 'n')));
  EXPECT_FALSE(is_name(std::string(65, 'n')));
}

TEST(Placeholders, PointsNameTheProcessesFirst) {
  EXPECT_EQ(point_text({{"N", 96}, {"a", 0.5}, {"p", 4}}), "p = 4, N = 96, a = 0.5");
}

TEST(IsFilledFrom, TheTextWithNumbersInIt) {
  EXPECT_TRUE(is_filled_from("size {n}\nsteps 20\n", "size 120\nsteps 20\n"));
  EXPECT_TRUE(is_filled_from("{n}", "1000000"));
  EXPECT_TRUE(is_filled_from("a = {n}e5, {m}", "a = 1.5e5, -3"));
  EXPECT_TRUE(is_filled_from("{n} {n}\n", "7 7\n"));
}

TEST(IsFilledFrom, OtherTextIsNot) {
  EXPECT_FALSE(is_filled_from("size {n}\n", "size {n}\n"));      // the template itself
  EXPECT_FALSE(is_filled_from("size {n}\n", "size 120\nmore"));  // goes on
  EXPECT_FALSE(is_filled_from("size {n}\n", "size \n"));
  EXPECT_FALSE(is_filled_from("size {n}\n", "Size 120\n"));
  EXPECT_FALSE(is_filled_from("no placeholder", "no placeholder"));
  EXPECT_FALSE(is_filled_from("{n}",
                              "\x7f"
                              "ELF"));
  EXPECT_FALSE(is_filled_from("{n}", ""));
}

}  // namespace
}  // namespace parcast::study
