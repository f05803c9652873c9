// SPDX-License-Identifier: Apache-2.0
#include "web/descriptions.h"

#include <gmock/gmock.h>

#include "base/files.h"
#include "study/description.h"
#include "web/testing/fake_parcast.h"

namespace parcast::web {
namespace {

using testing::HasSubstr;

std::string asked(const std::string& name, const std::string& more = "") {
  return R"({"name":")" + name + R"(","launch":"mpirun -n {p} ./app {N}","machine":"here.machine.toml",
    "engine":"simulate","vary":[{"name":"p","values":"1,2"},{"name":"N","values":"96,143,203"}],
    "ask":{"p":64,"N":4096},"set":[{"name":"L","values":"*2"}],"graph":[{"name":"p","values":"1..64*2"}])" +
         more + "}";
}

TEST(Descriptions, WhatIsSavedIsWhatStudyReads) {
  FakeParcast fake("");
  const auto saved = save_description(fake.folder(), asked("app.study.toml"));
  ASSERT_TRUE(saved) << saved.error().what;
  const auto read = study::read_description(fake.folder() / *saved);
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_THAT(read->launch, testing::ElementsAre("mpirun", "-n", "{p}", "./app", "{N}"));
  EXPECT_EQ(read->ask, (study::Values{{"p", 64}, {"N", 4096}}));
  EXPECT_EQ(read->graph, (std::vector<study::Axis>{{"p", "1..64*2"}}));
  EXPECT_EQ(read->set, (std::vector<study::Axis>{{"L", "*2"}}));
  EXPECT_EQ(read->engine, "simulate");
  EXPECT_EQ(read->machine, "here.machine.toml");
  const auto json = description_json(fake.folder() / *saved);
  ASSERT_TRUE(json);
  EXPECT_THAT(*json, HasSubstr(R"("launch":"mpirun -n '{p}' ./app '{N}'")"));
}

TEST(Descriptions, ANameLeadsNowhereElse) {
  FakeParcast fake("");
  for (const char* bad :
       {"../app.study.toml", "/tmp/app.study.toml", "a/b.study.toml", ".study.toml", ".x.study.toml",
        "-o.study.toml", "app.toml", "app.study.toml\\u0000", "", "a b.study.toml"})
    EXPECT_FALSE(save_description(fake.folder(), asked(bad))) << bad;
}

TEST(Descriptions, AnOlderFileStaysUnlessItIsToBeReplaced) {
  FakeParcast fake("");
  fake.write("app.study.toml", "mine");
  const auto refused = save_description(fake.folder(), asked("app.study.toml"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("exists"));
  EXPECT_EQ(*read_file(fake.folder() / "app.study.toml"), "mine");
  EXPECT_TRUE(save_description(fake.folder(), asked("app.study.toml", ",\"replace\":true")));
  EXPECT_THAT(*read_file(fake.folder() / "app.study.toml"), HasSubstr("launch"));
}

TEST(Descriptions, AContradictionIsSaidAndNothingIsWritten) {
  FakeParcast fake("");
  const auto refused = save_description(
      fake.folder(), R"({"name":"a.study.toml","launch":"./app {M}","vary":[{"name":"N","values":"1,2"}]})");
  ASSERT_FALSE(refused);
  EXPECT_FALSE(refused.error().what.empty());
  EXPECT_FALSE(std::filesystem::exists(fake.folder() / "a.study.toml"));
  EXPECT_FALSE(save_description(fake.folder(), R"({"name":"a.study.toml","launch":""})"));
  EXPECT_FALSE(save_description(fake.folder(), R"({"name":"a.study.toml","launch":"'open"})"));
}

}  // namespace
}  // namespace parcast::web
