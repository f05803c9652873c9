// SPDX-License-Identifier: Apache-2.0
#include "cli/opening_command.h"

#include <gtest/gtest.h>

namespace parcast::cli {
namespace {

TEST(OpeningCommand, EachFormatHasItsTool) {
  EXPECT_EQ(opening_command("otf2", "x.otf2"), "otf2-print x.otf2/traces.otf2");
  EXPECT_EQ(opening_command("goal", "x.goal"), "txt2bin -i x.goal -o x.bgoal && LogGOPSim -f x.bgoal");
  EXPECT_EQ(opening_command("goal-binary", "x.bgoal"), "LogGOPSim -f x.bgoal");
  EXPECT_EQ(opening_command("ti", "out/x.ti", 16),
            "smpirun -np 16 -platform PLATFORM.xml -replay out/x.ti/index.txt");
  EXPECT_EQ(opening_command("trace", "x.trace"), "parcast show x.trace");
  EXPECT_EQ(opening_command("perfetto", "x.perfetto-trace"), "trace_processor_shell x.perfetto-trace");
  EXPECT_EQ(opening_command("csv", "x.csv"), "parcast fit x.csv");
  EXPECT_EQ(opening_command("extrap-text", "x.txt"), "extrap --text x.txt");
  EXPECT_EQ(opening_command("extrap-json", "x.json"), "extrap --json x.json");
  EXPECT_EQ(opening_command("extrap-jsonl", "x.jsonl"), "extrap --json x.jsonl");
}

TEST(OpeningCommand, NamesAreQuoted) {
  EXPECT_EQ(opening_command("otf2", "my run.otf2"), "otf2-print 'my run.otf2/traces.otf2'");
  EXPECT_EQ(opening_command("goal", "a$b.goal"),
            "txt2bin -i 'a$b.goal' -o 'a$b.bgoal' && LogGOPSim -f 'a$b.bgoal'");
  EXPECT_EQ(opening_command("csv", "-x.csv"), "parcast fit ./-x.csv");
}

TEST(OpeningCommand, ReplayRunsInAFolderThatSmpirunWouldTakeApart) {
  EXPECT_EQ(opening_command("ti", "my run.ti", 2),
            "cd 'my run.ti' && smpirun -np 2 -platform PLATFORM.xml -replay index.txt");
}

}  // namespace
}  // namespace parcast::cli
