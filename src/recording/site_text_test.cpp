// SPDX-License-Identifier: Apache-2.0
#include "recording/site_text.h"

#include <gtest/gtest.h>

namespace parcast::recording {
namespace {

TEST(SiteText, WithoutALineTheAddressFollowsTheFunction) {
  EXPECT_EQ(function_of({.module = 0, .offset = 0x1f2a, .function = "solve"}), "solve at 0x1f2a");
  EXPECT_EQ(function_of({.module = 0, .offset = 0x1f2a, .function = "solve", .file = "s.c", .line = 7}),
            "solve");
  EXPECT_EQ(function_of({.module = 0, .offset = 0x1f2a}), "") << "nothing is known of the function";
}

// Sites of several builds are matched by function and line alone (observations/join_builds.h).
TEST(SiteText, SitesOfNoModuleHaveNoAddress) {
  EXPECT_EQ(function_of({.module = kNoModule, .offset = 12, .function = "solve"}), "solve");
}

TEST(SiteText, TheFunctionIsFoundAgain) {
  EXPECT_EQ(without_address("solve at 0x1f2a"), "solve");
  EXPECT_EQ(without_address("solve"), "solve");
  EXPECT_EQ(without_address("look(Domain&, int) at 0x10"), "look(Domain&, int)");
}

}  // namespace
}  // namespace parcast::recording
