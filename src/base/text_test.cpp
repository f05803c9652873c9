// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/plain_number.h"

namespace parcast {
namespace {

TEST(Text, SplitsKeepingEmptyParts) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string>{""}));
  EXPECT_EQ(join(split("a,b,c", ','), "-"), "a-b-c");
  EXPECT_EQ(trim(" \t x y\n"), "x y");
}

TEST(Text, NumbersAreTakenWholeOrNotAtAll) {
  EXPECT_EQ(parse_double("1e-3"), 1e-3);
  EXPECT_FALSE(parse_double("1e-3x"));
  EXPECT_FALSE(parse_double("inf"));
  EXPECT_FALSE(parse_double("nan"));
  EXPECT_FALSE(parse_double(""));
  EXPECT_EQ(parse_integer("-17"), -17);
  EXPECT_FALSE(parse_integer("1.0"));
  EXPECT_FALSE(parse_integer("99999999999999999999"));
}

TEST(Text, FindsTheNameThatWasMeant) {
  const std::vector<std::string> names{"latency", "bandwidth", "gap"};
  EXPECT_EQ(nearest_name("latancy", names), "latency");
  EXPECT_EQ(did_you_mean("bandwith", names), "did you mean bandwidth?");
  EXPECT_FALSE(nearest_name("colour", names));
  EXPECT_EQ(nearest_name("n", std::vector<std::string>{"p", "N"}), "N");
}

TEST(Measure, UnitsScaleToBaseUnits) {
  EXPECT_DOUBLE_EQ(parse_measure("2us", Dimension::time).value(), 2e-6);
  EXPECT_DOUBLE_EQ(parse_measure("1.5 h", Dimension::time).value(), 5400);
  EXPECT_DOUBLE_EQ(parse_measure("64KiB", Dimension::data).value(), 65536);
  EXPECT_DOUBLE_EQ(parse_measure("64KB", Dimension::data).value(), 64000);
  EXPECT_DOUBLE_EQ(parse_measure("10GB/s", Dimension::rate).value(), 1e10);
  EXPECT_DOUBLE_EQ(parse_measure("0.4 ns/B", Dimension::time_per_byte).value(), 0.4e-9);
  EXPECT_DOUBLE_EQ(parse_measure("17", Dimension::none).value(), 17);
}

TEST(Measure, ABareNumberIsRefusedWithTheUnitWanted) {
  const auto bare = parse_measure("2.1", Dimension::time);
  ASSERT_FALSE(bare);
  EXPECT_NE(bare.error().what.find("needs a unit"), std::string::npos);
  EXPECT_EQ(bare.error().hint, "did you mean \"2.1us\"?");
}

TEST(Measure, ZeroNeedsNoUnit) {
  for (const Dimension wanted : {Dimension::time, Dimension::time_per_byte, Dimension::data, Dimension::rate})
    EXPECT_DOUBLE_EQ(parse_measure("0", wanted).value(), 0);
  EXPECT_FALSE(parse_measure("0s", Dimension::data));
}

TEST(Measure, AWrongDimensionAnUnknownUnitAndNonsenseAreRefused) {
  EXPECT_FALSE(parse_measure("3KiB", Dimension::time));
  EXPECT_FALSE(parse_measure("3 parsec"));
  EXPECT_FALSE(parse_measure("fast"));
  EXPECT_FALSE(parse_measure("nan s"));
  EXPECT_FALSE(parse_measure("1 s/h"));
}

TEST(Text, LinkedNamesAreSaidAsTheyAreWritten) {
  EXPECT_EQ(demangled("_ZNK6sharks3Sea6chooseEii"), "sharks::Sea::choose(int, int) const");
  EXPECT_EQ(demangled("dgemm_"), "dgemm_");
  EXPECT_EQ(demangled("f"), "f");
  EXPECT_EQ(demangled("_Zwrong"), "_Zwrong");
}

TEST(Format, PicksUnitAndDigits) {
  EXPECT_EQ(format_seconds(41.27), "41.3 s");
  EXPECT_EQ(format_seconds(2.1e-6), "2.10 us");
  EXPECT_EQ(format_seconds(9000), "2.50 h");
  EXPECT_EQ(format_seconds(0), "0 s");
  EXPECT_EQ(format_bytes(1.2e6), "1.20 MB");
  EXPECT_EQ(format_integer(418112), "418,112");
  EXPECT_EQ(format_integer(-1000), "-1,000");
  EXPECT_EQ(format_integer(-100), "-100");
  EXPECT_EQ(format_significant(0.012345, 3), "0.0123");
}

TEST(Format, ExactTextReadsBackAsTheSameDouble) {
  for (double v : {0.1, 1.0 / 3, 5e-324, std::numeric_limits<double>::max(), -2.5e-7})
    EXPECT_EQ(parse_double(format_exact(v)), v);
}

TEST(FormatPlain, WholeNumbersHaveNoExponent) {
  EXPECT_EQ(format_plain(1000000), "1000000");
  EXPECT_EQ(format_plain(100000), "100000");
  EXPECT_EQ(format_plain(0.25), "0.25");
  EXPECT_EQ(format_plain(-3), "-3");
  EXPECT_EQ(format_plain(1e20), "1e+20");
}

}  // namespace
}  // namespace parcast
