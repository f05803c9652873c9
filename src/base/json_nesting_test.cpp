// SPDX-License-Identifier: Apache-2.0
#include "base/json_nesting.h"

#include <gtest/gtest.h>

namespace parcast {
namespace {

std::string nested(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

TEST(JsonNesting, OneLevelTooManyIsRefusedWithItsLine) {
  EXPECT_TRUE(check_json_nesting(nested(kMostJsonLevels), "f.json"));
  const auto deep = check_json_nesting("{\n\"a\":\n" + nested(kMostJsonLevels) + "}", "f.json");
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().where, "f.json:3");
  EXPECT_EQ(deep.error().what, "the JSON is nested more than 500 levels deep");
  EXPECT_FALSE(check_json_nesting(std::string(100'000, '{'), "f.json"));  // brackets never closed
}

TEST(JsonNesting, SiblingsAndTextsDoNotCount) {
  std::string siblings = "[";
  for (int i = 0; i < 1000; ++i) siblings += "[{}],";
  EXPECT_TRUE(check_json_nesting(siblings + "0]", "f"));
  EXPECT_TRUE(
      check_json_nesting("[\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\\\\\"]", "f"));
  EXPECT_TRUE(check_json_nesting("[\"never closed " + std::string(1000, '['), "f"));
  EXPECT_TRUE(check_json_nesting("]]]]\"\\", "f"));
}

}  // namespace
}  // namespace parcast
