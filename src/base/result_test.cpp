// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace parcast {
namespace {

Result<int> half(int n) {
  if (n % 2) return Error{"odd", "n", "add one"};
  return n / 2;
}

Result<int> quarter(int n) {
  PARCAST_ASSIGN(const int h, half(n));
  PARCAST_TRY(half(h));
  return half(h);
}

TEST(Result, PassesValuesOn) {
  EXPECT_EQ(quarter(12).value(), 3);
}

TEST(Result, TheFirstErrorEndsTheChain) {
  EXPECT_FALSE(quarter(7));
  const auto failed = quarter(6);
  ASSERT_FALSE(failed);
  EXPECT_EQ(to_string(failed.error()), "n: error: odd\n  add one");
}

TEST(Result, HoldsMoveOnlyValues) {
  Result<std::unique_ptr<int>> made = std::make_unique<int>(4);
  const std::unique_ptr<int> taken = std::move(made).value();
  EXPECT_EQ(*taken, 4);
}

TEST(Result, ErrorWithoutPlaceOrHintIsOneLine) {
  EXPECT_EQ(to_string(Error{"full", "", ""}), "error: full");
}

}  // namespace
}  // namespace parcast
