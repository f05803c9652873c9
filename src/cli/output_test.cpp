// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <gtest/gtest.h>

namespace parcast::cli {
namespace {

std::string said(const Invocation& invocation, const Error& warning) {
  testing::internal::CaptureStderr();
  say_warning(invocation, warning);
  return testing::internal::GetCapturedStderr();
}

TEST(Warnings, AreSaidOnceOfAnInvocation) {
  const Invocation first({}, {}, {}), second({}, {}, {}), quiet({{"--quiet", ""}}, {}, {});
  const Error warning{"what", "where", "hint"}, elsewhere{"what", "elsewhere", "hint"};
  EXPECT_EQ(said(first, warning), "where: warning: what\n  hint\n");
  EXPECT_EQ(said(first, warning), "");
  EXPECT_EQ(said(first, elsewhere), "elsewhere: warning: what\n  hint\n");
  EXPECT_EQ(said(second, warning), "where: warning: what\n  hint\n");
  EXPECT_EQ(said(quiet, warning), "");
}

}  // namespace
}  // namespace parcast::cli
