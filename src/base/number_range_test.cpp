// SPDX-License-Identifier: Apache-2.0
#include "base/number_range.h"

#include <gtest/gtest.h>

#include <limits>

namespace parcast {
namespace {

TEST(NumberRange, GoesFromOneEMinus30ToOneE30WithZero) {
  for (const double number : {0.0, -0.0, 1.0, -1.0, 1e-30, 1e30, -1e30, 3e-9})
    EXPECT_EQ(fault_of(number), "") << number;
  for (const double number : {9.9e-31, 1e-200, -1e-320, std::numeric_limits<double>::denorm_min()})
    EXPECT_EQ(fault_of(number), "smaller than 1e-30") << number;
  for (const double number : {1.1e30, 1e160, -1e300})
    EXPECT_EQ(fault_of(number), "larger than 1e30") << number;
  for (const double number : {INFINITY, -INFINITY, NAN}) EXPECT_EQ(fault_of(number), "not a finite number");
}

TEST(NumberRange, OfTextsToldApartFromWhatIsNoNumber) {
  EXPECT_EQ(fault_of("1.5"), "");
  EXPECT_EQ(fault_of("0"), "");
  EXPECT_EQ(fault_of("1e-320"), "smaller than 1e-30");
  EXPECT_EQ(fault_of("1e-4000"), "smaller than 1e-30");
  EXPECT_EQ(fault_of("1e308"), "larger than 1e30");
  EXPECT_EQ(fault_of("-1e4000"), "larger than 1e30");
  for (const char* text : {"", "x", "1s", "1 ", "1,5", "inf", "nan"})
    EXPECT_EQ(fault_of(text), "not a number") << text;
  EXPECT_EQ(parse_in_range("2.5"), 2.5);
  EXPECT_EQ(parse_in_range("1e31"), std::nullopt);
  EXPECT_EQ(parse_in_range("seven"), std::nullopt);
}

TEST(NumberRange, AnswersBeyondItsEndsAreMovedThere) {
  EXPECT_EQ(moved_into_range(1e300), 1e30);
  EXPECT_EQ(moved_into_range(INFINITY), 1e30);
  EXPECT_EQ(moved_into_range(-1e-300), -1e-30);
  EXPECT_EQ(moved_into_range(0), 0);
  EXPECT_EQ(moved_into_range(42), 42);
}

}  // namespace
}  // namespace parcast
