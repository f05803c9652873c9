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

TEST(SiteText, PeopleReadFunctionsWithoutTheirParameters) {
  EXPECT_EQ(without_parameters("main"), "main");
  EXPECT_EQ(without_parameters("solve at 0x1f2a"), "solve at 0x1f2a");
  EXPECT_EQ(without_parameters("CommSend(Domain&, int, double& (Domain::**)(int), bool) at 0x15e1d"),
            "CommSend at 0x15e1d");
  EXPECT_EQ(without_parameters("mesh::Grid<2>::size(int) const"), "mesh::Grid<2>::size");
  EXPECT_EQ(without_parameters("Each::operator()(int)"), "Each::operator()");
  EXPECT_EQ(without_parameters("(anonymous namespace)::run(int)"), "(anonymous namespace)::run");
  EXPECT_EQ(without_parameters("(anonymous namespace)"), "(anonymous namespace)");
}

}  // namespace
}  // namespace parcast::recording
