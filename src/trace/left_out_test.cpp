// SPDX-License-Identifier: Apache-2.0
#include "trace/left_out.h"

#include <gmock/gmock.h>

namespace parcast::trace {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

TEST(LeftOut, SentencesHaveTheNumbersOfTheirRun) {
  LeftOut what;
  ++what.probes;
  what.any_source += 12;
  what.interrupted = 6e-05;
  EXPECT_THAT(warnings(what), ElementsAre(StartsWith("1 probe is left out: ")));
  EXPECT_THAT(
      assumptions(what),
      ElementsAre(StartsWith("12 receives and probes from any source: "),
                  StartsWith("time in which other work had the processor (60.0 us, all ranks together) ")));
}

TEST(LeftOut, WhatRunsHaveInCommonHasNone) {
  LeftOut what;
  ++what.probes;
  what.any_source += 12;
  what.interrupted = 6e-05;
  what.polled = 1234567;
  EXPECT_THAT(warnings(what, false), ElementsAre(StartsWith("some probes are left out: ")));
  EXPECT_THAT(assumptions(what, false),
              ElementsAre(StartsWith("some receives and probes from any source: "),
                          StartsWith("time in which other work had the processor counts "),
                          StartsWith("polls that found nothing, ")));
  EXPECT_TRUE(assumptions(LeftOut{}, false).empty());
}

}  // namespace
}  // namespace parcast::trace
