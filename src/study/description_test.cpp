// SPDX-License-Identifier: Apache-2.0
#include "study/description.h"

#include <gtest/gtest.h>

namespace parcast::study {
namespace {

Description whole() {
  Description out;
  out.folder = "/home/me/app";
  out.launch = {"mpirun", "-n", "{p}", "sh", "-c", "./app {N} \"$x\" < in.txt"};
  out.build = "make CC='parcast-cc'";
  out.templates = {"in.txt"};
  out.recordings = {"a.recording"};
  out.vary = {{"p", "1,2,4,...,64"}, {"N", "96,143,203"}};
  out.oversubscribe = true;
  out.ask = {{"p", 64}, {"N", 1e6}};
  out.checks = {{{"p", 2}, {"N", 0.5}}, {{"p", 1}, {"N", 7}}};
  out.machine = "cluster";
  out.calibration = 20;
  out.set = {{"links.network.latency", "2us"}, {"L", "*2"}};
  out.recorded_on = "here";
  out.engine = "simulate";
  out.level = 0.95;
  out.precision = 7;
  out.budget = 900;
  out.graph = {{"p", "1..64*2"}, {"network.topology", "torus,fat_tree"}};
  return out;
}

TEST(Description, IsReadAsItWasWritten) {
  const auto read = description_from_toml(to_toml(whole()), "x.study.toml");
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(*read, whole());
  EXPECT_EQ(to_toml(*read), to_toml(whole()));
}

TEST(Description, IsShortToWriteByHand) {
  const auto read = description_from_toml(R"(launch = "mpirun -n {p} ./app '{N} x'"
budget = "15min"
templates = "in.txt"
check = {p = 2, N = 1024}
[vary]
p = [1, 2, 4]
N = "64..256*2"
[set]
links.network.latency = "2us"
[graph]
"L" = ["*1", "*2"]
)",
                                          "x.study.toml");
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(read->launch, (std::vector<std::string>{"mpirun", "-n", "{p}", "./app", "{N} x"}));
  EXPECT_EQ(read->budget, 900);
  EXPECT_EQ(read->templates, std::vector<std::string>{"in.txt"});
  EXPECT_EQ(read->checks, (std::vector<Values>{{{"p", 2}, {"N", 1024}}}));
  EXPECT_EQ(read->vary, (std::vector<Axis>{{"p", "1,2,4"}, {"N", "64..256*2"}}));
  EXPECT_EQ(read->set, (std::vector<Axis>{{"links.network.latency", "2us"}}));
  EXPECT_EQ(read->graph, (std::vector<Axis>{{"L", "*1,*2"}}));
}

TEST(Description, GroupsOfParametersOnlyOrderThem) {
  const auto read = description_from_toml(
      "launch = \"a {p}\"\n[set.barrier]\nEntryTime = 5\n[set.interconnect]\nlinks.network.gap = \"1us\"\n",
      "x");
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(read->set, (std::vector<Axis>{{"EntryTime", "5"}, {"links.network.gap", "1us"}}));
}

std::string error_of(const std::string& text) {
  const auto read = description_from_toml(text, "x.toml");
  return read ? "" : read.error().where + ": " + read.error().what;
}

TEST(Description, MistakesAreShownWhereTheyAre) {
  EXPECT_EQ(error_of("launch = \"a {p}\"\nvarry = 1\n"), "x.toml:2:1: \"varry\" is not known here");
  EXPECT_EQ(error_of("launch = \"a 'b\"\n"), "x.toml:1:10: the launch line has a quote that is not closed");
  EXPECT_EQ(error_of("launch = 3\n"),
            "x.toml:1:10: launch is a number, but must be a text in quotes, or a list of them");
  EXPECT_EQ(error_of("launch = \"a\"\nbudget = 15\n"), "x.toml:2:10: budget is 15, but needs a unit");
  EXPECT_EQ(error_of("launch = \"a\"\nask = {p = \"four\"}\n"),
            "x.toml:2:12: p is a text, but must be a number");
  EXPECT_EQ(error_of("launch = \"a\"\nprecision = 10\n"),
            "x.toml:2:13: precision is a number, but must be a share of the answer, for example \"10%\"");
  EXPECT_EQ(
      error_of("schema = \"parcast.experiment/2\"\n"),
      "x.toml:1:10: the schema is \"parcast.experiment/2\", and this version reads parcast.experiment/1");
  EXPECT_EQ(error_of("vary = {p = [1]}\n"), "x.toml: there is no launch line");
  EXPECT_EQ(error_of("launch = [\n").substr(0, 25), "x.toml:1:12: this is not ");
}

}  // namespace
}  // namespace parcast::study
